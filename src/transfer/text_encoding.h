// The encoding of a file of rows. Readers take UTF-8; what is something else is converted or
// refused before they see it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "laurel/result.h"
#include "transfer/byte_reader.h"

namespace laurel::transfer {

enum class TextEncoding : std::uint8_t {
  kUtf8,
  kGb18030,  // also GBK and GB2312, which it contains
  kBytes,    // not checked
};

// Parses --encoding: utf-8, gb18030 or bytes.
Result<TextEncoding> ParseTextEncoding(std::string_view text);

// The contents of `source` as UTF-8, or as they are for kBytes. Read returns an error that names
// the line of the first bytes that are not of the encoding. ERR if the system cannot convert it.
Result<std::unique_ptr<ByteReader>> Decoded(std::unique_ptr<ByteReader> source,
                                            TextEncoding encoding);

}  // namespace laurel::transfer
