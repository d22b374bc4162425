#include "wire/command_reference.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "wire/command_table.h"

namespace laurel::wire {
namespace {

constexpr std::string_view kIntroduction =
    R"(<!-- Made from the command table (src/wire/command_rows_*.cc). Do not edit: the test that finds this
     page stale says how to write it anew. -->
# Commands

Every command Laurel knows, over RESP2 and RESP3. `COMMAND`, `COMMAND DOCS`, arity errors, access
checks and this page come from one table. Redis' commands mean what Redis says; where they differ on
purpose is in [differences.md](differences.md).

## How to read this page

| written | means |
|---|---|
| `WORD` | said as it is, in any case |
| `word` | a value of yours in its place |
| `a\|b` | one of them |
| `[…]` | may be left out |
| `[word …]` | any number of times, none included |
| `key`, `board` | the name of a board |
| `n`, `m`, … in a cost | n: entries of the board; others are explained beside it |

The **role** is what a token must have for the command; each role may do what those above it may.
Without tokens everybody is `admin`. With a role below admin, `LB.CREATE` only compares: if the
leaderboard is declared so already the reply is OK, else `NOPERM`.

| role | may |
|---|---|
| `none` | `AUTH`, `HELLO`, `RESET` and `QUIT`: show a token, or leave |
| `read` | read boards, use transactions, ask the server about itself |
| `submit` | `LB.SUBMIT` and `LB.MSUBMIT`, without `AT` |
| `write` | every write of entries, `AT`, removals, hiding |
| `admin` | boards, templates, keys, connections of others, settings, the server |

## Contents

)";

struct Section {
  Group group;
  std::string_view title;
  std::string_view introduction;
};

constexpr std::array<Section, 6> kSections = {{
    {Group::kLeaderboard, "Leaderboards",
     "Ranks are 1-based, best first. A write answers with a verdict, a read with entries: maps in "
     "RESP3, flat arrays of names and values in RESP2. `value …` is one value per field of the "
     "board."},
    {Group::kSortedSet, "Sorted sets",
     "Redis' own, on sorted sets and on leaderboards. Ranks are 0-based. On a leaderboard scores "
     "are exact, ties follow its tie rule, and a score is its first field."},
    {Group::kKeys, "Keys and expiry", "A key is a board that has entries."},
    {Group::kTransactions, "Transactions",
     "What stands between MULTI and EXEC runs in one piece. As in Redis, a command in it that "
     "fails "
     "does not undo the others."},
    {Group::kConnection, "Connections", ""},
    {Group::kServer, "The server",
     "What clients, tools and consoles ask of a Redis server. Commands that have no meaning here "
     "are known all the same, so that those who send them at start go on."},
}};

// Wraps a long usage between its parts, never inside brackets.
std::string Wrapped(const std::string& usage) {
  constexpr std::size_t kColumns = 96;
  std::string text;
  std::size_t line_begin = 0;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= usage.size(); ++at) {
    if (at < usage.size()) {
      if (usage[at] == '[') ++depth;
      if (usage[at] == ']') --depth;
      if (usage[at] != ' ' || depth > 0) continue;
    }
    const std::string part = usage.substr(begin, at - begin);
    if (!text.empty() && text.size() - line_begin + 1 + part.size() > kColumns) {
      text += "\n   ";
      line_begin = text.size() - 3;
    }
    if (!text.empty()) text += ' ';
    text += part;
    begin = at + 1;
  }
  return text;
}

// Role, cost and restrictions: "Role `write` · O(log n) · refused beyond `--max-memory`".
std::string Properties(const CommandInfo& command) {
  std::string text = "Role `";
  text.append(RoleName(command.role)).append("`");
  if (command.Has(kComparesBelowRole)) text += ", below it only compares";
  text.append(" · ").append(command.complexity);
  if (command.Has(kDenyOom)) text += " · refused beyond `--max-memory`";
  if (command.Has(kBlocking)) text += " · may wait";
  if (command.Has(kNoMulti)) text += " · not between MULTI and EXEC";
  return text;
}

// The anchor that Markdown viewers give a heading: lower case, '-' for blanks, no dots.
std::string Anchor(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    if (c == '.') continue;
    if (c == ' ') {
      anchor += '-';
    } else {
      anchor += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    }
  }
  return anchor;
}

std::string Link(std::string_view heading) {
  return std::string("[").append(heading).append("](#").append(Anchor(heading)).append(")");
}

void AddContents(std::string* page) {
  for (const Section& section : kSections) {
    page->append("- ").append(Link(section.title)).append(":");
    std::string_view separator = " ";
    for (const CommandInfo& command : CommandTable()) {
      if (command.group != section.group || IsSubcommand(command)) continue;
      page->append(separator).append(Link(command.name));
      separator = " · ";
    }
    page->append("\n");
  }
}

void AddCommand(const CommandInfo& command, std::string* page) {
  page->append("\n### ").append(command.name).append("\n\n");
  if (!command.Has(kContainer) || command.AcceptsCount(1)) {
    page->append("```\n").append(Wrapped(UsageOf(command))).append("\n```\n\n");
    page->append(command.summary).append("\n\n").append(Properties(command)).append("\n");
  } else {
    page->append(command.summary).append("\n");
  }
  const std::span<const CommandInfo> subcommands = SubcommandsOf(command);
  if (!subcommands.empty()) page->append("\n");
  for (const CommandInfo& subcommand : subcommands) {
    page->append("- `").append(UsageOf(subcommand)).append("`<br>\n  ");
    page->append(subcommand.summary).append("<br>\n  ");
    page->append(Properties(subcommand)).append("\n");
  }
}

}  // namespace

std::string CommandReference() {
  std::string page(kIntroduction);
  AddContents(&page);
  for (const Section& section : kSections) {
    page.append("\n## ").append(section.title).append("\n");
    if (!section.introduction.empty()) page.append("\n").append(section.introduction).append("\n");
    for (const CommandInfo& command : CommandTable()) {
      if (command.group == section.group && !IsSubcommand(command)) AddCommand(command, &page);
    }
  }
  return page;
}

}  // namespace laurel::wire
