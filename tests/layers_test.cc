// Enforces the layers of docs/architecture.md and the rooms (folders) inside them: reads every
// source file under src/ and include/ and checks each #include against two tables.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/files.h"

namespace laurel {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string_view>;

// Headers of the requests to a leaderboard and its answers. They do not include core, so a layer
// that only describes leaderboards may use them.
const Names kLeaderboardVocabulary = {"operation.h", "answer.h", "answer_shape.h", "limits.h"};

// A folder of src/, and the folders it may include besides itself.
struct Layer {
  std::string_view name;
  Names uses;
  bool speaks_of_leaderboards = false;  // may include kLeaderboardVocabulary of leaderboard
};

const std::vector<Layer>& Layers() {
  static const std::vector<Layer> layers = {
      {"base", {}},
      {"codecs", {"base"}},
      {"core", {"base"}},
      {"storage", {"base"}},
      {"leaderboard", {"base", "core"}},
      {"calendar", {"base", "leaderboard"}},
      {"wire", {"base"}, /*speaks_of_leaderboards=*/true},
      {"client", {"base", "wire"}},
      {"http", {"base", "wire"}, /*speaks_of_leaderboards=*/true},
      {"engine", {"base", "core", "leaderboard", "calendar", "storage", "wire"}},
      {"module", {"base", "core", "leaderboard", "calendar", "wire"}},
      {"server", {"base", "wire", "http", "engine"}, /*speaks_of_leaderboards=*/true},
      {"api", {"base", "core", "leaderboard"}},
      {"transfer",
       {"base", "codecs", "core", "leaderboard", "calendar", "storage", "wire", "client",
        "engine"}},
      {"cli",
       {"base", "client", "codecs", "core", "leaderboard", "storage", "wire", "engine", "server",
        "api", "transfer"}},
  };
  return layers;
}

// A room: the files directly in one folder of a layer, and the rooms of the same layer that they
// may include besides their own. If a layer has a row here, each of its folders has one.
struct Room {
  std::string_view name;
  Names uses;
};

const std::vector<Room>& Rooms() {
  static const std::vector<Room> rooms = {
      {"core/store", {}},
      {"core", {"core/store"}},
      {"engine", {}},
      {"engine/journal", {"engine"}},
      {"engine/keyspace", {"engine", "engine/journal"}},
      {"engine/commands", {"engine", "engine/keyspace"}},
      {"engine/disk", {"engine", "engine/journal", "engine/keyspace"}},
      {"engine/feeds", {"engine", "engine/journal", "engine/keyspace"}},
      {"engine/embedded",
       {"engine", "engine/commands", "engine/disk", "engine/feeds", "engine/journal",
        "engine/keyspace"}},
      {"server/config", {}},
      {"server/logs", {}},
      {"server/figures", {"server/config"}},
      {"server/access", {"server/config", "server/figures", "server/logs"}},
      {"server/net", {"server/config", "server/figures", "server/logs"}},
      {"server/resp",
       {"server/access", "server/config", "server/figures", "server/logs", "server/net"}},
      {"server/http",
       {"server/access", "server/config", "server/figures", "server/logs", "server/net"}},
      {"server",
       {"server/access", "server/config", "server/figures", "server/http", "server/logs",
        "server/net", "server/resp"}},
      {"transfer/text", {}},
      {"transfer/report", {}},
      {"transfer/draft", {"transfer/text"}},
      {"transfer/folders", {"transfer/draft", "transfer/text"}},
      {"transfer/sources",
       {"transfer/draft", "transfer/folders", "transfer/report", "transfer/text"}},
      {"transfer/targets", {"transfer/draft", "transfer/folders"}},
      {"transfer",
       {"transfer/draft", "transfer/folders", "transfer/report", "transfer/sources",
        "transfer/targets", "transfer/text"}},
  };
  return rooms;
}

// Public headers of value types, which every layer may include. The others declare the API itself;
// only kLayersOnTheApi may include them, and a layer those that have its own name or that of a
// layer it uses (codecs.h).
const Names kVocabulary = {"result.h", "limits.h", "spec.h",        "score.h",   "entry.h",
                           "period.h", "stamp.h",  "stamp_clock.h", "calendar.h"};
const Names kLayersOnTheApi = {"api", "cli"};

// Core has no clock, thread, file, socket or log line.
const Names kNotInCore = {"chrono",  "condition_variable", "ctime", "filesystem",   "fstream",
                          "future",  "iostream",           "mutex", "shared_mutex", "thread",
                          "unistd.h"};

bool Has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct Include {
  bool angled = false;  // <…> rather than "…"
  std::string path;
};

// The file that the line includes; nullopt if the line is not an #include.
std::optional<Include> ParseInclude(std::string_view line) {
  const auto skip_blanks = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  const auto skip = [&line](std::string_view text) {
    if (!line.starts_with(text)) return false;
    line.remove_prefix(text.size());
    return true;
  };
  skip_blanks();
  if (!skip("#")) return std::nullopt;
  skip_blanks();
  if (!skip("include")) return std::nullopt;
  skip_blanks();
  const bool angled = line.starts_with('<');
  if (!angled && !line.starts_with('"')) return Include{false, std::string(line)};
  const std::size_t end = line.find(angled ? '>' : '"', 1);
  if (end == std::string_view::npos) return Include{angled, std::string(line)};
  return Include{angled, std::string(line.substr(1, end - 1))};
}

std::string_view FirstFolder(std::string_view path) { return path.substr(0, path.find('/')); }

// "server/net" for "server/net/event_loop.h".
std::string_view FolderOf(std::string_view path) { return path.substr(0, path.rfind('/')); }

bool HasRooms(std::string_view layer) {
  return std::any_of(Rooms().begin(), Rooms().end(),
                     [layer](const Room& room) { return FirstFolder(room.name) == layer; });
}

const Room* FindRoom(std::string_view name) {
  const auto found = std::find_if(Rooms().begin(), Rooms().end(),
                                  [name](const Room& room) { return room.name == name; });
  return found == Rooms().end() ? nullptr : &*found;
}

bool IsTest(std::string_view file) { return file.ends_with("_test.cc"); }

// <vector>, <cstdint>: a name without folder and extension.
bool IsStandardHeader(const Include& include) {
  return include.angled && include.path.find_first_of("/.") == std::string::npos;
}

// The reason why a public header may not include this; empty if it may.
std::string CheckPublicInclude(const Include& include) {
  if (IsStandardHeader(include)) return "";
  if (!include.angled && FirstFolder(include.path) == "laurel") return "";
  return "a public header includes the standard library and \"laurel/…\" only";
}

// The reason why a file of the room may not include this file of its own layer; empty if it may.
// `room` is null if the layer has no rooms.
std::string CheckRoomInclude(const Room* room, std::string_view path) {
  if (room == nullptr) return "";
  const std::string_view other = FolderOf(path);
  if (other == room->name || Has(room->uses, other)) return "";
  return "room " + std::string(room->name) + " may not use " + std::string(other);
}

// The reason why a file of the layer may not include this; empty if it may.
std::string CheckLayerInclude(const Layer& layer, const Room* room, bool test,
                              const Include& include) {
  if (include.angled) {
    if (FirstFolder(include.path) == "laurel") return "own headers stand in quotes";
    if (FirstFolder(include.path) == "gtest" && !test) return "GoogleTest belongs into *_test.cc";
    const bool system = FirstFolder(include.path) == "sys" || Has(kNotInCore, include.path);
    if (layer.name == "core" && !test && system) {
      return "core has no clock, thread, file, socket or log line";
    }
    return "";
  }
  const std::size_t slash = include.path.find('/');
  if (slash == std::string::npos || include.path.find("..") != std::string::npos) {
    return "a path starts at src/ or include/";
  }
  const std::string_view folder = FirstFolder(include.path);
  if (folder == "laurel") {
    const std::string_view header = std::string_view(include.path).substr(slash + 1);
    if (Has(kVocabulary, header) || Has(kLayersOnTheApi, layer.name)) return "";
    if (header == std::string(layer.name) + ".h") return "";
    if (Has(layer.uses, std::string_view(header).substr(0, header.size() - 2))) return "";
    return "only api and cli use the public API itself";
  }
  if (folder == "tests" && test) return "";
  if (folder == layer.name) return CheckRoomInclude(room, include.path);
  if (Has(layer.uses, folder)) return "";
  if (folder == "leaderboard" && layer.speaks_of_leaderboards) {
    const std::string_view header = std::string_view(include.path).substr(slash + 1);
    if (Has(kLeaderboardVocabulary, header)) return "";
    return std::string(layer.name) + " uses the vocabulary of leaderboard only";
  }
  return std::string(layer.name) + " may not use " + std::string(folder);
}

// All problems of a file with this text. `file` is its path from the root of the tree.
std::vector<std::string> CheckFile(const std::string& file, const std::string& text) {
  std::vector<std::string> problems;
  const Layer* layer = nullptr;
  const Room* room = nullptr;
  const bool is_public = file.starts_with("include/laurel/");
  if (!is_public) {
    const std::string_view in_src =
        file.starts_with("src/") ? std::string_view(file).substr(4) : std::string_view();
    const auto found =
        std::find_if(Layers().begin(), Layers().end(), [in_src](const Layer& candidate) {
          return in_src.find('/') != std::string_view::npos &&
                 candidate.name == FirstFolder(in_src);
        });
    if (found == Layers().end()) return {file + ": is in no folder of the layer table"};
    layer = &*found;
    room = FindRoom(FolderOf(in_src));
    if (room == nullptr && HasRooms(layer->name)) {
      return {file + ": is in no room of the table of rooms"};
    }
  }
  if (file.ends_with(".h")) {
    if (!text.starts_with("//")) problems.push_back(file + ":1: a header starts with a comment");
    if (text.find("\n#pragma once\n") == std::string::npos) {
      problems.push_back(file + ": a header has #pragma once");
    }
  }
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::optional<Include> include = ParseInclude(line);
    if (!include) continue;
    const std::string problem = is_public ? CheckPublicInclude(*include)
                                          : CheckLayerInclude(*layer, room, IsTest(file), *include);
    if (!problem.empty()) {
      problems.push_back(file + ":" + std::to_string(number) + ": " + include->path + ": " +
                         problem);
    }
  }
  return problems;
}

