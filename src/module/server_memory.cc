// Memory from the server's allocator, so that used_memory, MEMORY USAGE and maxmemory count boards.
//
// The module's own operator new and delete use it too; they are not visible outside of laurel.so.
// The server's allocator aborts the server when memory is out; it never returns null.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string_view>

#include "base/assert.h"
#include "module/host.h"

namespace laurel::module {
namespace {

constexpr std::size_t kAnyBlockAlignment = 16;  // alignment of every block of any allocator
constexpr std::size_t kCacheLine = 64;
// jemalloc's size classes above this are multiples of a cache line, and it places blocks at
// multiples of the largest power of two that divides their class.
constexpr std::size_t kLineClasses = 192;

constinit bool has_line_classes = false;

bool NeedsSlack(std::size_t bytes, std::size_t alignment) {
  if (alignment <= kAnyBlockAlignment) return false;
  return !has_line_classes || alignment > kCacheLine || bytes <= kLineClasses;
}

// The word before a block with slack holds the address of the allocation.
void* AllocateAligned(std::size_t bytes, std::size_t alignment) {
  if (!NeedsSlack(bytes, alignment)) {
    void* block = Api().Alloc(bytes);
    LAUREL_ASSERT(reinterpret_cast<std::uintptr_t>(block) % alignment == 0);
    return block;
  }
  char* raw = static_cast<char*>(Api().Alloc(bytes + alignment + sizeof(void*)));
  const auto after = reinterpret_cast<std::uintptr_t>(raw) + sizeof(void*);
  char* block = raw + sizeof(void*) + (alignment - after % alignment) % alignment;
  reinterpret_cast<char**>(block)[-1] = raw;
  return block;
}

void FreeAligned(void* block, std::size_t bytes, std::size_t alignment) {
  Api().Free(NeedsSlack(bytes, alignment) ? static_cast<void**>(block)[-1] : block);
}

class Memory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return AllocateAligned(bytes, alignment);
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    FreeAligned(block, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

}  // namespace

void ChooseAlignment(Context* context) {
  ServerInfo* info = Api().GetServerInfo(context, "memory");
  const char* allocator = Api().ServerInfoGetFieldC(info, "mem_allocator");
  has_line_classes = allocator != nullptr && std::string_view(allocator).starts_with("jemalloc");
#ifdef LAUREL_SANITIZED
  has_line_classes = false;  // the sanitizer's allocator replaces the server's
#endif
  Api().FreeServerInfo(context, info);
}

std::pmr::memory_resource* ServerMemory() {
  alignas(Memory) static std::byte storage[sizeof(Memory)];
  static std::pmr::memory_resource* const memory = new (storage) Memory;
  return memory;
}

}  // namespace laurel::module

#ifndef LAUREL_SANITIZED

// The module does not allocate before the server has provided its functions: see module.cc.
void* operator new(std::size_t bytes) { return laurel::module::Api().Alloc(bytes > 0 ? bytes : 1); }
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete(void* block) noexcept {
  if (block != nullptr) laurel::module::Api().Free(block);
}
void operator delete[](void* block) noexcept { operator delete(block); }
void operator delete(void* block, std::size_t /*bytes*/) noexcept { operator delete(block); }
void operator delete[](void* block, std::size_t /*bytes*/) noexcept { operator delete(block); }

// The unsized delete does not know the size of such a block, so these blocks always have slack. The
// module allocates few objects this way.
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto wanted = static_cast<std::size_t>(alignment);
  char* raw = static_cast<char*>(operator new(bytes + wanted + sizeof(void*)));
  const auto after = reinterpret_cast<std::uintptr_t>(raw) + sizeof(void*);
  char* block = raw + sizeof(void*) + (wanted - after % wanted) % wanted;
  reinterpret_cast<char**>(block)[-1] = raw;
  return block;
}
void operator delete(void* block, std::align_val_t /*alignment*/) noexcept {
  if (block != nullptr) operator delete(static_cast<void**>(block)[-1]);
}
void operator delete(void* block, std::size_t /*bytes*/, std::align_val_t alignment) noexcept {
  operator delete(block, alignment);
}

#endif
