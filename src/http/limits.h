// Limits of HTTP requests, and the defaults of those that an operator can configure.
#pragma once

#include <cstddef>

namespace laurel::http {

// The head: the request line, the headers, and the empty line, all with their line ends. The
// trailers of a chunked body count as headers.
inline constexpr std::size_t kMaxHeadBytes = std::size_t{16} << 10;
inline constexpr std::size_t kMaxTargetBytes = std::size_t{8} << 10;
inline constexpr std::size_t kMaxHeaders = 100;

inline constexpr std::size_t kDefaultMaxBodyBytes = std::size_t{8} << 20;
// The body of a request that relies on the anonymous token.
inline constexpr std::size_t kMaxAnonymousBodyBytes = std::size_t{64} << 10;

// In a chunked body: the longest line (a chunk size with its extensions, or a trailer), and the
// framing in total, in addition to as many bytes as the body may have.
inline constexpr std::size_t kMaxChunkLineBytes = std::size_t{4} << 10;
inline constexpr std::size_t kMaxChunkFramingBytes = std::size_t{16} << 10;

inline constexpr std::size_t kMaxPathSegments = 16;
inline constexpr std::size_t kMaxQueryParameters = 64;

static_assert(kMaxAnonymousBodyBytes < kDefaultMaxBodyBytes);
static_assert(kMaxTargetBytes < kMaxHeadBytes);
static_assert(kMaxChunkLineBytes <= kMaxChunkFramingBytes);

}  // namespace laurel::http
