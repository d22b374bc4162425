#include "cli/demo_language.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "cli/terminal_text.h"

namespace laurel::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r";

Error Err(std::string message) { return {ErrorCode::kErr, std::move(message)}; }

std::string ToUpper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

template <typename Value>
using Choices = std::array<std::pair<std::string_view, Value>, 3>;

constexpr Choices<Policy> kPolicies = {
    {{"set", Policy::kSet}, {"best", Policy::kBest}, {"sum", Policy::kSum}}};
constexpr Choices<Tie> kTies = {
    {{"first", Tie::kFirst}, {"last", Tie::kLast}, {"member", Tie::kMember}}};

template <typename Value>
Result<Value> Choose(const Choices<Value>& choices, std::string_view what, std::string_view text) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return Err("unknown " + std::string(what) + " " + Quoted(text) + ": " + names);
}

// Reads the n fields behind FIELDS from the front of `words`, and takes them off.
Result<std::vector<Field>> TakeFields(std::span<const std::string_view>* words) {
  const Result<std::uint64_t> count = ParseCount(words->front());
  if (!count.ok()) return count.error();
  *words = words->subspan(1);
  if (*count > words->size()) {
    return Err("FIELDS " + std::to_string(*count) + " is followed by " +
               std::to_string(words->size()) + " words");
  }
  std::vector<Field> fields;
  for (const std::string_view text : words->first(*count)) {
    Result<Field> field = ParseField(text);
    if (!field.ok()) return field.error();
    fields.push_back(std::move(*field));
  }
  *words = words->subspan(*count);
  return fields;
}

// Reads one option and what belongs to it from the front of `words`, and takes it off.
Status TakeOption(std::span<const std::string_view>* words, Spec* spec) {
  const std::string_view option = words->front();
  const std::string keyword = ToUpper(option);
  constexpr std::array<std::string_view, 4> kKeywords = {"FIELDS", "POLICY", "TIE", "CAP"};
  if (std::find(kKeywords.begin(), kKeywords.end(), keyword) == kKeywords.end()) {
    return Err("unknown option " + Quoted(option) + ": FIELDS, POLICY, TIE, CAP");
  }
  *words = words->subspan(1);
  if (words->empty()) return Err(keyword + " needs a value");

  if (keyword == "FIELDS") {
    Result<std::vector<Field>> fields = TakeFields(words);
    if (!fields.ok()) return fields.error();
    spec->fields = std::move(*fields);
    return Ok{};
  }
  const std::string_view value = words->front();
  *words = words->subspan(1);
  if (keyword == "POLICY") {
    const Result<Policy> policy = Choose(kPolicies, "policy", value);
    if (!policy.ok()) return policy.error();
    spec->policy = *policy;
  } else if (keyword == "TIE") {
    const Result<Tie> tie = Choose(kTies, "tie rule", value);
    if (!tie.ok()) return tie.error();
    spec->tie = *tie;
  } else {
    const Result<std::uint64_t> cap = ParseCount(value);
    if (!cap.ok()) return cap.error();
    spec->cap = *cap;
  }
  return Ok{};
}

}  // namespace

Result<std::vector<std::string_view>> SplitWords(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = line.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return words;
    line.remove_prefix(start);
    const bool quoted = line.front() == '"';
    if (quoted) line.remove_prefix(1);
    const std::size_t end = quoted ? line.find('"') : line.find_first_of(kBlanks);
    if (quoted && end == std::string_view::npos) return Err("a quote is not closed");
    const std::string_view word = line.substr(0, end);
    if (!quoted && word.find('"') != std::string_view::npos) {
      return Err("a quote in the middle of a word");
    }
    words.push_back(word);
    if (end == std::string_view::npos) return words;
    line.remove_prefix(quoted ? end + 1 : end);
    if (quoted && !line.empty() && kBlanks.find(line.front()) == std::string_view::npos) {
      return Err("a blank must follow a closing quote");
    }
  }
}

Result<std::uint64_t> ParseCount(std::string_view text) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (text.empty() || error != std::errc() || stop != end) {
    return Err(Quoted(text) + " is not a count");
  }
  return count;
}

Result<Spec> ParseCreateOptions(std::span<const std::string_view> words) {
  Spec spec;
  while (!words.empty()) {
    if (const Status status = TakeOption(&words, &spec); !status.ok()) return status.error();
  }
  return spec;
}

}  // namespace laurel::cli
