// JSON built from texts: for documents that are made once. Answers are written by wire::JsonWriter.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace laurel::http {

// A string with its quotes. REQUIRES: UTF-8.
std::string JsonString(std::string_view text);

// An object in the making. Values are JSON.
class JsonObject {
 public:
  // Adds a member; one with an empty value is left out. REQUIRES: `key` needs no escapes.
  JsonObject& Add(std::string_view key, std::string_view json);
  JsonObject& AddText(std::string_view key, std::string_view text);

  [[nodiscard]] bool empty() const { return members_.empty(); }
  [[nodiscard]] std::string Take() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

std::string JsonArray(std::span<const std::string> elements);
std::string JsonTexts(std::span<const std::string_view> texts);  // an array of strings

// The JSON without blanks outside of strings. A line break in a string, which JSON does not allow,
// becomes a blank together with the blanks after it: so long texts fit into source code.
std::string CompactJson(std::string_view json);
// The JSON on lines of up to `columns` characters, as far as its strings are that short. REQUIRES:
// valid JSON.
std::string PrettyJson(std::string_view json, std::size_t columns);

}  // namespace laurel::http
