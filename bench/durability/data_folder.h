// A data folder on a real disk, removed at the end of the benchmark.
#pragma once

#include <string>

namespace laurel::bench {

class DataFolder {
 public:
  // Makes root/name, empty. Throws Failure if that fails, or if the folder is on a file system in
  // memory, where fsync costs nothing.
  DataFolder(const std::string& root, const std::string& name);
  // Removes it.
  ~DataFolder();
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  // Reads every file once, so that the next reader finds them in the page cache.
  void Warm() const;

 private:
  std::string path_;
};

}  // namespace laurel::bench
