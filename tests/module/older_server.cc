// Loads laurel.so as a server would that lacks some functions of the module API: the arguments are
// the path of laurel.so, the number of functions, and their names. Further arguments are the
// module's.
#include <cstdlib>
#include <set>
#include <string>

#include <dlfcn.h>

#include "module/redis_api.h"

namespace {

using namespace laurel::module;
using GetApi = int (*)(const char* name, void* target);
using OnLoad = int (*)(Context*, String** arguments, int count);

GetApi find = nullptr;
std::set<std::string> missing;

int FindUnlessMissing(const char* name, void* target) {
  return missing.contains(name) ? kFailed : find(name, target);
}

std::string TextOf(const String* text) {
  std::size_t bytes = 0;
  const char* data = Api().StringPtrLen(text, &bytes);
  return {data, bytes};
}

}  // namespace

extern "C" int RedisModule_OnLoad(Context* context, String** arguments, int count) {
  Resolve(context);
  const int functions = std::atoi(TextOf(arguments[1]).c_str());
  if (count < 2 + functions) return kFailed;
  for (int i = 0; i < functions; ++i) missing.insert("RedisModule_" + TextOf(arguments[2 + i]));
  void* library = dlopen(TextOf(arguments[0]).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return kFailed;
  const auto load = reinterpret_cast<OnLoad>(dlsym(library, "RedisModule_OnLoad"));
  auto& place = *reinterpret_cast<GetApi*>(context);
  find = place;
  place = FindUnlessMissing;
  const int loaded = load(context, arguments + 2 + functions, count - 2 - functions);
  place = find;
  return loaded;
}
