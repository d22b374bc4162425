// TemporaryFolder: a new folder of the file system, which the destructor removes with its contents.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace laurel::base {

class TemporaryFolder {
 public:
  // Makes a folder in `place` whose name begins with `name`. If that fails, errno has the cause.
  TemporaryFolder(const std::filesystem::path& place, std::string_view name)
      : path_((place / (std::string(name) + "-XXXXXX")).string()),
        exists_(mkdtemp(path_.data()) != nullptr) {}
  ~TemporaryFolder() {
    std::error_code ignored;
    if (exists_) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Whether it could be made.
  [[nodiscard]] bool exists() const { return exists_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool exists_;
};

}  // namespace laurel::base
