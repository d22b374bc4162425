// Memory from the server's allocator, so that used_memory, MEMORY USAGE and maxmemory count boards.
//
// The module's own operator new and delete use it too; they are not visible outside of laurel.so.
// The server's allocator aborts the server when memory is out; it never returns null.
#pragma once

#include <memory_resource>

#include "module/redis_api.h"

namespace laurel::module {

// Detects whether the server uses jemalloc. With jemalloc, blocks of more than 192 bytes are
// aligned to a cache line without slack, and a page of 64 KiB is a size class of the allocator.
// With other allocators an aligned block needs 64 bytes more. Must be called once, after Resolve
// and before the first board.
void ChooseAlignment(Context* context);

// Memory for pages and structures of boards. Thread-safe; never destroyed.
std::pmr::memory_resource* ServerMemory();

}  // namespace laurel::module
