// Texts generated from the table of options: --help, the default file, docs/configuration.md.
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

// The flag on one line, its help on the lines below.
std::string HelpEntry(std::string_view name, std::string_view value_name, std::string_view remark,
                      std::string_view help) {
  std::string line = "  --" + std::string(name);
  if (!value_name.empty()) line += " " + std::string(value_name);
  if (!remark.empty()) line += "  (" + std::string(remark) + ")";
  return line + "\n" + Wrap(help, "      ");
}

// The default without the quotes that the file needs; "may be repeated" for a list.
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

// One table of a list option, with an example of each key.
std::string ExampleItem(const Option& option, const ListValue& list, const std::string& prefix) {
  std::string text = prefix + "[[" + std::string(option.name) + "]]\n";
  for (const ItemKey& key : list.keys) {
    text += prefix + std::string(key.name) + " = " + TomlString(key.example) + "\n";
  }
  return text;
}

// Escapes text for a cell of a Markdown table.
std::string Cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

std::string PageRow(const Option& option) {
  const std::optional<std::string> shown = DefaultText(option);
  return "| `" + std::string(option.name) + "` | " + (shown ? "`" + *shown + "`" : "not set") +
         " | " + Cell(option.help) + " |\n";
}

std::string PageList(const Option& option, const ListValue& list) {
  std::string text = "\n### `[[" + std::string(option.name) + "]]`\n\n";
  text += std::string(option.help) + "\n\n";
  text += "| key | default | meaning |\n|---|---|---|\n";
  for (const ItemKey& key : list.keys) {
    const std::string shown =
        key.default_text ? "`" + TomlString(*key.default_text) + "`" : "must be given";
    text += "| `" + std::string(key.name) + "` | " + shown + " | " + Cell(key.help) + " |\n";
  }
  text += "\n```toml\n" + ExampleItem(option, list, "") + "```\n\n";
  text +=
      "As a flag: `--" + std::string(option.name) + " '" + std::string(option.value_name) + "'`.\n";
  return text;
}

constexpr std::string_view kPageHead =
    "# Configuration of `laurel serve`\n"
    "\n"
    "<!-- Generated from the table in src/server/config/option_table.cc; a test fails when this "
    "page is "
    "stale. -->\n"
    "\n"
    "Every option is a flag (`--max-memory 2gb`) and, under the same name, a key of the TOML file\n"
    "that `--config FILE` names (`max-memory = \"2gb\"`). A flag overrides the file; a flag that "
    "may "
    "be\n"
    "repeated replaces the file's whole list. `laurel config` prints a file with every key and "
    "its\n"
    "default; `laurel serve --help` explains them too. An unknown key or flag, a value out of "
    "range "
    "and\n"
    "a key given twice are errors: the server says which, where and what it expected, and does "
    "not\n"
    "start.\n"
    "\n"
    "- **Sizes** are bytes or digits with `kb`, `mb`, `gb` or `tb` (1kb is 1024 bytes): `64mb`.\n"
    "- **Durations** are digits with `us`, `ms`, `s`, `m`, `h` or `d`: `500ms`, `90s`, `15m`, "
    "`12h`,\n"
    "  `30d`; `0` needs no unit.\n"
    "- **Patterns** are globs as in Redis: `*`, `?`, `[a-z]`, `[^x]`, `\\` in front of a byte "
    "that\n"
    "  stands for itself.\n"
    "- **Lists** of texts are arrays of strings in the file, and flags that may be repeated.\n"
    "- **Paths** are relative to the directory the server was started in.\n";

constexpr std::string_view kPageTokens =
    "\n"
    "`laurel token [ROLE] [BOARDS] [--name NAME]` makes a random token, prints it once, on "
    "standard\n"
    "error, and prints the lines for the file on standard output:\n"
    "`laurel token submit 'rank:*' >> laurel.toml` adds one that may submit to boards `rank:…` "
    "and\n"
    "read them. Roles build on each other: `read`, `submit`, `write`, `admin`. The pattern of a "
    "`--token`\n"
    "may contain colons.\n";

constexpr std::string_view kPageTemplates =
    "\n"
    "`--template 'rank:*=FIELDS 1 score:int'` splits at the first `=`: a pattern that contains "
    "one\n"
    "goes into the file.\n";

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
    text += ExampleItem(option, *list, "#");
  }
  return text;
}

std::string ConfigurationPage() {
  std::string text(kPageHead);
  for (const Section section : kSections) {
    text += "\n## " + std::string(SectionTitle(section)) + "\n\n";
    text += "| key | default | meaning |\n|---|---|---|\n";
    for (const Option* option : OptionsOf(section)) {
      if (option->AsList() == nullptr) text += PageRow(*option);
    }
    for (const Option* option : OptionsOf(section)) {
      if (const ListValue* list = option->AsList()) text += PageList(*option, *list);
    }
    if (section == Section::kAccess) text += kPageTokens;
    if (section == Section::kBoards) text += kPageTemplates;
  }
  return text;
}

}  // namespace laurel::server
