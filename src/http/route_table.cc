#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "base/text.h"
#include "http/routes.h"
#include "http/translators.h"

namespace laurel::http {
namespace {

using Id = wire::CommandId;

constexpr std::array<std::string_view, 3> kKinds = {"ordinal", "competition", "dense"};
constexpr std::array<std::string_view, 3> kOps = {"submit", "set", "incr"};
constexpr std::array<std::string_view, 2> kIfs = {"absent", "present"};
constexpr std::array<std::string_view, 3> kPolicies = {"set", "best", "sum"};
constexpr std::array<std::string_view, 3> kTies = {"first", "last", "member"};
constexpr std::array<std::string_view, 2> kBoardKinds = {"leaderboard", "sorted-set"};

// Properties --------------------------------------------------------------------------------------

// The property as an integer from `min` to `max`.
constexpr Property Integer(Property property, std::int64_t min, std::int64_t max) {
  property.type = Type::kInteger;
  property.min = min;
  property.max = max;
  return property;
}

constexpr Property kKind{.name = "kind",
                         .type = Type::kChoice,
                         .choices = kKinds,
                         .word = "KIND",
                         .first_is_implied = true};
constexpr Property kMeta{.name = "meta", .type = Type::kBoolean, .word = "WITHMETA"};
constexpr Property kMemberOf{.name = "member", .type = Type::kText, .required = true};
constexpr Property kMin{.name = "min", .type = Type::kBound, .otherwise = "-inf"};
constexpr Property kMax{.name = "max", .type = Type::kBound, .otherwise = "+inf"};
constexpr Property kLimit = Integer({.name = "limit", .otherwise = "10"}, 0, kMaxPageEntries);
constexpr Property kMembers{.name = "members", .type = Type::kMembers, .required = true};
constexpr Property kAt{.name = "at", .type = Type::kTime};
constexpr Property kScoreOf{.name = "score", .type = Type::kScore, .required = true};
constexpr Property kMemberIn{.name = "member", .type = Type::kMember, .required = true};

constexpr std::array kListQuery = {
    Property{.name = "match"},
    Property{.name = "cursor"},
    Integer({.name = "limit"}, 1, kMaxPageEntries),
    Property{.name = "kind", .type = Type::kChoice, .choices = kBoardKinds},
};
constexpr std::array kPageQuery = {
    Integer({.name = "offset"}, -(std::int64_t{1} << 53), std::int64_t{1} << 53), kLimit, kKind,
    kMeta};
constexpr std::array kReadQuery = {kKind, kMeta};
constexpr std::array kAroundQuery = {
    Integer({.name = "radius", .otherwise = "5"}, 0, kMaxPageEntries / 2), kKind, kMeta};
constexpr std::array kRankOfQuery = {
    Property{.name = "score", .type = Type::kTexts, .required = true}, kKind};
constexpr std::array kCountQuery = {kMin, kMax};
constexpr std::array kBetweenQuery = {
    kMin,
    kMax,
    Integer({.name = "offset", .word = "LIMIT", .otherwise = "0"}, 0, std::int64_t{1} << 53),
    kLimit,
    kKind,
    kMeta};
constexpr std::array kPercentileQuery = {kMemberOf};
constexpr std::array kQuantileQuery = {
    Property{.name = "p", .type = Type::kNumber, .required = true}};
constexpr std::array kHistogramQuery = {Integer({.name = "buckets", .otherwise = "10"}, 1, 1000)};
constexpr std::array kChangesQuery = {
    Property{.name = "from"},
    Property{.name = "member"},
    Integer({.name = "limit"}, 1, 10'000),
    Integer({.name = "wait"}, 1, 60'000),
};
constexpr std::array kLiveQuery = {
    Integer({.name = "top"}, 0, kMaxPageEntries),
    Property{.name = "member", .type = Type::kTexts},
};

constexpr std::array kWriteBody = {
    Property{.name = "member", .type = Type::kMember},
    Property{.name = "score", .type = Type::kScore},
    Property{.name = "op", .type = Type::kChoice, .choices = kOps},
    Property{.name = "if", .type = Type::kChoice, .choices = kIfs},
    kAt,
    Property{.name = "meta", .type = Type::kBytes},
    Property{.name = "entries", .type = Type::kEntries},
};
constexpr std::array kEntryItem = {kMemberIn, kScoreOf};
constexpr std::array kSubmitItem = {
    Property{.name = "board", .type = Type::kBytes, .required = true}, kMemberIn, kScoreOf};
constexpr std::array kSubmitBody = {
    Property{.name = "submits", .type = Type::kSubmits, .required = true}, kAt};
constexpr std::array kReadsBody = {
    Property{.name = "reads", .type = Type::kReads, .required = true}};
constexpr std::array kMetaBody = {Property{.name = "meta", .type = Type::kBytes, .required = true}};
constexpr std::array kMembersBody = {kMembers};
constexpr std::array kPopQuery = {kMeta};
constexpr std::array kPopBody = {
    Integer({.name = "n", .required = true}, 0, kMaxPageEntries),
    Property{.name = "bottom", .type = Type::kBoolean, .word = "BOTTOM"}};
constexpr std::array kTrimBody = {Integer({.name = "n", .required = true}, 0, INT64_MAX)};

// The options of LB.CREATE, by their own names.
constexpr std::array kSpec = {
    Property{.name = "fields", .type = Type::kFields},
    Property{.name = "tie", .type = Type::kChoice, .choices = kTies},
    Property{.name = "periods", .type = Type::kPeriods},
    Property{.name = "turn"},
    Property{.name = "tz"},
    Property{.name = "policy", .type = Type::kChoice, .choices = kPolicies, .nullable = true},
    Integer({.name = "cap", .nullable = true}, 0, INT64_MAX),
    Property{.name = "start", .type = Type::kTime, .nullable = true},
    Property{.name = "end", .type = Type::kTime, .nullable = true},
    Property{.name = "grace", .type = Type::kDuration, .nullable = true},
    Property{.name = "expire", .type = Type::kDuration, .nullable = true},
    Integer({.name = "keep", .nullable = true}, 0, INT64_MAX),
    Integer({.name = "dedup", .nullable = true}, 0, INT64_MAX),
    Property{.name = "adopt", .type = Type::kBoolean},
};
constexpr std::size_t kFirstAlterable = 5;  // policy

constexpr std::array kReads = {
    ReadKind{"entries", "listEntries"},  ReadKind{"entry", "getEntry"},
    ReadKind{"around", "aroundEntry"},   ReadKind{"among", "amongMembers"},
    ReadKind{"rank-of", "rankOfScore"},  ReadKind{"count", "countEntries"},
    ReadKind{"between", "listBetween"},  ReadKind{"percentile", "getPercentile"},
    ReadKind{"quantile", "getQuantile"}, ReadKind{"histogram", "getHistogram"},
    ReadKind{"periods", "listPeriods"},  ReadKind{"board", "getBoard"},
};

constexpr auto kReadNames = [] {
  std::array<std::string_view, kReads.size()> names;
  for (std::size_t i = 0; i < kReads.size(); ++i) names[i] = kReads[i].name;
  return names;
}();

// The properties of an item of POST /v1/read: its kind, its board, and the parameters of that
// route.
constexpr std::array kReadItem = {
    Property{.name = "read", .type = Type::kChoice, .required = true, .choices = kReadNames},
    Property{.name = "board", .type = Type::kBytes, .required = true},
    Property{.name = "member", .type = Type::kMember},
    Property{.name = "members", .type = Type::kMembers},
    Property{.name = "score", .type = Type::kScore},
    Property{.name = "p", .type = Type::kNumber},
    Integer({.name = "buckets"}, 1, 1000),
    Integer({.name = "radius"}, 0, kMaxPageEntries / 2),
    kMin,
    kMax,
    kPageQuery[0],
    kLimit,
    kKind,
    kMeta,
};

// Routes ------------------------------------------------------------------------------------------

constexpr std::span<const Property> kNone{};
constexpr std::array kWriteCommands = {Id::kLbSet, Id::kLbIncr, Id::kLbMSubmit};
constexpr std::array kRangeCommands = {Id::kLbRange};
constexpr std::array kSizeCommands = {Id::kLbSize};

constexpr Route kRoutes[] = {
    {"GET", "/v1/boards", "listBoards", Shape::kBoards, Id::kLbList, ListBoards, kListQuery},
    {"GET", "/v1/boards/{board}", "getBoard", Shape::kBoard, Id::kLbDescribe, FromProperties},
    {"PUT", "/v1/boards/{board}", "createBoard", Shape::kBoard, Id::kLbCreate, CreateBoard, kNone,
     kSpec, true},
    {"PATCH", "/v1/boards/{board}", "alterBoard", Shape::kBoard, Id::kLbAlter, AlterBoard, kNone,
     std::span(kSpec).subspan(kFirstAlterable, kSpec.size() - kFirstAlterable - 1), true},
    {"DELETE", "/v1/boards/{board}", "dropBoard", Shape::kOk, Id::kLbDrop, FromProperties},
    {"GET", "/v1/templates", "listTemplates", Shape::kTemplates, Id::kLbTemplateList,
     FromProperties},
    {"GET", "/v1/templates/{pattern}", "getTemplate", Shape::kTemplate, Id::kLbTemplateList,
     GetTemplate},
    {"PUT", "/v1/templates/{pattern}", "setTemplate", Shape::kOk, Id::kLbTemplateSet, SetTemplate,
     kNone, std::span(kSpec).first(kSpec.size() - 1), true},
    {"DELETE", "/v1/templates/{pattern}", "deleteTemplate", Shape::kRemoved, Id::kLbTemplateDel,
     FromProperties},

    {"POST", "/v1/boards/{board}/entries", "writeEntries", Shape::kWritten, Id::kLbSubmit,
     WriteEntries, kNone, kWriteBody, true, true, kWriteCommands},
    {"GET", "/v1/boards/{board}/entries", "listEntries", Shape::kPage, Id::kLbTop, ListEntries,
     kPageQuery, kNone, false, false, kRangeCommands},
    {"GET", "/v1/boards/{board}/entries/{member}", "getEntry", Shape::kEntry, Id::kLbGet,
     FromProperties, kReadQuery},
    {"DELETE", "/v1/boards/{board}/entries/{member}", "removeEntry", Shape::kRemovedOne,
     Id::kLbRemove, FromProperties},
    {"GET", "/v1/boards/{board}/entries/{member}/around", "aroundEntry", Shape::kAround,
     Id::kLbAround, FromProperties, kAroundQuery},
    {"PUT", "/v1/boards/{board}/entries/{member}/hidden", "hideMember", Shape::kChanged,
     Id::kLbHide, FromProperties},
    {"DELETE", "/v1/boards/{board}/entries/{member}/hidden", "showMember", Shape::kChanged,
     Id::kLbShow, FromProperties},
    {"PUT", "/v1/boards/{board}/entries/{member}/meta", "setMeta", Shape::kChangedOne, Id::kLbMeta,
     FromProperties, kNone, kMetaBody, true},
    {"POST", "/v1/boards/{board}/among", "amongMembers", Shape::kPage, Id::kLbAmong, Among,
     kReadQuery, kMembersBody, true},
    {"POST", "/v1/boards/{board}/remove", "removeMembers", Shape::kRemoved, Id::kLbRemove,
     RemoveMembers, kNone, kMembersBody, true},
    {"POST", "/v1/boards/{board}/pop", "popEntries", Shape::kPage, Id::kLbPop, FromProperties,
     kPopQuery, kPopBody, true},
    {"POST", "/v1/boards/{board}/trim", "trimBoard", Shape::kRemoved, Id::kLbTrim, FromProperties,
     kNone, kTrimBody, true},
    {"POST", "/v1/boards/{board}/clear", "clearBoard", Shape::kRemoved, Id::kLbClear,
     FromProperties, kNone, kNone, true},
    {"GET", "/v1/boards/{board}/rank-of", "rankOfScore", Shape::kRank, Id::kLbRankOf, RankOf,
     kRankOfQuery},
    {"GET", "/v1/boards/{board}/count", "countEntries", Shape::kCount, Id::kLbCount, Count,
     kCountQuery, kNone, false, false, kSizeCommands},
    {"GET", "/v1/boards/{board}/between", "listBetween", Shape::kPage, Id::kLbBetween,
     FromProperties, kBetweenQuery},
    {"GET", "/v1/boards/{board}/percentile", "getPercentile", Shape::kPercentile, Id::kLbPercentile,
     FromProperties, kPercentileQuery},
    {"GET", "/v1/boards/{board}/quantile", "getQuantile", Shape::kScore, Id::kLbQuantile,
     FromProperties, kQuantileQuery},
    {"GET", "/v1/boards/{board}/histogram", "getHistogram", Shape::kBuckets, Id::kLbHistogram,
     FromProperties, kHistogramQuery},
    {"GET", "/v1/boards/{board}/periods", "listPeriods", Shape::kPeriods, Id::kLbPeriods,
     FromProperties},
    {"GET", "/v1/boards/{board}/changes", "listChanges", Shape::kEvents, Id::kLbChanges, Changes,
     kChangesQuery},
    {"GET", "/v1/boards/{board}/live", "followBoard", Shape::kLive, Id::kLbTop, nullptr,
     kLiveQuery},
    {"POST", "/v1/submit", "submitToBoards", Shape::kVerdicts, Id::kLbMSubmit, nullptr, kNone,
     kSubmitBody, true, true},
    {"POST", "/v1/read", "readBoards", Shape::kResults, Id::kLbGet, nullptr, kNone, kReadsBody,
     true},

    {"GET", "/v1/whoami", "whoAmI", Shape::kWhoAmI, Id::kPing, nullptr},
    {"GET", "/v1/server", "getServer", Shape::kServer, Id::kInfo, nullptr},
    {"GET", "/v1/clients", "listClients", Shape::kClients, Id::kClientList, nullptr},
    {"GET", "/v1/slowlog", "listSlowCommands", Shape::kSlowLog, Id::kSlowLogGet, nullptr},
    {"GET", "/healthz", "health", Shape::kHealth, Id::kEnd, nullptr},
    {"GET", "/readyz", "ready", Shape::kReady, Id::kEnd, nullptr},
    {"GET", "/metrics", "metrics", Shape::kMetrics, Id::kEnd, nullptr},
    {"GET", "/openapi.json", "openapi", Shape::kDocument, Id::kEnd, nullptr},
    {"GET", "/", "console", Shape::kConsole, Id::kEnd, nullptr},
    {"GET", "/assets/{file}", "consoleAsset", Shape::kAsset, Id::kEnd, nullptr},
};

// Whether the segments match the pattern. Appends the values of the pattern's parameters.
bool Matches(std::string_view pattern, std::span<const std::string_view> segments,
             std::vector<std::string_view>* values) {
  values->clear();
  std::size_t at = 0;
  while (!pattern.empty()) {
    pattern.remove_prefix(1);  // '/'
    if (at == segments.size()) return false;
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    const std::string_view part = pattern.substr(0, end);
    if (part.starts_with('{')) {
      if (segments[at].empty()) return false;  // the empty board name has no path
      values->push_back(segments[at]);
    } else if (part != segments[at]) {
      return false;
    }
    pattern.remove_prefix(end);
    ++at;
  }
  return at == segments.size();
}

constexpr std::size_t kAlikeBytes = 4;

// Returns the number of wrong letters in the segments, compared with the pattern. None if a segment
// differs too much or the numbers of segments differ.
std::optional<std::size_t> DistanceOf(std::string_view pattern,
                                      std::span<const std::string_view> segments) {
  std::size_t distance = 0;
  std::size_t at = 0;
  while (!pattern.empty()) {
    pattern.remove_prefix(1);  // '/'
    if (at == segments.size()) return std::nullopt;
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    const std::string_view part = pattern.substr(0, end);
    if (!part.starts_with('{')) {
      // "entry" is far from "entries" by letters, but begins with the same ones.
      const bool begins_alike =
          segments[at].substr(0, kAlikeBytes) == part.substr(0, kAlikeBytes) &&
          segments[at].size() >= kAlikeBytes;
      // "top" is near "pop", but another word.
      const bool is_near = base::Lower(segments[at].substr(0, 1)) == part.substr(0, 1) &&
                           base::Nearest(segments[at], std::span(&part, 1));
      if (!begins_alike && !is_near) return std::nullopt;
      distance += base::EditDistance(segments[at], part);
    }
    pattern.remove_prefix(end);
    ++at;
  }
  return at == segments.size() ? std::optional(distance) : std::nullopt;
}

// Returns the parts at the beginning of the pattern that the segments match.
std::string_view CommonBeginning(std::string_view pattern,
                                 std::span<const std::string_view> segments) {
  std::size_t end = 0;
  for (const std::string_view segment : segments) {
    if (end == pattern.size()) break;
    const std::size_t next = std::min(pattern.find('/', end + 1), pattern.size());
    const std::string_view part = pattern.substr(end + 1, next - end - 1);
    if (!part.starts_with('{') && part != segment) break;
    end = next;
  }
  return pattern.substr(0, end);
}

// Returns the segments of a path without a route as they were probably meant.
std::vector<std::string_view> MeantSegments(std::span<const std::string_view> segments) {
  std::vector<std::string_view> meant(segments.begin(), segments.end());
  std::erase(meant, "");  // doubled and trailing slashes
  const auto version = std::find(meant.begin(), meant.end(), "v1");
  if (version != meant.end()) {
    meant.erase(meant.begin(), version);  // a prefix before v1
  } else if (!meant.empty() && meant[0].size() == 2 && meant[0][0] == 'v') {
    meant[0] = "v1";  // another version
  }
  return meant;
}

}  // namespace

std::span<const Property> EntryProperties() { return kEntryItem; }
std::span<const Property> SubmitProperties() { return kSubmitItem; }
std::span<const Property> ReadProperties() { return kReadItem; }

std::span<const Route> RouteTable() { return kRoutes; }
std::span<const ReadKind> ReadKinds() { return kReads; }

const Route* FindByName(std::string_view name) {
  const auto found = std::find_if(std::begin(kRoutes), std::end(kRoutes),
                                  [name](const Route& route) { return route.name == name; });
  return found == std::end(kRoutes) ? nullptr : &*found;
}

void FindRoute(std::string_view method, std::span<const std::string_view> segments, Match* match) {
  match->route = nullptr;
  match->allow.clear();
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const Route& route : kRoutes) {
    if (!Matches(route.pattern, segments, &match->path)) continue;
    if (route.method == wanted) {
      match->route = &route;
      return;
    }
    match->allow += (match->allow.empty() ? "" : ", ") + std::string(route.method);
    if (route.method == "GET") match->allow += ", HEAD";
  }
  if (!match->allow.empty()) match->allow += ", OPTIONS";
}

std::string_view NearestPattern(std::string_view method,
                                std::span<const std::string_view> segments) {
  std::vector<std::string_view> wanted = MeantSegments(segments);
  const auto nearest = [&]() -> std::string_view {
    std::string_view found;
    std::size_t least = 0;
    for (const Route& route : kRoutes) {
      if (!method.empty() && route.method != (method == "HEAD" ? "GET" : method)) continue;
      const std::optional<std::size_t> distance = DistanceOf(route.pattern, wanted);
      if (!distance || (!found.empty() && *distance >= least)) continue;
      found = route.pattern;
      least = *distance;
    }
    return found;
  };
  if (const std::string_view found = nearest(); !found.empty()) return found;
  wanted.insert(wanted.begin(), "v1");
  return nearest();
}

std::string RoutesBelow(std::span<const std::string_view> segments) {
  const std::vector<std::string_view> wanted = MeantSegments(segments);
  std::string_view longest;
  for (const Route& route : kRoutes) {
    const std::string_view begin = CommonBeginning(route.pattern, wanted);
    if (begin.size() > longest.size()) longest = begin;
  }
  std::string below;
  std::vector<std::string_view> parts;
  for (const Route& route : kRoutes) {
    std::string_view rest = route.pattern;
    if (longest.empty() || !rest.starts_with(std::string(longest) + '/')) continue;
    rest.remove_prefix(longest.size() + 1);
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (std::find(parts.begin(), parts.end(), part) != parts.end()) continue;
    parts.push_back(part);
    below.append(below.empty() ? "below " + std::string(longest) + " there are " : ", ")
        .append(part);
  }
  return below;
}

}  // namespace laurel::http
