// Texts generated from the table of options: --help and the default file.
#include <algorithm>
#include <sstream>

#include "server/config/option_table.h"
#include "server/config/toml_text.h"

namespace laurel::server {
namespace {

// Wraps `text` into lines of at most 100 columns, each prefixed with `indent`.
std::string Wrap(std::string_view text, const std::string& indent) {
  constexpr std::size_t kColumns = 100;
  std::string wrapped;
  std::string line;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > kColumns) {
      wrapped += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return wrapped + indent + line + "\n";
}

// Formats the flag on one line and its help on the lines below.
std::string HelpEntry(std::string_view name, std::string_view value_name, std::string_view remark,
                      std::string_view help) {
  std::string line = "  --" + std::string(name);
  if (!value_name.empty()) line += " " + std::string(value_name);
  if (!remark.empty()) line += "  (" + std::string(remark) + ")";
  return line + "\n" + Wrap(help, "      ");
}

// The default value without TOML quotes; "may be repeated" for a list.
std::string HelpRemark(const Option& option) {
  if (option.MayBeRepeated()) return "may be repeated";
  std::string shown = DefaultText(option).value_or("");
  if (shown.empty() || option.IsSwitch()) return "";
  if (shown.starts_with('"')) shown = shown.substr(1, shown.size() - 2);
  return "default: " + shown;
}

std::vector<const Option*> OptionsOf(Section section) {
  std::vector<const Option*> options;
  for (const Option& option : OptionTable()) {
    if (option.section == section) options.push_back(&option);
  }
  return options;
}

// One commented-out table of a list option, with an example of each key.
std::string ExampleItem(const Option& option, const ListValue& list) {
  std::string text = "#[[" + std::string(option.name) + "]]\n";
  for (const ItemKey& key : list.keys) {
    text += "#" + std::string(key.name) + " = " + TomlString(key.example) + "\n";
  }
  return text;
}

}  // namespace

std::string ServeHelp() {
  std::string text =
      "usage: laurel serve [OPTIONS]\n"
      "\n"
      "Serves boards to Redis clients. Every option but --config and --help is also a key of the\n"
      "configuration file, under the same name; a flag overrides the file.\n";
  for (const Section section : kSections) {
    text += "\n" + std::string(SectionTitle(section)) + ":\n";
    for (const Option* option : OptionsOf(section)) {
      text += HelpEntry(option->name, option->value_name, HelpRemark(*option), option->help);
    }
  }
  text += "\nOther:\n";
  for (const CommandFlag& flag : {kConfigFlag, kHelpFlag}) {
    text += HelpEntry(flag.name, flag.value_name, "", flag.help);
  }
  text +=
      "\nSizes are bytes or such as 512kb, 64mb, 1gb. Durations are such as 500ms, 90s, 15m, 12h, "
      "30d.\n";
  return text;
}

std::string DefaultConfigFile() {
  std::string text = Wrap(
      "Configuration of laurel serve: every key with its default. Remove the '#' in front of a key "
      "to change it, and start with laurel serve --config FILE. Each key is also a flag, which "
      "overrides this file.",
      "# ");
  for (const Section section : kSections) {
    std::string keys;
    for (const Option* option : OptionsOf(section)) {
      if (option->AsList() != nullptr) continue;
      const std::string value = DefaultText(*option).value_or(std::string(option->example));
      keys +=
          "\n" + Wrap(option->help, "# ") + "#" + std::string(option->name) + " = " + value + "\n";
    }
    text += "\n# ---- " + std::string(SectionTitle(section)) + " ----\n" + keys;
  }
  // In TOML a key after a table would belong to the table, so the lists come last.
  for (const Option& option : OptionTable()) {
    const ListValue* list = option.AsList();
    if (list == nullptr) continue;
    text += "\n# ---- " + std::string(option.name) + ": may be repeated ----\n\n" +
            Wrap(option.help, "# ");
    for (const ItemKey& key : list->keys) {
      text += Wrap(std::string(key.name) + ": " + std::string(key.help), "# ");
    }
    text += ExampleItem(option, *list);
  }
  return text;
}

}  // namespace laurel::server
