// A server's data on a real disk, for as long as the bench needs it.
#pragma once

#include <string>

namespace laurel::bench {

class DataFolder {
 public:
  // Makes root/name, empty. Throws Failure if it cannot, or if it would lie in memory: what an
  // fsync costs is what is measured.
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
