#include "bench/durability/data_folder.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include <linux/magic.h>
#include <sys/vfs.h>

#include "bench/failure.h"

namespace laurel::bench {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

}  // namespace

DataFolder::DataFolder(const std::string& root, const std::string& name)
    : path_(root + "/" + name) {
  std::error_code error;
  std::filesystem::remove_all(path_, error);  // left by a bench that was killed
  std::filesystem::create_directories(path_, error);
  struct statfs system {};
  if (error || statfs(path_.c_str(), &system) != 0) throw Failure("cannot make " + path_);
  if (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC) {
    throw Failure(path_ + " is in memory, not on a disk; give another --folder");
  }
}

DataFolder::~DataFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void DataFolder::Warm() const {
  std::vector<char> buffer(kReadBytes);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()))) {
    }
  }
}

}  // namespace laurel::bench