// The text of every source file, by its path from the root of the tree.
const std::map<std::string, std::string>& Sources() {
  static const std::map<std::string, std::string> sources = [] {
    const fs::path root = LAUREL_SOURCE_DIR;
    std::map<std::string, std::string> found;
    for (const char* top : {"src", "include"}) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
        if (!entry.is_regular_file() || entry.path().filename() == "CMakeLists.txt") continue;
        found[fs::relative(entry.path(), root).generic_string()] = ReadFile(entry.path());
      }
    }
    return found;
  }();
  return sources;
}

TEST(Layers, EverySourceFileFollowsTheTables) {
  EXPECT_GT(Sources().size(), 20U) << "the tree was not found";
  for (const auto& [file, text] : Sources()) {
    for (const std::string& problem : CheckFile(file, text)) ADD_FAILURE() << problem;
  }
}

// Cycles ---------------------------------------------------------------------------------------

// The names that each name uses: included files, or the rooms of the table.
using Graph = std::map<std::string, std::vector<std::string>>;

// A path from a name back to itself, as "a > b > a"; empty if there is none.
std::string FindCircle(const Graph& graph) {
  std::vector<std::string> way;
  std::set<std::string> finished;
  const std::function<std::string(const std::string&)> visit = [&](const std::string& name) {
    const auto again = std::find(way.begin(), way.end(), name);
    if (again != way.end()) {
      std::string circle;
      for (auto at = again; at != way.end(); ++at) circle += *at + " > ";
      return circle + name;
    }
    const auto found = graph.find(name);
    if (found == graph.end() || finished.count(name) > 0) return std::string();
    way.push_back(name);
    for (const std::string& used : found->second) {
      if (std::string circle = visit(used); !circle.empty()) return circle;
    }
    way.pop_back();
    finished.insert(name);
    return std::string();
  };
  for (const auto& [name, uses] : graph) {
    if (std::string circle = visit(name); !circle.empty()) return circle;
  }
  return "";
}

