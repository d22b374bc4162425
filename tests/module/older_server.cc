// Loads laurel.so as an older or a newer server would. The arguments are the path of laurel.so, the
// number of functions, and their names: functions of the module API that the server hides from the
// module. Further arguments are the module's. With the name +categories the server has the
// functions for ACL categories, and logs what they are given.
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

#include <dlfcn.h>

#include "module/redis_api.h"

namespace {

using namespace laurel::module;
using GetApi = int (*)(const char* name, void* target);
using OnLoad = int (*)(Context*, String** arguments, int count);

GetApi find = nullptr;
std::set<std::string> missing;

Context* loading = nullptr;
std::string command;  // that the module has asked for last

Command* GetCommand(Context* context, const char* name) {
  command = name;
  return Api().GetCommand(context, name);
}

int SetCategories(Command* /*command*/, const char* categories) {
  Api().Log(loading, "warning", "categories of %s: %s", command.c_str(), categories);
  return kOk;
}

int AddCategory(Context* /*context*/, const char* category) {
  Api().Log(loading, "warning", "new category: %s", category);
  return kOk;
}

int FindUnlessMissing(const char* name, void* target) {
  if (missing.contains(name)) return kFailed;
  const int found = find(name, target);
  if (!missing.contains("RedisModule_+categories")) return found;
  const std::string_view wanted = std::string_view(name).substr(std::strlen("RedisModule_"));
  const auto give = [&](auto function) {
    std::memcpy(target, &function, sizeof(function));
    return kOk;
  };
  if (wanted == "GetCommand") return give(&GetCommand);
  if (wanted == "SetCommandACLCategories") return give(&SetCategories);
  if (wanted == "AddACLCategory") return give(&AddCategory);
  return found;
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
  loading = context;
  place = FindUnlessMissing;
  const int loaded = load(context, arguments + 2 + functions, count - 2 - functions);
  place = find;
  return loaded;
}
