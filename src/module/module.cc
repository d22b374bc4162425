// The entry point of laurel.so, which the server calls when it loads the module.
//
// Nothing in this shared object may allocate before Resolve has run, so no static object has an
// allocating constructor (tests/module/static_test.py checks this).
#include <utility>

#include "module/board_commands.h"
#include "module/host.h"
#include "module/module_settings.h"
#include "module/redis_api.h"
#include "module/value.h"

namespace laurel::module {
namespace {

constexpr char kModuleName[] = "laurel";
constexpr int kModuleVersion = 100;  // 0.1.0

void AddInfo(InfoContext* info, int for_crash_report) noexcept {
  Host& host = TheHost();
  Api().InfoAddSection(info, "");
  Api().InfoAddFieldULongLong(info, "boards", host.boards);
  Api().InfoAddFieldULongLong(info, "entries", host.environment().totals().entries);
  Api().InfoAddFieldULongLong(info, "request_ids", host.environment().totals().request_ids);
  Api().InfoAddFieldULongLong(info, "sweep_due", host.sweep.DueCount(host.Now()));
  Api().InfoAddFieldLongLong(info, "sweep_lag_us", host.sweep.Lag(host.Now()));
  // The crashed thread may hold the lock of the leftovers.
  if (for_crash_report == 0) {
    Api().InfoAddFieldULongLong(info, "retired_bytes", host.environment().LeftoverBytes());
  }
  Api().InfoAddFieldULongLong(info, "refused_applies", host.refused_applies);
}

// Resets the count of refused effects at a load. The data of a full synchronisation replaces the
// state after a refused effect. An AOF contains these effects, so they are counted again. An RDB
// file contains the state after them, so the count stays.
void OnLoading(Context* /*context*/, ServerEvent /*event*/, std::uint64_t kind,
               void* /*data*/) noexcept {
  Host& host = TheHost();
  if (kind == kLoadingFailed) {
    host.refused_applies += std::exchange(host.refused_before_loading, 0);
  } else if (kind == kLoadingEnded) {
    host.refused_before_loading = 0;
  } else if (kind != kLoadingRdb) {
    host.refused_before_loading = host.refused_applies;
    host.refused_applies = 0;
  }
}

int OnLoad(Context* context, String** arguments, int count) {
  const char* missing = Resolve(context);
  if (Api().SetModuleAttribs == nullptr || Api().Log == nullptr) return kFailed;
  if (Api().IsModuleNameBusy != nullptr && Api().IsModuleNameBusy(kModuleName) != 0) {
    Api().Log(context, "warning",
              "laurel is loaded already. To use another laurel.so, restart the server with it");
    return kFailed;
  }
  Api().SetModuleAttribs(context, kModuleName, kModuleVersion, 1);
  if (missing != nullptr) {
    Api().Log(context, "warning",
              "laurel: this server has no RedisModule_%s: Redis 6.2.2 or Valkey 7.2 is the oldest "
              "that can load laurel.so",
              missing);
    return kFailed;
  }
  CreateHost(context);
  Host& host = TheHost();
  if (const Status read = ReadArguments(arguments, count, &host.settings); !read.ok()) {
    Api().Log(context, "warning", "laurel: %s", read.error().message.c_str());
    return kFailed;
  }
  Api().SetModuleOptions(context, kHandleIoErrors | kNoImplicitSignalModified |
                                      kHandleReplAsyncLoad | kHandleAtomicSlotMigration);
  host.type = CreateType(context);
  if (host.type == nullptr || !RegisterCommands(context) ||
      !RegisterConfigs(context, &host.settings)) {
    return kFailed;
  }
  Api().RegisterInfoFunc(context, AddInfo);
  Api().SubscribeToServerEvent(context, kLoadingEvent, OnLoading);
  host.sweep.Start(context);
  return kOk;
}

}  // namespace
}  // namespace laurel::module

// The only symbol that laurel.so exports. Valkey calls it too.
extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(
    laurel::module::Context* context, laurel::module::String** arguments, int count) noexcept {
  return laurel::module::OnLoad(context, arguments, count);
}