TEST(Layers, IncludesHaveNoCycle) {
  Graph includes;
  for (const auto& [file, text] : Sources()) {
    const std::string name = file.substr(file.find('/') + 1);  // as written in an #include
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::optional<Include> include = ParseInclude(line);
      if (include && !include->angled) includes[name].push_back(include->path);
    }
  }
  EXPECT_EQ(FindCircle(includes), "");
}

TEST(Layers, TableOfRoomsIsConsistentAndHasNoCycle) {
  Graph uses;
  for (const Room& room : Rooms()) {
    uses[std::string(room.name)].assign(room.uses.begin(), room.uses.end());
    EXPECT_NE(
        std::find_if(Layers().begin(), Layers().end(),
                     [&](const Layer& layer) { return layer.name == FirstFolder(room.name); }),
        Layers().end())
        << room.name;
    for (const std::string_view other : room.uses) {
      EXPECT_NE(FindRoom(other), nullptr) << other;
      EXPECT_EQ(FirstFolder(other), FirstFolder(room.name)) << other;
    }
  }
  EXPECT_EQ(FindCircle(uses), "");
}

// The check itself ---------------------------------------------------------------------------

bool Accepts(const std::string& file, const std::string& line) {
  const std::string header = file.ends_with(".h") ? "// A header.\n#pragma once\n" : "";
  return CheckFile(file, header + line + "\n").empty();
}

