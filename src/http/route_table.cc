#include <algorithm>
#include <array>

#include "base/nearest.h"
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

constexpr Property kKind{.name = "kind",
                         .type = Type::kChoice,
                         .help =
                             "How ranks are counted: ordinal (1234), competition (1224) or "
                             "dense (1223). It changes the number shown, never the entries.",
                         .example = "\"ordinal\"",
                         .default_text = "ordinal",
                         .choices = kKinds};
constexpr Property kMeta{.name = "meta",
                         .type = Type::kBoolean,
                         .help = "Whether entries show their meta.",
                         .example = "true",
                         .default_text = "0"};
constexpr Property kMemberOf{.name = "member",
                             .type = Type::kText,
                             .help = "The member.",
                             .example = "\"ann\"",
                             .required = true};
constexpr Property kMin{.name = "min",
                        .type = Type::kBound,
                        .help = "The lower bound on field 1: 10, (10 without 10 itself, -inf.",
                        .example = "\"(10\"",
                        .default_text = "-inf"};
constexpr Property kMax{.name = "max",
                        .type = Type::kBound,
                        .help = "The upper bound on field 1: 20, (20 without 20 itself, +inf.",
                        .example = "\"20\"",
                        .default_text = "+inf"};
constexpr Property kLimit{.name = "limit",
                          .type = Type::kInteger,
                          .help = "How many entries to show.",
                          .example = "10",
                          .default_text = "10",
                          .min = 0,
                          .max = kMaxPageEntries};
constexpr Property kMembers{.name = "members",
                            .type = Type::kMembers,
                            .help = "Members: strings, integers, or objects with member_base64.",
                            .example = R"(["ann","bob"])",
                            .required = true};
constexpr Property kAt{.name = "at",
                       .type = Type::kTime,
                       .help =
                           "The stamp of the write, as AT: seconds, digits with ms or us, or "
                           "ISO 8601. Needs the role write.",
                       .example = "\"2026-11-15T13:00:00Z\""};
constexpr Property kScoreOf{
    .name = "score",
    .type = Type::kScore,
    .help =
        "An array with one value per field, an object by field name, or one value on a board "
        "of one field. Values are strings or numbers; the text of a number is read exactly.",
    .example = R"(["100"])",
    .required = true};
constexpr Property kMemberIn{.name = "member",
                             .type = Type::kMember,
                             .help = "The member; member_base64 for bytes that are not UTF-8.",
                             .example = "\"ann\"",
                             .required = true};

constexpr std::array kListQuery = {
    Property{.name = "match",
             .help = "A glob pattern of board names.",
             .example = "\"rank:*\"",
             .default_text = "*"},
    Property{.name = "cursor",
             .help = "Where to go on: the cursor of the page before.",
             .example = "\"0\""},
    Property{.name = "limit",
             .type = Type::kInteger,
             .help = "About how many boards to look at; the page may have fewer.",
             .example = "100",
             .default_text = "100",
             .min = 1,
             .max = kMaxPageEntries},
    Property{.name = "kind",
             .type = Type::kChoice,
             .help = "Whether leaderboards or sorted sets are listed.",
             .example = "\"leaderboard\"",
             .default_text = "leaderboard",
             .choices = kBoardKinds},
};
constexpr std::array kPageQuery = {
    Property{.name = "offset",
             .type = Type::kInteger,
             .help = "How many entries to leave out before the first; negative counts from the "
                     "end.",
             .example = "0",
             .default_text = "0",
             .min = -(std::int64_t{1} << 53),
             .max = std::int64_t{1} << 53},
    kLimit, kKind, kMeta};
constexpr std::array kReadQuery = {kKind, kMeta};
constexpr std::array kAroundQuery = {Property{.name = "radius",
                                              .type = Type::kInteger,
                                              .help = "How many entries to show on each side.",
                                              .example = "5",
                                              .default_text = "5",
                                              .min = 0,
                                              .max = kMaxPageEntries / 2},
                                     kKind, kMeta};
constexpr std::array kRankOfQuery = {
    Property{.name = "score",
             .type = Type::kTexts,
             .help = "One value per field; the parameter is repeated, in the order of the fields.",
             .example = "\"100\"",
             .required = true},
    kKind};
