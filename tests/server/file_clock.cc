#include "server/file_clock.h"

#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace laurel::black_box {
namespace {

constexpr const char* kFile = "clock";

}  // namespace

FileClock::FileClock() {
  const std::string path = folder_ / kFile;
  WriteFile(path, std::string(sizeof(Shown), '\0'));
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) throw std::runtime_error("cannot open " + path);
  void* page = mmap(nullptr, sizeof(Shown), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (page == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  shown_ = static_cast<Shown*>(page);
}

FileClock::~FileClock() { munmap(shown_, sizeof(Shown)); }

std::vector<std::string> FileClock::Environment() const {
  // AddressSanitizer refuses to start behind another library unless an option allows it.
  const char* options = std::getenv("ASAN_OPTIONS");
  return {"LD_PRELOAD=" LAUREL_FILE_CLOCK_MODULE, "LAUREL_FILE_CLOCK=" + (folder_ / kFile).string(),
          "ASAN_OPTIONS=" + std::string(options != nullptr ? options : "") +
              ":verify_asan_link_order=0"};
}

}  // namespace laurel::black_box
