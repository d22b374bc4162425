// The data type laurel-lb: how the server saves, loads, copies, measures and frees boards.
//
// RDB: format version (1), then chunks of effects (host_effects.h), ended by an empty chunk. Each
// chunk is a string of about 1 MiB. The first begins with the creation of the leaderboard.
// AOF rewrite: the same chunks, each as one LB.APPLY.
#include <memory>
#include <string>
#include <string_view>

#include "module/host.h"
#include "module/value.h"

namespace laurel::module {
namespace {

constexpr char kTypeName[] = "laurel-lb";
static_assert(sizeof(kTypeName) == 9 + 1, "the servers want nine characters");
constexpr int kTypeVersion = 1;
constexpr std::uint64_t kFormatVersion = 1;

const Value& Of(const void* value) { return *static_cast<const Value*>(value); }

// Frees a chunk that the server allocated.
struct ServerFree {
  void operator()(char* bytes) const { Api().Free(bytes); }
};
using Chunk = std::unique_ptr<char, ServerFree>;

// Reads the next chunk. False if the payload ends or is damaged.
bool LoadChunk(Io* io, Chunk* chunk, std::string_view* bytes) {
  std::size_t size = 0;
  chunk->reset(Api().LoadStringBuffer(io, &size));
  if (Api().IsIOError(io) != 0 || *chunk == nullptr) return false;
  *bytes = {chunk->get(), size};
  return true;
}

Status LoadChunks(Io* io, std::unique_ptr<Value>* value) {
  const Error cut{ErrorCode::kErr, "the payload ends too early or is damaged"};
  Chunk chunk;
  std::string_view bytes;
  if (!LoadChunk(io, &chunk, &bytes)) return cut;
  const Result<Spec> spec = ReadCreation(&bytes);
  if (!spec.ok()) return spec.error();
  *value = TheHost().Make(*spec);
  ValueLoader loader(value->get());
  do {
    if (Status read = loader.Read(bytes); !read.ok()) return read;
    if (!LoadChunk(io, &chunk, &bytes)) return cut;
  } while (!bytes.empty());
  loader.Finish();
  return Ok{};
}

// Logs the problems of a board that was loaded.
void LogWarnings(Io* io, const String* name, Value* value) {
  const std::string zone = TheHost().UnknownZoneWarning(value->spec());
  if (!zone.empty()) Api().LogIOError(io, "warning", "%s", zone.c_str());
  if (!value->may_exceed_cap) return;
  value->excess_is_logged = true;
  Api().LogIOError(io, "warning", "%s", Host::ExcessWarning(name, *value).c_str());
}

void* LoadRdb(Io* io, int version) noexcept {
  const std::uint64_t format = Api().LoadUnsigned(io);
  if (Api().IsIOError(io) != 0) return nullptr;
  if (version != kTypeVersion || format != kFormatVersion) {
    Api().LogIOError(
        io, "warning",
        "laurel: a leaderboard has the format %d.%llu, this laurel.so (%s) reads %d.%llu: "
        "load it with the laurel.so that saved it, or a newer one",
        version, static_cast<unsigned long long>(format), LAUREL_VERSION, kTypeVersion,
        static_cast<unsigned long long>(kFormatVersion));
    return nullptr;
  }
  std::unique_ptr<Value> value;
  const Status loaded = LoadChunks(io, &value);
  if (!loaded.ok()) {
    Api().LogIOError(io, "warning", "laurel: a leaderboard cannot be loaded: %s",
                     loaded.error().message.c_str());
    return nullptr;
  }
  const String* name = Api().GetKeyNameFromIO != nullptr ? Api().GetKeyNameFromIO(io) : nullptr;
  LogWarnings(io, name, value.get());
  if (name != nullptr && Api().GetDbIdFromIO != nullptr) {
    TheHost().sweep.HintLoaded(Api().GetDbIdFromIO(io), TextOf(name), value.get());
  }
  return value.release();
}

void SaveRdb(Io* io, void* value) noexcept {
  Api().SaveUnsigned(io, kFormatVersion);
  ValueWalk walk(&Of(value));
  std::string chunk;
  while (walk.Next(&chunk)) {
    Api().SaveStringBuffer(io, chunk.data(), chunk.size());
    chunk.clear();
  }
  Api().SaveStringBuffer(io, "", 0);
}

void RewriteAof(Io* io, String* key, void* value) noexcept {
  ValueWalk walk(&Of(value));
  std::string chunk;
  while (walk.Next(&chunk)) {
    Api().EmitAOF(io, "LB.APPLY", "sb", key, chunk.data(), chunk.size());
    chunk.clear();
  }
}

void Free(void* value) noexcept {
  delete static_cast<Value*>(value);
  TheHost().ReclaimIfShort();
}

// Also runs on replicas, so it must not read the clock or random numbers. Request ids and events
// belong to the original key; the copy's feed begins with a new term.
void* Copy(String* /*from*/, String* to, const void* value) noexcept {
  ValueWalk walk(&Of(value), /*with_requests_and_events=*/false);
  std::string chunk;
  walk.Next(&chunk);
  std::string_view bytes = chunk;
  const Result<Spec> spec = ReadCreation(&bytes);
  if (!spec.ok()) return nullptr;
  std::unique_ptr<Value> copy = TheHost().Make(*spec);
  ValueLoader loader(copy.get());
  do {
    if (!loader.Read(bytes).ok()) return nullptr;
    chunk.clear();
    walk.Next(&chunk);
    bytes = chunk;
  } while (!bytes.empty());
  loader.Finish();
  copy->board.ForgetRequests(nullptr);
  if (copy->feed) copy->feed->BeginAsCopy(*Of(value).feed, TextOf(to));
  return copy.release();
}

std::size_t MemoryUsage(const void* value) noexcept { return Of(value).MemoryUsage(); }

std::size_t FreeEffort(String* /*key*/, const void* value) noexcept {
  return Of(value).FreeEffort();
}

void AddDigest(Digest* digest, void* value) noexcept {
  Api().DigestAddLongLong(digest, static_cast<long long>(Of(value).Digest()));
  Api().DigestEndSequence(digest);
}

}  // namespace

Type* CreateType(Context* context) {
  TypeMethods methods;
  methods.rdb_load = LoadRdb;
  methods.rdb_save = SaveRdb;
  methods.aof_rewrite = RewriteAof;
  methods.free = Free;
  methods.mem_usage = MemoryUsage;
  methods.free_effort = FreeEffort;
  methods.copy = Copy;
  methods.digest = AddDigest;
  return Api().CreateDataType(context, kTypeName, kTypeVersion, &methods);
}

}  // namespace laurel::module