constexpr std::array kCountQuery = {kMin, kMax};
constexpr std::array kBetweenQuery = {kMin,
                                      kMax,
                                      Property{.name = "offset",
                                               .type = Type::kInteger,
                                               .help = "How many entries to leave out before the "
                                                       "first.",
                                               .example = "0",
                                               .default_text = "0",
                                               .min = 0,
                                               .max = std::int64_t{1} << 53},
                                      kLimit,
                                      kKind,
                                      kMeta};
constexpr std::array kPercentileQuery = {kMemberOf};
constexpr std::array kQuantileQuery = {Property{.name = "p",
                                                .type = Type::kNumber,
                                                .help = "The quantile, 0 to 100.",
                                                .example = "\"50\"",
                                                .required = true}};
constexpr std::array kHistogramQuery = {Property{.name = "buckets",
                                                 .type = Type::kInteger,
                                                 .help = "How many buckets to make.",
                                                 .example = "10",
                                                 .default_text = "10",
                                                 .min = 1,
                                                 .max = 1000}};
constexpr std::array kChangesQuery = {
    Property{.name = "from",
             .help = "Where to begin: a cursor, 0 (the oldest event), $ (only new ones) or -n (the "
                     "last n). A stream begins with Last-Event-ID, or with $ by default.",
             .example = "\"-10\"",
             .default_text = "0"},
    Property{.name = "member",
             .help = "Shows only events that concern this member.",
             .example = "\"ann\""},
    Property{.name = "limit",
             .type = Type::kInteger,
             .help = "How many events to show at most: 100 by default, or n if from is -n.",
             .example = "100",
             .min = 1,
             .max = 10'000},
    Property{.name = "wait",
             .type = Type::kInteger,
             .help = "If there is no event, waits for one for so many milliseconds.",
             .example = "1000",
             .min = 1,
             .max = 60'000},
};
constexpr std::array kLiveQuery = {
    Property{.name = "top",
             .type = Type::kInteger,
             .help = "How many of the best entries to follow.",
             .example = "10",
             .default_text = "10",
             .min = 0,
             .max = kMaxPageEntries},
    Property{.name = "member",
             .type = Type::kTexts,
             .help = "Members to follow; the parameter may be repeated.",
             .example = "\"ann\""},
};

constexpr std::array kWriteBody = {
    Property{.name = "member",
             .type = Type::kMember,
             .help = "The member; member_base64 for bytes that are not UTF-8. Not beside entries.",
             .example = "\"ann\""},
    Property{.name = "score", .type = Type::kScore, .help = kScoreOf.help, .example = R"(["100"])"},
    Property{.name = "op",
             .type = Type::kChoice,
             .help = "submit follows the board's policy or operators, set replaces, incr adds.",
             .example = "\"submit\"",
             .default_text = "submit",
             .choices = kOps},
    Property{.name = "if",
             .type = Type::kChoice,
             .help = "Writes only if the member has no entry (absent) or has one (present).",
             .example = "\"absent\"",
             .choices = kIfs},
    kAt,
    Property{.name = "meta",
             .type = Type::kBytes,
             .help = "Bytes kept beside the score, at most 4 KiB: a name, an avatar. meta_base64 "
                     "for bytes that are not UTF-8.",
             .example = "\"Ann A.\""},
    Property{.name = "entries",
             .type = Type::kEntries,
             .help = "Several members with their scores, all or nothing, as LB.MSUBMIT.",
             .example = R"([{"member":"ann","score":["100"]},{"member":"bob","score":["90"]}])"},
};
constexpr std::array kEntryItem = {kMemberIn, kScoreOf};
constexpr std::array kSubmitItem = {Property{.name = "board",
                                             .type = Type::kBytes,
                                             .help = "The board.",
                                             .example = "\"arena\"",
                                             .required = true},
                                    kMemberIn, kScoreOf};
constexpr std::array kSubmitBody = {
    Property{.name = "submits",
             .type = Type::kSubmits,
             .help = "Submits to one or several boards, all or nothing.",
             .example = R"([{"board":"arena","member":"ann","score":["100"]}])",
             .required = true},
    kAt};
constexpr std::array kReadsBody = {
    Property{.name = "reads",
             .type = Type::kReads,
             .help = "Up to 32 reads, of one state.",
             .example = R"([{"board":"arena","read":"entry","member":"ann"}])",
             .required = true}};
constexpr std::array kMetaBody = {Property{.name = "meta",
                                           .type = Type::kBytes,
                                           .help = "The new meta; empty removes it.",
                                           .example = "\"Ann A.\"",
                                           .required = true}};
constexpr std::array kMembersBody = {kMembers};
constexpr std::array kPopQuery = {kMeta};
constexpr std::array kPopBody = {
    Property{.name = "n",
             .type = Type::kInteger,
             .help = "How many entries to remove and return.",
             .example = "1",
             .required = true,
             .min = 0,
             .max = kMaxPageEntries},
    Property{.name = "bottom",
             .type = Type::kBoolean,
             .help = "Whether the worst are removed instead of the best.",
             .example = "false",
             .default_text = "false"}};
constexpr std::array kTrimBody = {Property{.name = "n",
                                           .type = Type::kInteger,
                                           .help = "How many of the best entries stay.",
                                           .example = "1000",
                                           .required = true,
                                           .min = 0,
                                           .max = INT64_MAX}};

// The options of LB.CREATE under their own names.
constexpr std::array kSpec = {
    Property{.name = "fields",
             .type = Type::kFields,
             .help = "1 to 8 fields: objects with name, type (int, decimal1 … decimal9), direction "
                     "(desc, asc) and operator (set, sum, max, min).",
             .example = R"([{"name":"score","type":"int","direction":"desc"}])"},
    Property{.name = "tie",
             .type = Type::kChoice,
             .help = "Who stands ahead at equal scores.",
             .example = "\"first\"",
             .default_text = "first",
             .choices = kTies},
    Property{.name = "periods",
             .type = Type::kPeriods,
             .help = "Recurring windows: hour, day, week, month, all.",
             .example = R"(["day","all"])"},
    Property{.name = "turn",
             .help = "When day, week and month turn, hh:mm.",
             .example = "\"00:00\"",
             .default_text = "00:00"},
    Property{.name = "tz",
             .help = "The time zone of the periods.",
             .example = "\"Asia/Shanghai\"",
             .default_text = "UTC"},
    Property{.name = "policy",
             .type = Type::kChoice,
             .help = "What a submit does: replaces, keeps the best, adds.",
             .example = "\"best\"",
             .default_text = "set",
             .choices = kPolicies,
             .nullable = true},
    Property{.name = "cap",
             .type = Type::kInteger,
             .help = "The most entries that the board keeps; 0: all.",
             .example = "1000",
             .default_text = "0",
             .min = 0,
             .max = INT64_MAX,
             .nullable = true},
    Property{.name = "start",
             .type = Type::kTime,
             .help = "When writes begin.",
             .example = "\"2026-11-15T13:00:00Z\"",
             .nullable = true},
    Property{.name = "end",
             .type = Type::kTime,
             .help = "When writes end.",
             .example = "\"2026-11-22T13:00:00Z\"",
             .nullable = true},
    Property{.name = "grace",
             .type = Type::kDuration,
             .help = "How long after the end late writes are taken.",
             .example = "\"0s\"",
             .default_text = "0s",
             .nullable = true},
    Property{.name = "expire",
             .type = Type::kDuration,
             .help = "How long after its end, or after its last write, the board goes.",
             .example = "\"30d\"",
             .nullable = true},
    Property{.name = "keep",
             .type = Type::kInteger,
             .help = "How many past instances of each period stay readable.",
             .example = "1",
             .default_text = "1",
             .min = 0,
             .max = INT64_MAX,
             .nullable = true},
    Property{.name = "dedup",
             .type = Type::kInteger,
             .help = "How many request ids the board remembers; 0 refuses ids.",
             .example = "100000",
             .default_text = "100000",
             .min = 0,
             .max = INT64_MAX,
             .nullable = true},
    Property{.name = "adopt",
             .type = Type::kBoolean,
             .help = "Turns the sorted set of that name into the leaderboard.",
             .example = "false",
             .default_text = "false"},
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

// What a read of POST /v1/read may have: its kind, its board, and the parameters of that route.
constexpr std::array kReadItem = {
    Property{.name = "read",
             .type = Type::kChoice,
             .help = "What to read.",
             .example = "\"entry\"",
             .required = true,
             .choices = kReadNames},
    Property{.name = "board",
             .type = Type::kBytes,
             .help = "The board, or an instance such as lb@day.",
             .example = "\"arena\"",
             .required = true},
    Property{.name = "member", .type = Type::kMember, .help = "The member.", .example = "\"ann\""},
    Property{.name = "members",
             .type = Type::kMembers,
             .help = "Of the read among.",
             .example = R"(["ann","bob"])"},
    Property{.name = "score",
             .type = Type::kScore,
             .help = "Of the read rank-of.",
             .example = R"(["100"])"},
    Property{.name = "p", .type = Type::kNumber, .help = "Of the read quantile.", .example = "50"},
    Property{.name = "buckets",
             .type = Type::kInteger,
             .help = "Of the read histogram.",
             .example = "10",
             .min = 1,
             .max = 1000},
    Property{.name = "radius",
             .type = Type::kInteger,
             .help = "Of the read around.",
             .example = "5",
             .min = 0,
             .max = kMaxPageEntries / 2},
    kMin,
    kMax,
    kPageQuery[0],
    kLimit,
    kKind,
    kMeta,
};

// Routes ------------------------------------------------------------------------------------------

constexpr std::array kWriteCommands = {Id::kLbSet, Id::kLbIncr, Id::kLbMSubmit};
constexpr std::array kRangeCommands = {Id::kLbRange};
constexpr std::array kSizeCommands = {Id::kLbSize};

constexpr std::array kRoutes = {
    Route{"GET", "/v1/boards", "listBoards", Shape::kBoards, Id::kLbList, ListBoards,
          "Lists leaderboards with size, policy, periods, window and memory, a page at a time.",
          kListQuery},
    Route{"GET", "/v1/boards/{board}", "getBoard", Shape::kBoard, Id::kLbDescribe, PathOnly,
          "Describes a leaderboard or an instance of it."},
    Route{"PUT",
          "/v1/boards/{board}",
          "createBoard",
          Shape::kBoard,
          Id::kLbCreate,
          CreateBoard,
          "Declares a leaderboard: 201, or 200 if there is one of an equal spec. With a role below "
          "admin it only compares: 200 if equal, else 403.",
          {},
          kSpec,
          true},
    Route{"PATCH",
          "/v1/boards/{board}",
          "alterBoard",
          Shape::kBoard,
          Id::kLbAlter,
          AlterBoard,
          "Changes what a leaderboard was declared as; null clears. A lower cap evicts at once.",
          {},
          std::span(kSpec).subspan(kFirstAlterable, kSpec.size() - kFirstAlterable - 1),
          true},
    Route{"DELETE", "/v1/boards/{board}", "dropBoard", Shape::kOk, Id::kLbDrop, PathOnly,
          "Drops a leaderboard with its entries and its declaration."},
    Route{"GET", "/v1/templates", "listTemplates", Shape::kTemplates, Id::kLbTemplateList,
          ListTemplates, "Lists the templates."},
    Route{"GET", "/v1/templates/{pattern}", "getTemplate", Shape::kTemplate, Id::kLbTemplateList,
          GetTemplate, "Shows one template."},
    Route{"PUT",
          "/v1/templates/{pattern}",
          "setTemplate",
          Shape::kOk,
          Id::kLbTemplateSet,
          SetTemplate,
          "Sets the template of a pattern: 201, or 200 if it replaces one.",
          {},
          std::span(kSpec).first(kSpec.size() - 1),
          true},
    Route{"DELETE", "/v1/templates/{pattern}", "deleteTemplate", Shape::kRemoved,
          Id::kLbTemplateDel, DeleteTemplate, "Removes a template; boards stay."},

    Route{"POST",
          "/v1/boards/{board}/entries",
          "writeEntries",
          Shape::kWritten,
          Id::kLbSubmit,
          WriteEntries,
          "Writes one entry and answers with its verdict, or several, all or nothing. A verdict of "
          "any status is a success.",
          {},
          kWriteBody,
          true,
          true,
          kWriteCommands},
    Route{"GET",
          "/v1/boards/{board}/entries",
          "listEntries",
          Shape::kPage,
          Id::kLbTop,
          ListEntries,
          "Shows a page of entries, best first.",
          kPageQuery,
          {},
          false,
          false,
          kRangeCommands},
    Route{"GET", "/v1/boards/{board}/entries/{member}", "getEntry", Shape::kEntry, Id::kLbGet,
          GetEntry, "Shows a member's entry and rank.", kReadQuery},
    Route{"DELETE", "/v1/boards/{board}/entries/{member}", "removeEntry", Shape::kRemovedOne,
          Id::kLbRemove, PathOnly, "Removes a member's entry."},
    Route{"GET", "/v1/boards/{board}/entries/{member}/around", "aroundEntry", Shape::kAround,
          Id::kLbAround, Around, "Shows a member's entry with those on each side of it.",
          kAroundQuery},
    Route{"PUT", "/v1/boards/{board}/entries/{member}/hidden", "hideMember", Shape::kChanged,
          Id::kLbHide, PathOnly,
          "Hides a member from every rank, page and count, now and in the future."},
    Route{"DELETE", "/v1/boards/{board}/entries/{member}/hidden", "showMember", Shape::kChanged,
          Id::kLbShow, PathOnly, "Shows a hidden member again."},
    Route{"PUT",
          "/v1/boards/{board}/entries/{member}/meta",
          "setMeta",
          Shape::kChangedOne,
          Id::kLbMeta,
          SetMeta,
          "Changes the bytes kept beside a member's score.",
          {},
          kMetaBody,
          true},
    Route{"POST", "/v1/boards/{board}/among", "amongMembers", Shape::kPage, Id::kLbAmong, Among,
          "Ranks a list of members: best first, with global rank and place in the list.",
          kReadQuery, kMembersBody, true},
    Route{"POST",
          "/v1/boards/{board}/remove",
          "removeMembers",
          Shape::kRemoved,
          Id::kLbRemove,
          RemoveMembers,
          "Removes the entries of several members; absent ones do not count.",
          {},
          kMembersBody,
          true},
    Route{"POST", "/v1/boards/{board}/pop", "popEntries", Shape::kPage, Id::kLbPop, Pop,
          "Removes the best or the worst entries and shows them.", kPopQuery, kPopBody, true},
    Route{"POST",
          "/v1/boards/{board}/trim",
          "trimBoard",
          Shape::kRemoved,
          Id::kLbTrim,
          Trim,
          "Removes all but the best entries.",
          {},
          kTrimBody,
          true},
    Route{"POST",
          "/v1/boards/{board}/clear",
          "clearBoard",
          Shape::kRemoved,
          Id::kLbClear,
          PathOnly,
          "Removes all entries; the declaration stays.",
          {},
          {},
          true},
    Route{"GET", "/v1/boards/{board}/rank-of", "rankOfScore", Shape::kRank, Id::kLbRankOf, RankOf,
          "The rank that a new member with this score would get; null if a full cap keeps it out.",
          kRankOfQuery},
    Route{"GET",
          "/v1/boards/{board}/count",
          "countEntries",
          Shape::kCount,
          Id::kLbCount,
          Count,
          "Counts the entries between two bounds on field 1, or all.",
          kCountQuery,
          {},
          false,
          false,
          kSizeCommands},
    Route{"GET", "/v1/boards/{board}/between", "listBetween", Shape::kPage, Id::kLbBetween, Between,
          "Shows the entries between two bounds on field 1, best first.", kBetweenQuery},
    Route{"GET", "/v1/boards/{board}/percentile", "getPercentile", Shape::kPercentile,
          Id::kLbPercentile, Percentile, "The share of the others that a member beats.",
          kPercentileQuery},
    Route{"GET", "/v1/boards/{board}/quantile", "getQuantile", Shape::kScore, Id::kLbQuantile,
          Quantile, "The score at a quantile; null if the board is empty.", kQuantileQuery},
    Route{"GET", "/v1/boards/{board}/histogram", "getHistogram", Shape::kBuckets, Id::kLbHistogram,
          Histogram, "Counts the entries in buckets of field 1.", kHistogramQuery},
    Route{"GET", "/v1/boards/{board}/periods", "listPeriods", Shape::kPeriods, Id::kLbPeriods,
          PathOnly, "Lists the instances of a leaderboard's periods."},
    Route{"GET", "/v1/boards/{board}/changes", "listChanges", Shape::kEvents, Id::kLbChanges,
          Changes,
          "Shows the events of a board, oldest first. With Accept: text/event-stream a stream of "
          "all that follow: each event's id is its cursor, a gap is an event of its own.",
          kChangesQuery},
    Route{"GET", "/v1/boards/{board}/live", "followBoard", Shape::kLive, Id::kLbTop, nullptr,
          "A stream of the top and of some members: the whole state first, then differences, at "
          "most ten a second. A slow reader skips to the newest.",
          kLiveQuery},
    Route{
        "POST",
        "/v1/submit",
        "submitToBoards",
        Shape::kVerdicts,
        Id::kLbMSubmit,
        nullptr,
        "Submits to several boards, all or nothing. The verdicts are in the order of the submits.",
        {},
        kSubmitBody,
        true,
        true},
    Route{"POST",
          "/v1/read",
          "readBoards",
          Shape::kResults,
          Id::kLbGet,
          nullptr,
          "Several reads of one state. Each result is what its route answers, or an object with "
          "code and detail.",
          {},
          kReadsBody,
          true},

    Route{"GET", "/v1/whoami", "whoAmI", Shape::kWhoAmI, Id::kPing, nullptr,
          "Shows the token's name, role and pattern of boards. `anonymous` is true if the request "
          "has no token and --anonymous lets it read; `tokens` is false if the server has none."},
    Route{"GET", "/v1/server", "getServer", Shape::kServer, Id::kInfo, nullptr,
          "Figures of the server, as INFO has them. Times count from the start: the difference of "
          "two answers has the times between them."},
    Route{"GET", "/v1/clients", "listClients", Shape::kClients, Id::kClientList, nullptr,
          "Lists the connected clients."},
    Route{"GET", "/v1/slowlog", "listSlowCommands", Shape::kSlowLog, Id::kSlowLogGet, nullptr,
          "Lists the slow commands, newest first."},
    Route{"GET", "/healthz", "health", Shape::kHealth, Id::kEnd, nullptr,
          "200 while the process serves requests."},
    Route{"GET", "/readyz", "ready", Shape::kReady, Id::kEnd, nullptr,
          "200 once the boards are loaded, 503 before and while the server stops. `writes` is "
          "false while the disk refuses them."},
    Route{"GET", "/metrics", "metrics", Shape::kMetrics, Id::kEnd, nullptr,
          "Metrics in Prometheus' text format. Needs a token for all boards, or --metrics-open."},
    Route{"GET", "/openapi.json", "openapi", Shape::kDocument, Id::kEnd, nullptr, "This document."},
    Route{"GET", "/", "console", Shape::kConsole, Id::kEnd, nullptr,
          "The console, a web page. A program that was built without it says so here."},
    Route{
        "GET", "/assets/{file}", "consoleAsset", Shape::kAsset, Id::kEnd, nullptr,
        "A file of the console. Its name changes with its contents, so clients keep it for ever."},
};

// Whether the pattern's path is that of the segments. Appends the values of its parameters.
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
      if (segments[at].empty()) return false;  // the empty name has no path
      values->push_back(segments[at]);
    } else if (part != segments[at]) {
      return false;
    }
    pattern.remove_prefix(end);
    ++at;
  }
  return at == segments.size();
}

