// The part of the module API of Redis and Valkey that Laurel uses, declared here.
//
// The server provides its functions by name when it loads a module. Api() holds them; a null
// pointer means that this server does not have the function. Resolve checks the functions that
// every server since Redis 6.2.2 has, so only those marked "7.0" and later need a test for null.
//
// The server reads the structs below. Their layout is the server's, asserted in redis_api.cc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel::module {

// Objects of the server. A Context begins with the function that looks up the others.
struct Context;
struct String;
struct Key;
struct Io;
struct Digest;
struct Type;
struct Command;
struct KeyOptions;  // key name and database, for a call about one key
struct InfoContext;
struct ServerInfo;
struct BlockedClient;
struct ScanCursor;
struct CallReply;

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;

// OpenKey.
inline constexpr int kOpenRead = 1 << 0;
inline constexpr int kOpenWrite = 1 << 1;
inline constexpr int kOpenNoTouch = 1 << 16;  // does not change the key's last access

// KeyType.
inline constexpr int kEmptyKey = 0;

// GetContextFlags.
inline constexpr int kFlagScript = 1 << 0;
inline constexpr int kFlagMulti = 1 << 1;
inline constexpr int kFlagPrimary = 1 << 2;
inline constexpr int kFlagOutOfMemory = 1 << 10;
inline constexpr int kFlagReplicated = 1 << 12;
inline constexpr int kFlagLoading = 1 << 13;
inline constexpr int kFlagDenyBlocking = 1 << 21;
// GetClusterNodeInfo.
inline constexpr int kNodeReplica = 1 << 2;
inline constexpr std::size_t kNodeIdBytes = 40;

// SetModuleOptions.
inline constexpr int kHandleIoErrors = 1 << 0;
inline constexpr int kNoImplicitSignalModified = 1 << 1;
inline constexpr int kHandleReplAsyncLoad = 1 << 2;
inline constexpr int kHandleAtomicSlotMigration = 1 << 5;  // Valkey 9; others ignore it

// NotifyKeyspaceEvent.
inline constexpr int kNotifyGeneric = 1 << 2;
inline constexpr int kNotifyExpired = 1 << 8;
inline constexpr int kNotifyModule = 1 << 13;

inline constexpr long long kNoExpire = -1;

// CallReplyType.
inline constexpr int kErrorReply = 1;

// SubscribeToServerEvent: the server loads a file or a primary's data. Kinds 0 to 2 are starts.
struct ServerEvent {
  std::uint64_t id;
  std::uint64_t version;
};
inline constexpr ServerEvent kLoadingEvent{3, 1};
inline constexpr std::uint64_t kLoadingRdb = 0;
inline constexpr std::uint64_t kLoadingEnded = 3;
inline constexpr std::uint64_t kLoadingFailed = 4;
// SubscribeToServerEvent: SWAPDB. `data` is a SwappedDatabases.
inline constexpr ServerEvent kSwapEvent{11, 1};
struct SwappedDatabases {
  std::uint64_t version;
  std::int32_t first;
  std::int32_t second;
};
using ServerEventFunction = void (*)(Context*, ServerEvent, std::uint64_t kind, void* data);

using CommandFunction = int (*)(Context*, String** arguments, int count);
using NotificationFunction = int (*)(Context*, int kind, const char* event, String* name);
using TimerFunction = void (*)(Context*, void* data);
using ScanFunction = void (*)(Context*, String* name, Key* key, void* data);
using ConfigApply = int (*)(Context*, void* data, String** error);

