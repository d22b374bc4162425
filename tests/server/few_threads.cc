// Overrides pthread_create so that a process starts only as many threads as the file named by
// LAUREL_FEW_THREADS says. The number may change while the process runs. Loaded with LD_PRELOAD.
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <pthread.h>

namespace {

std::atomic<int> started{0};

int MostThreads() {
  const char* path = std::getenv("LAUREL_FEW_THREADS");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "r");
  if (file == nullptr) return 0;
  int most = 0;
  if (std::fscanf(file, "%d", &most) != 1) most = 0;
  std::fclose(file);
  return most;
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*run)(void*), void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (started >= MostThreads()) return EAGAIN;
  ++started;
  return create(thread, attributes, run, argument);
}
