// The one table of the options of `laurel serve`. Flags, keys of the configuration file, --help,
// the default file and docs/configuration.md are derived from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "laurel/result.h"
#include "server/config/config.h"

namespace laurel::server {

// The headings of the options, in the order in which they are shown.
enum class Section : std::uint8_t { kNetwork, kHttp, kTls, kAccess, kDisk, kBoards, kLimits, kLog };
inline constexpr Section kSections[] = {Section::kNetwork, Section::kHttp, Section::kTls,
                                        Section::kAccess,  Section::kDisk, Section::kBoards,
                                        Section::kLimits,  Section::kLog};
std::string_view SectionTitle(Section section);

// Kinds of values, each with the member of Config that it sets -----------------------------------

struct TextValue {
  std::string Config::*member;
  bool (*accepts)(std::string_view text);  // without the prefix
  std::string_view expected;
  // The prefix of the option's text; the member holds the rest. Empty text stays empty.
  std::string_view prefix = {};
};

struct ChoiceValue {
  std::string Config::*member;
  std::span<const std::string_view> choices;
};

struct NumberValue {
  std::uint64_t min;
  std::uint64_t max;
  void (*set)(Config* config, std::uint64_t value);
  std::optional<std::uint64_t> (*get)(const Config& config);  // none: not set
  // If not null, the word "none" is accepted too and calls this.
  void (*unset)(Config* config) = nullptr;
};

struct SizeValue {
  std::uint64_t Config::*member;
  std::uint64_t min;
  std::uint64_t max;
  bool zero = false;  // 0 is accepted too and means no bound
};

struct DurationValue {
  std::int64_t Config::*member;
  std::int64_t unit_micros;  // the unit of the member
};

struct SwitchValue {
  bool Config::*member;
};

// A list of texts: a flag that may be repeated, an array of strings in the file.
struct TextsValue {
  std::string_view expected;  // describes one text
  // Adds a text. False if it is not accepted.
  bool (*add)(Config* config, std::string_view text);
  void (*clear)(Config* config);
  std::vector<std::string> (*get)(const Config& config);
};
inline constexpr std::size_t kMaxTexts = 1000;  // requests are compared with all of them

// A key in each table [[name]] of a list.
struct ItemKey {
  std::string_view name;
  std::optional<std::string_view> default_text;  // none: must be given
  std::string_view example;
  std::string_view help;
};

struct ListValue {
  std::span<const ItemKey> keys;
  // Splits the text of a flag into one value per key.
  Result<std::vector<std::string>> (*split)(std::string_view flag);
  // Adds an item, given one value per key.
  Status (*add)(Config* config, std::span<const std::string> values);
  void (*clear)(Config* config);
  bool (*equal)(const Config& a, const Config& b);
};

using OptionValue = std::variant<TextValue, ChoiceValue, NumberValue, SizeValue, DurationValue,
                                 SwitchValue, TextsValue, ListValue>;

struct Option {
  std::string_view name;  // "max-memory": the key; the flag is "--max-memory"
  Section section;
  std::string_view value_name;  // "SIZE"; empty for a switch
  std::string_view example;     // shown where there is no default; may be empty
  std::string_view help;        // full sentences
  OptionValue value;

  [[nodiscard]] bool IsSwitch() const { return std::holds_alternative<SwitchValue>(value); }
  [[nodiscard]] const ListValue* AsList() const { return std::get_if<ListValue>(&value); }
  [[nodiscard]] const TextsValue* AsTexts() const { return std::get_if<TextsValue>(&value); }
  [[nodiscard]] bool MayBeRepeated() const { return AsList() != nullptr || AsTexts() != nullptr; }
};

std::span<const Option> OptionTable();

// Flags that are not keys of the file: --config and --help.
struct CommandFlag {
  std::string_view name;
  std::string_view value_name;
  std::string_view help;
};
inline constexpr CommandFlag kConfigFlag = {
    "config", "FILE", "Reads options from a TOML file; laurel config prints one to start from."};
inline constexpr CommandFlag kHelpFlag = {"help", "", "Prints this text; so does -h."};

// The type of a value in the file.
enum class FileType : std::uint8_t { kString, kInteger, kBoolean, kOther };
// Whether the file may give the option a value of this type, or a list of texts one item of this
// type. REQUIRES: the option is not a list of tables.
bool TakesFileType(const Option& option, FileType type);

// What the option accepts, such as "a number from 0 to 65535".
std::string Expected(const Option& option);

// Sets the option from the text of a flag or of a value in the file; adds one item to a list. The
// ERR message does not name the option: "expected a number from 0 to 65535, got '70000'".
Status SetOption(const Option& option, std::string_view text, Config* config);

// Removes all items. REQUIRES: the option may be repeated.
void ClearOption(const Option& option, Config* config);

// Whether the option has the same value in both.
bool IsSame(const Option& option, const Config& a, const Config& b);

// The default as written in the file: `7600`, `"127.0.0.1"`, `"64mb"`. None if there is no default.
std::optional<std::string> DefaultText(const Option& option);

}  // namespace laurel::server
