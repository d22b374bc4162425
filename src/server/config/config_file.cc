// Reads the configuration file, which is TOML, by the table of options.
#include <algorithm>
#include <optional>
#include <utility>

// For a file with "[#", version 3.3.0 of toml++ asserts a condition that does not hold (without
// NDEBUG), or makes the optimiser assume it (with NDEBUG). With both disabled, the parser reaches
// its own check and reports the error.
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "base/nearest.h"
#include "base/text.h"
#include "server/config/option_table.h"

namespace laurel::server {
namespace {

using base::Quote;

// Reads a file. Its error messages begin with the path and the position.
class FileReader {
 public:
  FileReader(std::string_view path, Config* config) : path_(path), config_(config) {}

  Status Read(std::string_view text) {
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
      return Refuse(parsed.error().source(), std::string(parsed.error().description()));
    }
    for (const auto& [key, node] : parsed.table()) {
      const Option* option = Find(key.str());
      if (option == nullptr) return Refuse(key.source(), UnknownKey(key.str(), TopNames()));
      Status read = ReadValue(*option, node);
      if (!read.ok()) return read;
    }
    return Ok{};
  }

 private:
  Error Refuse(const toml::source_region& where, const std::string& what) const {
    return {ErrorCode::kErr, path_ + ":" + std::to_string(where.begin.line) + ":" +
                                 std::to_string(where.begin.column) + ": " + what};
  }

  static const Option* Find(std::string_view name) {
    const auto table = OptionTable();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [name](const Option& option) { return option.name == name; });
    return found == table.end() ? nullptr : &*found;
  }

  static std::vector<std::string_view> TopNames() {
    std::vector<std::string_view> names;
    for (const Option& option : OptionTable()) names.push_back(option.name);
    return names;
  }

  static std::string UnknownKey(std::string_view name, std::span<const std::string_view> known) {
    std::string message = "unknown key " + Quote(name);
    if (const auto nearest = base::Nearest(name, known)) {
      message += "; did you mean '" + std::string(*nearest) + "'?";
    }
    return message;
  }

  // A string, integer or boolean as text.
  static std::pair<FileType, std::string> Scalar(const toml::node& node) {
    if (const auto* text = node.as_string()) return {FileType::kString, text->get()};
    if (const auto* number = node.as_integer()) {
      return {FileType::kInteger, std::to_string(number->get())};
    }
    if (const auto* boolean = node.as_boolean()) {
      return {FileType::kBoolean, boolean->get() ? "true" : "false"};
    }
    return {FileType::kOther, ""};
  }

  static std::string_view TypeName(const toml::node& node) {
    switch (node.type()) {
      case toml::node_type::string:
        return "a string";
      case toml::node_type::integer:
        return "an integer";
      case toml::node_type::floating_point:
        return "a number with a point";
      case toml::node_type::boolean:
        return "a boolean";
      case toml::node_type::array:
        return "an array";
      case toml::node_type::table:
        return "a table";
      default:
        return "a date or time";
    }
  }

  Status ReadValue(const Option& option, const toml::node& node) {
    if (const ListValue* list = option.AsList()) {
      return ReadItems(option, node, TablesOf(option),
                       [&](const toml::node& item) { return ReadItem(option, *list, item); });
    }
    if (option.AsTexts() == nullptr) return ReadScalar(option, node);
    return ReadItems(option, node, "an array of strings",
                     [&](const toml::node& item) { return ReadScalar(option, item); });
  }

  static std::string TablesOf(const Option& option) {
    return "[[" + std::string(option.name) + "]] " + Expected(option);
  }

  Error RefuseType(const Option& option, const toml::node& node,
                   const std::string& expected) const {
    return Refuse(node.source(), std::string(option.name) + ": expected " + expected + ", got " +
                                     std::string(TypeName(node)));
  }

  template <typename Read>
  Status ReadItems(const Option& option, const toml::node& node, const std::string& expected,
                   const Read& read) const {
    const toml::array* items = node.as_array();
    if (items == nullptr) return RefuseType(option, node, expected);
    for (const toml::node& item : *items) {
      if (Status done = read(item); !done.ok()) return done;
    }
    return Ok{};
  }

  Status ReadScalar(const Option& option, const toml::node& node) {
    const std::string name(option.name);
    const auto [type, text] = Scalar(node);
    if (!TakesFileType(option, type)) {
      std::string got(TypeName(node));
      if (type != FileType::kOther) got += " " + Quote(text);
      return Refuse(node.source(), name + ": expected " + Expected(option) + ", got " + got);
    }
    const Status set = SetOption(option, text, config_);
    if (!set.ok()) return Refuse(node.source(), name + ": " + set.error().message);
    return Ok{};
  }

  Status ReadItem(const Option& option, const ListValue& list, const toml::node& item) {
    const std::string name(option.name);
    const toml::table* table = item.as_table();
    if (table == nullptr) return RefuseType(option, item, TablesOf(option));
    std::vector<std::optional<std::string>> given(list.keys.size());
    for (const auto& [key, node] : *table) {
      const std::string_view key_name = key.str();
      const auto found =
          std::find_if(list.keys.begin(), list.keys.end(),
                       [key_name](const ItemKey& known) { return known.name == key_name; });
      if (found == list.keys.end()) {
        std::vector<std::string_view> names;
        for (const ItemKey& known : list.keys) names.push_back(known.name);
        return Refuse(key.source(), name + ": " + UnknownKey(key_name, names));
      }
      const auto [type, text] = Scalar(node);
      if (type != FileType::kString) {
        return Refuse(node.source(), name + ": " + std::string(found->name) +
                                         ": expected a string, got " + std::string(TypeName(node)));
      }
      given[static_cast<std::size_t>(found - list.keys.begin())] = text;
    }
    return AddItem(option, list, *table, given);
  }

  Status AddItem(const Option& option, const ListValue& list, const toml::table& table,
                 const std::vector<std::optional<std::string>>& given) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < list.keys.size(); ++i) {
      const ItemKey& key = list.keys[i];
      if (!given[i] && !key.default_text) {
        return Refuse(table.source(), std::string(option.name) + ": '" + std::string(key.name) +
                                          "' is missing; expected " + Expected(option));
      }
      values.push_back(given[i] ? *given[i] : std::string(*key.default_text));
    }
    const Status added = list.add(config_, values);
    if (!added.ok()) {
      return Refuse(table.source(), std::string(option.name) + ": " + added.error().message);
    }
    return Ok{};
  }

  std::string path_;
  Config* config_;
};

}  // namespace

Status ReadConfigText(std::string_view text, std::string_view path, Config* config) {
  return FileReader(path, config).Read(text);
}

}  // namespace laurel::server