TEST(LayersCheck, AcceptsIncludesThatTheTableAllows) {
  EXPECT_TRUE(Accepts("src/core/standings.h", "#include \"base/bytes.h\""));
  EXPECT_TRUE(Accepts("src/core/standings.cc", "#include \"core/standings.h\""));
  EXPECT_TRUE(Accepts("src/base/result.cc", "#include \"laurel/result.h\""));
  EXPECT_TRUE(Accepts("src/base/memory.cc", "#include <sys/mman.h>"));
  EXPECT_TRUE(Accepts("src/engine/embedded/engine.cc", "#include \"storage/log.h\""));
  EXPECT_TRUE(Accepts("src/wire/words.h", "#include \"leaderboard/operation.h\""));
  EXPECT_TRUE(Accepts("src/api/board.cc", "#include \"laurel/board.h\""));
  EXPECT_TRUE(Accepts("src/codecs/codec.cc", "#include \"laurel/codecs.h\""));
  EXPECT_TRUE(Accepts("src/cli/demo.h", "#include \"laurel/laurel.h\""));
  EXPECT_TRUE(Accepts("src/core/board_test.cc", "#include <gtest/gtest.h>"));
  EXPECT_TRUE(Accepts("src/core/board_test.cc", "#include \"tests/model/naive_board.h\""));
  EXPECT_TRUE(Accepts("include/laurel/board.h", "#include <vector>"));
  EXPECT_TRUE(Accepts("include/laurel/board.h", "#include \"laurel/entry.h\"  // why"));
}

