// The encoding of a file of rows. Readers take UTF-8; other encodings are converted or refused
// first.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "laurel/result.h"
#include "transfer/text/byte_reader.h"

namespace laurel::transfer {

enum class TextEncoding : std::uint8_t {
  kUtf8,
  kGb18030,  // also its subsets GBK and GB2312
  kBytes,    // not checked
};

// Parses --encoding: utf-8, gb18030 or bytes.
Result<TextEncoding> ParseTextEncoding(std::string_view text);

// Returns the contents of `source` as UTF-8, or unchanged for kBytes. If bytes are invalid in the
// encoding, Read returns an error that names the line of the first ones. ERR if the system cannot
// convert the encoding.
Result<std::unique_ptr<ByteReader>> Decoded(std::unique_ptr<ByteReader> source,
                                            TextEncoding encoding);

}  // namespace laurel::transfer