// How many letters of the pattern's words are wrong in the segments. None if a word differs too
// much or the numbers of segments differ.
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
      if (!base::Nearest(segments[at], std::span(&part, 1))) return std::nullopt;
      distance += base::EditDistance(segments[at], part);
    }
    pattern.remove_prefix(end);
    ++at;
  }
  return at == segments.size() ? std::optional(distance) : std::nullopt;
}

}  // namespace

std::span<const Property> CreateProperties() { return kSpec; }
std::span<const Property> TemplateProperties() { return std::span(kSpec).first(kSpec.size() - 1); }
std::span<const Property> AlterProperties() {
  return std::span(kSpec).subspan(kFirstAlterable, kSpec.size() - kFirstAlterable - 1);
}
std::span<const Property> EntryProperties() { return kEntryItem; }
std::span<const Property> SubmitProperties() { return kSubmitItem; }
std::span<const Property> ReadProperties() { return kReadItem; }

std::span<const Route> RouteTable() { return kRoutes; }
std::span<const ReadKind> ReadKinds() { return kReads; }

const Route* FindByName(std::string_view name) {
  const auto found = std::find_if(kRoutes.begin(), kRoutes.end(),
                                  [name](const Route& route) { return route.name == name; });
  return found == kRoutes.end() ? nullptr : &*found;
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
  std::vector<std::string_view> wanted(segments.begin(), segments.end());
  while (!wanted.empty() && wanted.back().empty()) wanted.pop_back();  // slashes at the end
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

}  // namespace laurel::http
