// Another module, which a server loads beside laurel.so: a data type, commands, exceptions and
// streams, with the shared C++ library of the system and all its symbols visible.
//
//   OTHER.SET key text     stores a value of the type other-txt
//   OTHER.GET key          its text
//   OTHER.THROW text       throws, catches, and answers what was thrown
//   OTHER.FOLLOW board     from now on, every keyspace event of another key runs LB.INCR board
//                          EVENT 1 from inside of the notification
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "module/redis_api.h"

namespace {

using namespace laurel::module;

struct CallReply;
CallReply* (*call)(Context*, const char* command, const char* format, ...) = nullptr;
void (*free_reply)(CallReply*) = nullptr;
int (*subscribe)(Context*, int kinds, int (*)(Context*, int, const char*, String*)) = nullptr;

constexpr int kEvents = 0b1111111111100;  // of all types, generic, expired, evicted, …

Type* type = nullptr;
std::string followed;
bool is_following = false;  // inside of OnEvent

std::string TextOf(const String* text) {
  std::size_t bytes = 0;
  const char* data = Api().StringPtrLen(text, &bytes);
  return {data, bytes};
}

int Reply(Context* context, std::string_view text) {
  return Api().ReplyWithStringBuffer(context, text.data(), text.size());
}

int Set(Context* context, String** arguments, int count) {
  if (count != 3) return Api().WrongArity(context);
  Key* key = Api().OpenKey(context, arguments[1], kOpenRead | kOpenWrite);
  Api().ModuleTypeSetValue(key, type, new std::string(TextOf(arguments[2])));
  Api().CloseKey(key);
  Api().ReplicateVerbatim(context);
  return Api().ReplyWithSimpleString(context, "OK");
}

int Get(Context* context, String** arguments, int count) {
  if (count != 2) return Api().WrongArity(context);
  Key* key = Api().OpenKey(context, arguments[1], kOpenRead);
  if (key == nullptr) return Api().ReplyWithNull(context);
  const bool is_ours = Api().ModuleTypeGetType(key) == type;
  is_ours ? Reply(context, *static_cast<std::string*>(Api().ModuleTypeGetValue(key)))
          : Api().ReplyWithError(context, "WRONGTYPE this is no other-txt");
  Api().CloseKey(key);
  return kOk;
}

int Throw(Context* context, String** arguments, int count) {
  if (count != 2) return Api().WrongArity(context);
  try {
    std::ostringstream text;
    text << "thrown: " << TextOf(arguments[1]) << ' ' << 1.5;
    throw std::runtime_error(text.str());
  } catch (const std::exception& thrown) {
    std::cout << "OTHER.THROW " << thrown.what() << std::endl;
    return Reply(context, thrown.what());
  }
}

int Follow(Context* context, String** arguments, int count) {
  if (count != 2) return Api().WrongArity(context);
  followed = TextOf(arguments[1]);
  return Api().ReplyWithSimpleString(context, "OK");
}

int OnEvent(Context* context, int /*kind*/, const char* event, String* key) {
  if (followed.empty() || is_following || TextOf(key) == followed) return kOk;
  is_following = true;
  if (CallReply* reply = call(context, "LB.INCR", "!ccc", followed.c_str(), event, "1")) {
    free_reply(reply);
  }
  is_following = false;
  return kOk;
}

void* LoadRdb(Io* io, int /*version*/) {
  std::size_t bytes = 0;
  char* data = Api().LoadStringBuffer(io, &bytes);
  auto* value = new std::string(data, bytes);
  Api().Free(data);
  return value;
}

void SaveRdb(Io* io, void* value) {
  const auto& text = *static_cast<std::string*>(value);
  Api().SaveStringBuffer(io, text.data(), text.size());
}

void RewriteAof(Io* io, String* key, void* value) {
  const auto& text = *static_cast<std::string*>(value);
  Api().EmitAOF(io, "OTHER.SET", "sb", key, text.data(), text.size());
}

void Free(void* value) { delete static_cast<std::string*>(value); }

template <typename Function>
void Find(Context* context, const char* name, Function* function) {
  using GetApi = int (*)(const char*, void*);
  (*reinterpret_cast<GetApi*>(context))(name, function);
}

}  // namespace

extern "C" int RedisModule_OnLoad(Context* context, String** /*arguments*/, int /*count*/) {
  Resolve(context);
  Find(context, "RedisModule_Call", &call);
  Find(context, "RedisModule_FreeCallReply", &free_reply);
  Find(context, "RedisModule_SubscribeToKeyspaceEvents", &subscribe);
  Api().SetModuleAttribs(context, "other", 1, 1);
  TypeMethods methods;
  methods.rdb_load = LoadRdb;
  methods.rdb_save = SaveRdb;
  methods.aof_rewrite = RewriteAof;
  methods.free = Free;
  type = Api().CreateDataType(context, "other-txt", 1, &methods);
  if (type == nullptr || subscribe(context, kEvents | kNotifyModule, OnEvent) != kOk) {
    return kFailed;
  }
  const auto add = [&](const char* name, CommandFunction run, const char* flags, int key) {
    return Api().CreateCommand(context, name, run, flags, key, key, key) == kOk;
  };
  return add("other.set", Set, "write", 1) && add("other.get", Get, "readonly", 1) &&
                 add("other.throw", Throw, "readonly", 0) &&
                 add("other.follow", Follow, "readonly", 0)
             ? kOk
             : kFailed;
}
