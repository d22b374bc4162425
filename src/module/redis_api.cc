#include "module/redis_api.h"

#include <cstddef>

namespace laurel::module {

// The layouts in the servers' header on 64-bit machines.
static_assert(sizeof(TypeMethods) == 19 * 8 && offsetof(TypeMethods, free_effort) == 10 * 8 &&
              offsetof(TypeMethods, mem_usage2) == 14 * 8);
static_assert(sizeof(CommandKeySpec) == 56 && offsetof(CommandKeySpec, begin) == 24 &&
              offsetof(CommandKeySpec, find_keys) == 40 && offsetof(CommandKeySpec, find) == 44);
static_assert(sizeof(CommandArgument) == 72 && offsetof(CommandArgument, token) == 16 &&
              offsetof(CommandArgument, arguments) == 56);
static_assert(sizeof(CommandInfoVersion) == 32 && sizeof(CommandHistory) == 16);
static_assert(sizeof(CommandDocs) == 72 && offsetof(CommandDocs, arity) == 48);

namespace redis_api {
constinit Functions functions;
}

const char* Resolve(Context* context) {
  using GetApi = int (*)(const char* name, void* target);
  const auto get = *reinterpret_cast<const GetApi*>(context);
  const char* missing = nullptr;
#define LAUREL_OPTIONAL(name, ...) \
  get("RedisModule_" #name, static_cast<void*>(&redis_api::functions.name));
#define LAUREL_NEEDED(name, ...) \
  LAUREL_OPTIONAL(name)          \
  if (redis_api::functions.name == nullptr) missing = #name;
  LAUREL_REDIS_FUNCTIONS(LAUREL_NEEDED, LAUREL_OPTIONAL)
#undef LAUREL_NEEDED
#undef LAUREL_OPTIONAL
  return missing;
}

}  // namespace laurel::module