// The functions that the server calls for values of a type. Each server reads the members that it
// supports.
struct TypeMethods {
  std::uint64_t version = 5;
  void* (*rdb_load)(Io*, int version) = nullptr;
  void (*rdb_save)(Io*, void* value) = nullptr;
  void (*aof_rewrite)(Io*, String* key, void* value) = nullptr;
  std::size_t (*mem_usage)(const void* value) = nullptr;
  void (*digest)(Digest*, void* value) = nullptr;
  void (*free)(void* value) = nullptr;
  int (*aux_load)(Io*, int version, int when) = nullptr;
  void (*aux_save)(Io*, int when) = nullptr;
  int aux_save_triggers = 0;
  std::size_t (*free_effort)(String* key, const void* value) = nullptr;
  void (*unlink)(String* key, const void* value) = nullptr;
  void* (*copy)(String* from, String* to, const void* value) = nullptr;
  int (*defrag)(void* context, String* key, void** value) = nullptr;
  // 7.0
  std::size_t (*mem_usage2)(KeyOptions*, const void* value, std::size_t samples) = nullptr;
  std::size_t (*free_effort2)(KeyOptions*, const void* value) = nullptr;
  void (*unlink2)(KeyOptions*, const void* value) = nullptr;
  void* (*copy2)(KeyOptions*, const void* value) = nullptr;
  void (*aux_save2)(Io*, int when) = nullptr;  // 7.2
};

// SetCommandInfo: the contents of COMMAND INFO and COMMAND DOCS.
struct CommandInfoVersion {
  int version = 1;
  std::size_t history_bytes = 0;
  std::size_t key_spec_bytes = 0;
  std::size_t argument_bytes = 0;
};
struct CommandKeySpec {
  enum BeginSearch : int { kBeginInvalid, kBeginUnknown, kBeginIndex, kBeginKeyword };
  enum FindKeys : int { kFindOmitted, kFindUnknown, kFindRange, kFindCounted };

  const char* notes = nullptr;
  std::uint64_t flags = 0;
  BeginSearch begin_search = kBeginInvalid;
  union Begin {
    struct {
      int position;
    } index;
    struct {
      const char* keyword;
      int start_from;
    } keyword;
  } begin{};
  FindKeys find_keys = kFindOmitted;
  union Find {
    struct {
      int last;
      int step;
      int limit;
    } range;
    struct {
      int count_at;
      int first;
      int step;
    } counted;
  } find{};
};
struct CommandHistory {
  const char* since = nullptr;
  const char* changes = nullptr;
};
struct CommandArgument {
  enum Type : int {
    kString,
    kInteger,
    kDouble,
    kKey,
    kPattern,
    kUnixTime,
    kPureToken,
    kOneOf,  // has arguments of its own
    kBlock,  // has arguments of its own
  };
  // Bits of flags.
  static constexpr int kOptional = 1 << 0;
  static constexpr int kMultiple = 1 << 1;

  const char* name = nullptr;
  Type type = kString;
  int key_spec = -1;  // of kKey: the index of its CommandKeySpec
  const char* token = nullptr;
  const char* summary = nullptr;
  const char* since = nullptr;
  int flags = 0;
  const char* deprecated_since = nullptr;
  CommandArgument* arguments = nullptr;  // ends with an empty argument
  const char* display_text = nullptr;
};
struct CommandDocs {
  const CommandInfoVersion* version = nullptr;
  const char* summary = nullptr;
  const char* complexity = nullptr;
  const char* since = nullptr;
  CommandHistory* history = nullptr;
  const char* tips = nullptr;
  int arity = 0;
  CommandKeySpec* key_specs = nullptr;   // ends with an empty key spec
  CommandArgument* arguments = nullptr;  // ends with an empty argument
};

// Bits of CommandKeySpec::flags.
inline constexpr std::uint64_t kKeyReadOnly = 1 << 0;
inline constexpr std::uint64_t kKeyReadWrite = 1 << 1;
inline constexpr std::uint64_t kKeyRemove = 1 << 3;
inline constexpr std::uint64_t kKeyAccess = 1 << 4;
inline constexpr std::uint64_t kKeyUpdate = 1 << 5;
inline constexpr std::uint64_t kKeyInsert = 1 << 6;
inline constexpr std::uint64_t kKeyDelete = 1 << 7;