TEST(LayersCheck, ReportsAForbiddenInclude) {
  EXPECT_FALSE(Accepts("src/base/bytes.h", "#include \"core/standings.h\""));
  EXPECT_FALSE(Accepts("src/core/standings.cc", "#include \"storage/log.h\""));
  EXPECT_FALSE(Accepts("src/core/standings.cc", "  #  include \"api/board.h\""));
  EXPECT_FALSE(Accepts("src/storage/log.cc", "#include \"core/standings.h\""));
  EXPECT_FALSE(Accepts("src/wire/words.h", "#include \"leaderboard/leaderboard.h\""));
  EXPECT_FALSE(Accepts("src/wire/words.h", "#include \"core/standings.h\""));
  EXPECT_FALSE(Accepts("src/server/figures/info.cc", "#include \"core/standings.h\""));
  EXPECT_FALSE(Accepts("src/api/board.cc", "#include \"cli/demo.h\""));
  EXPECT_FALSE(Accepts("src/core/standings.cc", "#include \"laurel/board.h\""));
  EXPECT_FALSE(Accepts("src/core/standings.cc", "#include \"laurel/codecs.h\""));
  EXPECT_FALSE(Accepts("src/codecs/codec.cc", "#include \"laurel/board.h\""));
  EXPECT_FALSE(Accepts("src/core/standings.cc", "#include <laurel/board.h>"));
  EXPECT_FALSE(Accepts("src/core/board_test.cc", "#include \"laurel/laurel.h\""));
  EXPECT_FALSE(Accepts("src/core/standings.cc", "#include \"board.h\""));
  EXPECT_FALSE(Accepts("src/core/standings.cc", "#include \"../base/bytes.h\""));
  EXPECT_FALSE(Accepts("src/core/standings.cc", "#include \"base/../storage/log.h\""));
  EXPECT_FALSE(Accepts("src/core/standings.cc", "#include \"tests/model/naive_board.h\""));
  EXPECT_FALSE(Accepts("src/core/standings.cc", "#include <gtest/gtest.h>"));
  EXPECT_FALSE(Accepts("src/core/standings.cc", "#include <thread>"));
  EXPECT_FALSE(Accepts("include/laurel/board.h", "#include \"core/standings.h\""));
  EXPECT_FALSE(Accepts("include/laurel/board.h", "#include <boost/json.hpp>"));
  EXPECT_FALSE(Accepts("include/laurel/board.h", "#include <unistd.h>"));
}

TEST(LayersCheck, AppliesTheTableOfRooms) {
  EXPECT_TRUE(Accepts("src/server/net/event_loop.cc", "#include \"server/net/event_loop.h\""));
  EXPECT_TRUE(Accepts("src/server/net/event_loop.cc", "#include \"server/config/config.h\""));
  EXPECT_TRUE(Accepts("src/server/net/event_loop.cc", "#include \"engine/keyspace/keyspace.h\""));
  EXPECT_TRUE(Accepts("src/server/server.cc", "#include \"server/resp/session.h\""));
  EXPECT_FALSE(Accepts("src/server/net/event_loop.cc", "#include \"server/resp/session.h\""));
  EXPECT_FALSE(Accepts("src/server/net/event_loop.cc", "#include \"server/server.h\""));
  EXPECT_FALSE(Accepts("src/server/config/config.cc", "#include \"server/net/event_loop.h\""));
  EXPECT_FALSE(Accepts("src/server/other/poller.cc", ""));
  EXPECT_FALSE(Accepts("src/server/net/deeper/poller.cc", ""));
}

TEST(LayersCheck, FindsACycle) {
  EXPECT_EQ(FindCircle({{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {}}}), "");
  EXPECT_EQ(FindCircle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), "b > c > b");
  EXPECT_EQ(FindCircle({{"a", {"a"}}}), "a > a");
}

TEST(LayersCheck, ReportNamesFileLineAndCause) {
  EXPECT_EQ(
      CheckFile("src/base/bytes.cc", "\n#include \"core/standings.h\"\n"),
      std::vector<std::string>{"src/base/bytes.cc:2: core/standings.h: base may not use core"});
}

TEST(LayersCheck, ReportsAnUnknownFolder) {
  EXPECT_FALSE(Accepts("src/utils/strings.cc", ""));
  EXPECT_FALSE(Accepts("src/loose.cc", ""));
  EXPECT_FALSE(Accepts("src/base", ""));
  EXPECT_FALSE(Accepts("include/other/board.h", ""));
  EXPECT_FALSE(Accepts("src/cli/demo.cc", "#include \"utils/strings.h\""));
}

TEST(LayersCheck, ReportsAHeaderWithoutCommentOrPragma) {
  EXPECT_TRUE(CheckFile("src/base/a.h", "// Why.\n#pragma once\n").empty());
  EXPECT_FALSE(CheckFile("src/base/a.h", "#pragma once\n").empty());
  EXPECT_FALSE(CheckFile("src/base/a.h", "// Why.\n").empty());
}

}  // namespace
}  // namespace laurel