// clang-format off
#define LAUREL_REDIS_FUNCTIONS(NEEDED, OPTIONAL)                                                  \
  NEEDED(Alloc, void*, std::size_t bytes)                                                         \
  NEEDED(Free, void, void* block)                                                                 \
  NEEDED(GetUsedMemoryRatio, float)                                                               \
  NEEDED(IsModuleNameBusy, int, const char* name)                                                 \
  NEEDED(SetModuleAttribs, void, Context*, const char* name, int version, int api_version)        \
  NEEDED(SetModuleOptions, void, Context*, int options)                                           \
  NEEDED(CreateCommand, int, Context*, const char* name, CommandFunction, const char* flags,      \
         int first_key, int last_key, int key_step)                                               \
  OPTIONAL(GetCommand, Command*, Context*, const char* name)           /* 7.0 */                  \
  OPTIONAL(SetCommandInfo, int, Command*, const CommandDocs*)          /* 7.0 */                  \
  OPTIONAL(SetCommandACLCategories, int, Command*, const char*)        /* 7.2 */                  \
  OPTIONAL(AddACLCategory, int, Context*, const char*)                 /* 7.4, Valkey 8 */        \
  NEEDED(WrongArity, int, Context*)                                                               \
  NEEDED(StringPtrLen, const char*, const String*, std::size_t* bytes)                            \
  NEEDED(CreateString, String*, Context*, const char*, std::size_t bytes)                         \
  NEEDED(FreeString, void, Context*, String*)                                                     \
  NEEDED(ReplyWithLongLong, int, Context*, long long)                                             \
  NEEDED(ReplyWithError, int, Context*, const char*)                                              \
  NEEDED(ReplyWithSimpleString, int, Context*, const char*)                                       \
  NEEDED(ReplyWithArray, int, Context*, long elements)                                            \
  OPTIONAL(ReplyWithMap, int, Context*, long pairs)                    /* 7.0 */                  \
  NEEDED(ReplyWithNullArray, int, Context*)                                                       \
  NEEDED(ReplyWithNull, int, Context*)                                                            \
  NEEDED(ReplyWithStringBuffer, int, Context*, const char*, std::size_t bytes)                    \
  OPTIONAL(ReplyWithBool, int, Context*, int)                          /* 7.0 */                  \
  NEEDED(ReplyWithLongDouble, int, Context*, long double)                                         \
  NEEDED(OpenKey, Key*, Context*, String* name, int mode)                                         \
  NEEDED(CloseKey, void, Key*)                                                                    \
  NEEDED(KeyType, int, Key*)                                                                      \
  NEEDED(UnlinkKey, int, Key*)                                                                    \
  NEEDED(CreateDataType, Type*, Context*, const char* name, int version, TypeMethods*)            \
  NEEDED(ModuleTypeSetValue, int, Key*, Type*, void* value)                                       \
  NEEDED(ModuleTypeGetType, Type*, Key*)                                                          \
  NEEDED(ModuleTypeGetValue, void*, Key*)                                                         \
  NEEDED(GetAbsExpire, long long, Key*) /* 6.2.2 */                                               \
  NEEDED(SetAbsExpire, int, Key*, long long at_ms) /* 6.2.2 */                                    \
  NEEDED(SignalModifiedKey, int, Context*, String* name)                                          \
  NEEDED(SignalKeyAsReady, void, Context*, String* name)                                          \
  NEEDED(NotifyKeyspaceEvent, int, Context*, int kind, const char* event, String* name)           \
  NEEDED(Replicate, int, Context*, const char* command, const char* format, ...)                  \
  NEEDED(ReplicateVerbatim, int, Context*)                                                        \
  NEEDED(Call, CallReply*, Context*, const char* command, const char* format, ...)                \
  NEEDED(CallReplyType, int, CallReply*)                                                          \
  NEEDED(FreeCallReply, void, CallReply*)                                                         \
  NEEDED(GetContextFlags, int, Context*)                                                          \
  NEEDED(SubscribeToServerEvent, int, Context*, ServerEvent, ServerEventFunction)                 \
  NEEDED(SubscribeToKeyspaceEvents, int, Context*, int kinds, NotificationFunction)               \
  OPTIONAL(AvoidReplicaTraffic, int)                                   /* 6.0.10 */               \
  NEEDED(GetMyClusterID, const char*)                                                             \
  NEEDED(GetClusterNodeInfo, int, Context*, const char* id, char* address, char* primary_id,      \
         int* port, int* flags)                                                                   \
  NEEDED(GetSelectedDb, int, Context*)                                                            \
  NEEDED(SelectDb, int, Context*, int database)                                                   \
  NEEDED(GetRandomBytes, void, unsigned char*, std::size_t bytes)                                 \
  NEEDED(BlockClientOnKeys, BlockedClient*, Context*, CommandFunction on_ready,                   \
         CommandFunction on_timeout, void (*free_data)(Context*, void*), long long timeout_ms,    \
         String** keys, int count, void* data)                                                    \
  NEEDED(GetBlockedClientPrivateData, void*, Context*)                                            \
  NEEDED(CreateTimer, std::uint64_t, Context*, long long period_ms, TimerFunction, void* data)    \
  NEEDED(Scan, int, Context*, ScanCursor*, ScanFunction, void* data)                              \
  NEEDED(ScanCursorCreate, ScanCursor*)                                                           \
  NEEDED(ScanCursorRestart, void, ScanCursor*)                                                    \
  NEEDED(SaveUnsigned, void, Io*, std::uint64_t)                                                  \
  NEEDED(LoadUnsigned, std::uint64_t, Io*)                                                        \
  NEEDED(SaveStringBuffer, void, Io*, const char*, std::size_t bytes)                             \
  NEEDED(LoadStringBuffer, char*, Io*, std::size_t* bytes)                                        \
  NEEDED(IsIOError, int, Io*)                                                                     \
  OPTIONAL(GetKeyNameFromIO, const String*, Io*) /* 5.0.5 */                                      \
  OPTIONAL(GetDbIdFromIO, int, Io*) /* 7.0 */                                                     \
  NEEDED(LogIOError, void, Io*, const char* level, const char* format, ...)                       \
  NEEDED(EmitAOF, void, Io*, const char* command, const char* format, ...)                        \
  NEEDED(DigestAddLongLong, void, Digest*, long long)                                             \
  NEEDED(DigestEndSequence, void, Digest*)                                                        \
  NEEDED(Log, void, Context*, const char* level, const char* format, ...)                         \
  NEEDED(RegisterInfoFunc, int, Context*, void (*)(InfoContext*, int for_crash_report))           \
  NEEDED(InfoAddSection, int, InfoContext*, const char* name)                                     \
  NEEDED(InfoAddFieldULongLong, int, InfoContext*, const char* field, unsigned long long)         \
  NEEDED(InfoAddFieldLongLong, int, InfoContext*, const char* field, long long)                   \
  NEEDED(GetServerInfo, ServerInfo*, Context*, const char* section)                               \
  NEEDED(ServerInfoGetFieldC, const char*, ServerInfo*, const char* field)                        \
  NEEDED(FreeServerInfo, void, Context*, ServerInfo*)                                             \
  OPTIONAL(RegisterNumericConfig, int, Context*, const char* name, long long value,               \
           unsigned flags, long long least, long long most, long long (*get)(const char*, void*), \
           int (*set)(const char*, long long, void*, String**), ConfigApply, void*) /* 7.0 */     \
  OPTIONAL(RegisterBoolConfig, int, Context*, const char* name, int value, unsigned flags,        \
           int (*get)(const char*, void*), int (*set)(const char*, int, void*, String**),         \
           ConfigApply, void*) /* 7.0 */                                                          \
  OPTIONAL(RegisterStringConfig, int, Context*, const char* name, const char* value,              \
           unsigned flags, String* (*get)(const char*, void*),                                    \
           int (*set)(const char*, String*, void*, String**), ConfigApply, void*) /* 7.0 */       \
  OPTIONAL(LoadConfigs, int, Context*) /* 7.0 */
// clang-format on

struct Functions {
#define LAUREL_DECLARE(name, result, ...) result (*name)(__VA_ARGS__) = nullptr;
  LAUREL_REDIS_FUNCTIONS(LAUREL_DECLARE, LAUREL_DECLARE)
#undef LAUREL_DECLARE
};

namespace redis_api {
extern Functions functions;  // constant-initialised: usable before any constructor has run
}

inline const Functions& Api() { return redis_api::functions; }

// Looks up the server's functions. Returns null, or the name of a required function that the server
// lacks.
const char* Resolve(Context* context);

}  // namespace laurel::module
