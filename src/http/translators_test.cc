#include "http/translators.h"

#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "base/text.h"
#include "http/call.h"
#include "http/routes.h"
#include "http/url.h"
#include "wire/leaderboard_words.h"
#include "wire/spec_arguments.h"

namespace laurel::http {
namespace {

std::string Shown(std::string_view word) {
  if (word.empty()) return "''";
  std::string text;
  for (const char c : word) {
    if (c >= ' ' && c < 0x7f) {
      text += c;
    } else {
      constexpr char kDigits[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      text += std::string("\\x") + kDigits[byte >> 4] + kDigits[byte & 15];
    }
  }
  return text;
}

// The words of a call with a blank between them. A score is in brackets: [10 2], {points=10}.
std::string Shown(const Call& call) {
  std::string text;
  std::size_t score = 0;
  for (std::size_t at = 0; at <= call.words.size();) {
    if (score < call.scores.size() && call.scores[score].first == at) {
      const wire::ScoreWords& place = call.scores[score++];
      std::string values;
      for (std::size_t i = 0; i < place.count; ++i) {
        if (i > 0) values += ' ';
        if (place.is_named) values.append(call.field_names[place.names + i]).append("=");
        values += Shown(call.words[at + i]);
      }
      text += place.is_named ? " {" + values + "}" : " [" + values + "]";
      at += place.count;
      continue;
    }
    if (at == call.words.size()) break;
    text += (at == 0 ? "" : " ") + Shown(call.words[at]);
    ++at;
  }
  if (call.lists_sorted_sets) text += " (sorted sets)";
  if (call.takes_page) text += " (page)";
  if (!call.only_template.empty()) text += " (only " + Shown(call.only_template) + ")";
  return text;
}

struct Asked {
  std::string_view method;
  std::string_view target;  // path and query
  std::string_view body{};
  std::optional<std::string_view> id{};
};

std::string Shown(const Refusal& refusal) {
  // Logs often show the detail alone, so it names the field too: an option of a spec by its word.
  const std::string field = refusal.field.substr(0, refusal.field.find('.'));
  EXPECT_NE(base::Lower(refusal.detail).find(field), std::string::npos) << refusal.detail;
  return std::string(ErrorName(refusal.code)) + " " + refusal.field + ": " + refusal.detail;
}

// The board of all requests, for the grammar. It has one field: scores are left out.
Spec BoardOfTests() {
  Spec spec;
  spec.fields = {Field{.name = "score"}};
  return spec;
}

// The grammar's refusal of the words of the call, as the server shows it; empty if it refuses none.
// LB.LIST is parsed by the engine.
std::string GrammarRefusal(const Call& call) {
  using Id = wire::CommandId;
  const wire::CommandInfo& command = wire::CommandOf(call.command);
  const wire::BesideWords beside = call.beside();
  const auto shown = [&](const Status& status, std::size_t word) {
    if (status.ok()) return std::string();
    const std::string field = word == wire::kNoWord ? std::string() : call.FieldOf(word);
    return Shown(Refusal{status.error().code, field, status.error().message});
  };
  if (call.command == Id::kLbCreate || call.command == Id::kLbTemplateSet) {
    const std::size_t first = call.command == Id::kLbCreate ? 2 : 3;
    wire::SpecArguments wanted;
    const Status status = wire::ParseSpecArguments(std::span(call.words).subspan(first), &wanted,
                                                   wire::CommandOf(Id::kLbCreate), &beside, first);
    return shown(status,
                 wanted.failed_word == wire::kNoWord ? wire::kNoWord : first + wanted.failed_word);
  }
  if (call.command == Id::kLbChanges) {
    wire::ChangesArguments wanted;
    const Status status = wire::ParseChanges(call.words, std::nullopt, &wanted, &beside);
    return shown(status, wanted.failed_word);
  }
  if (!wire::IsOperation(call.command) || !call.scores.empty()) return {};
  wire::ParsedOperation parsed;
  const Status status =
      wire::ParseOperation(command, call.words, BoardOfTests(), std::nullopt, &parsed, &beside);
  return shown(status, parsed.failed_word);
}

// The words of a request, "; " between those of several commands, or "CODE field: detail". The
// steps are those of the server.
std::string Translate(const Asked& asked, std::string* route_name = nullptr) {
  const std::size_t mark = asked.target.find('?');
  PathSegments segments;
  QueryParameters parameters;
  if (!segments.Parse(asked.target.substr(0, mark)).ok()) return "bad path";
  if (mark != std::string_view::npos && !parameters.Parse(asked.target.substr(mark + 1)).ok()) {
    return "bad query";
  }
  Match match;
  FindRoute(asked.method, segments.all(), &match);
  if (match.route == nullptr) return "no route";
  const Route& route = *match.route;
  if (route_name != nullptr) *route_name = route.name;
  Refusal refusal;
  Input query;
  Input body;
  base::JsonDocument document;
  query.Reset(route.query);
  body.Reset(route.body);
  if (!query.TakeQuery(parameters, &refusal)) return Shown(refusal);
  if (!asked.body.empty()) {
    if (!document.Parse(asked.body).ok()) return "bad JSON";
    if (!body.TakeObject(document.root(), {}, &refusal)) return Shown(refusal);
  }
  std::deque<Call> calls;
  std::deque<Input> inputs;
  std::vector<VerdictPlace> places;
  if (route.shape == Shape::kResults) {
    if (!TranslateReads(*body.Json("reads"), &calls, &inputs, &refusal)) return Shown(refusal);
  } else if (route.shape == Shape::kVerdicts) {
    if (!TranslateSubmits(body, asked.id, &calls, &places, &refusal)) return Shown(refusal);
  } else {
    Call& call = calls.emplace_back();
    call.Reset(&route);
    Translation translation{match.path, query, &body, asked.id, call, &refusal};
    if (!route.translate(translation)) return Shown(refusal);
  }
  for (const Call& call : calls) {
    if (std::string refused = GrammarRefusal(call); !refused.empty()) return refused;
  }
  std::string text;
  for (const Call& call : calls) text += (text.empty() ? "" : "; ") + Shown(call);
  for (const VerdictPlace& place : places) {
    text += " @" + std::to_string(place.call) + "." + std::to_string(place.index);
  }
  return text;
}

struct Case {
  Asked asked;
  std::string_view words;
};

const std::vector<Case>& BoardCases() {
  static const std::vector<Case> cases = {
      {{"GET", "/v1/boards"}, "LB.LIST COUNT 100"},
      {{"GET", "/v1/boards?match=a%20*&cursor=7&limit=5&kind=sorted-set"},
       "LB.LIST COUNT 5 MATCH a * CURSOR 7 (sorted sets)"},
      {{"GET", "/v1/boards/season@day"}, "LB.DESCRIBE season@day"},
      {{"PUT", "/v1/boards/arena"}, "LB.CREATE arena"},
      {{"PUT", "/v1/boards/arena", "{}"}, "LB.CREATE arena"},
      {{"PUT", "/v1/boards/arena",
        R"({"dedup":0,"keep":2,"expire":"30d","grace":"15m","end":1863380001,"periods":["day","all"],
            "start":"2026-11-15T13:00:00Z","cap":10,"policy":"best","tz":"UTC","turn":"04:00",
            "tie":"last","adopt":true,"fields":[{"name":"points"},"deaths:int:asc"]})"},
       "LB.CREATE arena FIELDS 2 points:int:desc:set deaths:int:asc PERIODS 2 day all TIE last "
       "TURN 04:00 TZ UTC POLICY best CAP 10 START 2026-11-15T13:00:00Z END 1863380001 GRACE 15m "
       "EXPIRE 30d KEEP 2 DEDUP 0 ADOPT"},
      {{"PUT", "/v1/boards/arena", R"({"policy":null,"cap":null,"periods":[],"adopt":false})"},
       "LB.CREATE arena"},
      {{"PATCH", "/v1/boards/arena",
        R"({"policy":null,"cap":null,"start":null,"end":null,"grace":null,"expire":null,
            "keep":null,"dedup":null})"},
       "LB.ALTER arena POLICY set CAP 0 START none END none GRACE 0 EXPIRE 0 KEEP 1 "
       "DEDUP 100000"},
      {{"PUT", "/v1/boards/arena", R"({"fields":["cap",{"name":"end"}]})"},
       "LB.CREATE arena FIELDS 2 cap end:int:desc:set"},
      {{"PATCH", "/v1/boards/arena", R"({"cap":1000})"}, "LB.ALTER arena CAP 1000"},
      {{"DELETE", "/v1/boards/a%2Fb"}, "LB.DROP a/b"},
      {{"GET", "/v1/templates"}, "LB.TEMPLATE LIST"},
      {{"GET", "/v1/templates/rank:*"}, "LB.TEMPLATE LIST (only rank:*)"},
      {{"PUT", "/v1/templates/rank:*", R"({"policy":"sum"})"}, "LB.TEMPLATE SET rank:* POLICY sum"},
      {{"DELETE", "/v1/templates/rank%3A*"}, "LB.TEMPLATE DEL rank:*"},
  };
  return cases;
}

const std::vector<Case>& WriteCases() {
  static const std::vector<Case> cases = {
      {{"POST", "/v1/boards/arena/entries", R"({"member":"ann","score":["100"]})"},
       "LB.SUBMIT arena ann [100]"},
      {{"POST", "/v1/boards/arena/entries", R"({"member":"ann","score":100})"},
       "LB.SUBMIT arena ann [100]"},
      {{"POST", "/v1/boards/arena/entries", R"({"member":"ann","score":"1.0E7"})"},
       "LB.SUBMIT arena ann [1.0E7]"},
      {{"POST", "/v1/boards/run/entries", R"({"score":[9007199254740993,"2.50"],"member":"ann"})"},
       "LB.SUBMIT run ann [9007199254740993 2.50]"},
      {{"POST", "/v1/boards/run/entries", R"({"member":"ann","score":{"time":"1.5","points":10}})"},
       "LB.SUBMIT run ann {time=1.5 points=10}"},
      {{"POST", "/v1/boards/run/entries", R"({"member":"ann","score":[]})"},
       "LB.SUBMIT run ann []"},
      {{"POST", "/v1/boards/run/entries", R"({"member":"ann","score":{}})"},
       "LB.SUBMIT run ann {}"},
      {{"POST", "/v1/boards/arena/entries",
        R"({"member":"ann","score":[1],"op":"set","if":"absent","at":"5ms","meta":"A\u0000"})",
        "k 1"},
       "LB.SET arena ann [1] NX AT 5ms ID k 1 META A\\x00"},
      {{"POST", "/v1/boards/arena/entries",
        R"({"member":"ann","score":[1],"op":"incr","if":"present","meta":""})"},
       "LB.INCR arena ann [1] XX META ''"},
      {{"POST", "/v1/boards/arena/entries", R"({"member":"","score":[1],"op":"submit","at":7})"},
       "LB.SUBMIT arena '' [1] AT 7"},
      {{"POST", "/v1/boards/arena/entries",
        R"({"member_base64":"/wA=","score":[1],"meta_base64":"gA=="})"},
       "LB.SUBMIT arena \\xff\\x00 [1] META \\x80"},
      {{"POST", "/v1/boards/arena/entries",
        R"({"entries":[{"member":"ann","score":[1,2]},{"member_base64":"/w==","score":3},
            {"member":"cid","score":{"b":4,"a":5}}],"at":9})",
        "k"},
       "LB.MSUBMIT arena 3 ann [1 2] \\xff [3] cid {b=4 a=5} AT 9 ID k"},
      {{"DELETE", "/v1/boards/arena/entries/a%2Fb"}, "LB.REMOVE arena a/b"},
      {{"PUT", "/v1/boards/arena/entries/ann/hidden"}, "LB.HIDE arena ann"},
      {{"DELETE", "/v1/boards/arena/entries/%FF/hidden"}, "LB.SHOW arena \\xff"},
      {{"PUT", "/v1/boards/arena/entries/ann/meta", R"({"meta":"Ann"})"}, "LB.META arena ann Ann"},
      {{"PUT", "/v1/boards/arena/entries/ann/meta", R"({"meta":""})"}, "LB.META arena ann ''"},
      {{"PUT", "/v1/boards/arena/entries/ann/meta", R"({"meta_base64":"/w=="})"},
       "LB.META arena ann \\xff"},
      {{"POST", "/v1/boards/arena/remove", R"({"members":["ann","",{"member_base64":"/w=="}]})"},
       "LB.REMOVE arena ann '' \\xff"},
      {{"POST", "/v1/boards/arena/pop", R"({"n":3})"}, "LB.POP arena 3"},
      {{"POST", "/v1/boards/arena@day/pop", R"({"n":1000,"bottom":true})"},
       "LB.POP arena@day 1000 BOTTOM"},
      {{"POST", "/v1/boards/arena/trim", R"({"n":0})"}, "LB.TRIM arena 0"},
      {{"POST", "/v1/boards/arena/clear", "{}"}, "LB.CLEAR arena"},
      {{"POST", "/v1/boards/arena/clear"}, "LB.CLEAR arena"},
      {{"POST", "/v1/submit",
        R"({"submits":[{"board":"b","member":"ann","score":[1,2]},
            {"board":"a","member":"ann","score":{"x":3}},
            {"board":"b","member_base64":"/w==","score":4}],"at":5})",
        "k"},
       "LB.MSUBMIT b 2 ann [1 2] \\xff [4] AT 5 ID k; LB.MSUBMIT a 1 ann {x=3} AT 5 ID k "
       "@0.0 @1.0 @0.1"},
  };
  return cases;
}

const std::vector<Case>& ReadCases() {
  static const std::vector<Case> cases = {
      {{"GET", "/v1/boards/arena/entries"}, "LB.TOP arena 10"},
      {{"GET", "/v1/boards/arena/entries?limit=1000&kind=ordinal&meta=0"}, "LB.TOP arena 1000"},
      {{"GET", "/v1/boards/arena/entries?offset=20&limit=5&kind=dense&meta=1"},
       "LB.RANGE arena 20 5 KIND dense WITHMETA (page)"},
      {{"GET", "/v1/boards/arena/entries?offset=-3&limit=2"}, "LB.RANGE arena -3 2 (page)"},
      {{"GET", "/v1/boards/arena/entries?offset=-3"}, "LB.RANGE arena -3 10 (page)"},
      {{"GET", "/v1/boards/arena/entries/ann"}, "LB.GET arena ann"},
      {{"HEAD", "/v1/boards/arena/entries/ann?kind=competition&meta=true"},
       "LB.GET arena ann KIND competition WITHMETA"},
      {{"GET", "/v1/boards/arena/entries/ann/around"}, "LB.AROUND arena ann 5"},
      {{"GET", "/v1/boards/arena/entries/ann/around?radius=0&meta=1"},
       "LB.AROUND arena ann 0 WITHMETA"},
      {{"POST", "/v1/boards/arena/among?kind=dense",
        R"({"members":["ann","",{"member_base64":"/w=="}]})"},
       "LB.AMONG arena 3 ann '' \\xff KIND dense"},
      {{"POST", "/v1/boards/arena/among", R"({"members":[]})"}, "LB.AMONG arena 0"},
      {{"GET", "/v1/boards/run/rank-of?score=10&score=2.5&kind=dense"},
       "LB.RANKOF run [10 2.5] KIND dense"},
      {{"GET", "/v1/boards/arena/count"}, "LB.SIZE arena"},
      {{"GET", "/v1/boards/arena/count?min=(10&max=20"}, "LB.COUNT arena (10 20"},
      {{"GET", "/v1/boards/arena/count?min=10"}, "LB.COUNT arena 10 +inf"},
      {{"GET", "/v1/boards/arena/count?max=%2Binf"}, "LB.COUNT arena -inf +inf"},
      {{"GET", "/v1/boards/arena/between"}, "LB.BETWEEN arena -inf +inf LIMIT 0 10"},
      {{"GET", "/v1/boards/arena/between?min=1&max=(2&offset=3&limit=4&kind=dense&meta=1"},
       "LB.BETWEEN arena 1 (2 LIMIT 3 4 KIND dense WITHMETA"},
      {{"GET", "/v1/boards/arena/percentile?member=a+b"}, "LB.PERCENTILE arena a b"},
      {{"GET", "/v1/boards/arena/quantile?p=99.9"}, "LB.QUANTILE arena 99.9"},
      {{"GET", "/v1/boards/arena/histogram"}, "LB.HISTOGRAM arena 10"},
      {{"GET", "/v1/boards/arena/histogram?buckets=1000"}, "LB.HISTOGRAM arena 1000"},
      {{"GET", "/v1/boards/arena/periods"}, "LB.PERIODS arena"},
      {{"GET", "/v1/boards/arena/changes"}, "LB.CHANGES arena 0"},
      {{"GET", "/v1/boards/arena/changes?from=-5&member=ann&limit=7&wait=1000"},
       "LB.CHANGES arena -5 COUNT 7 MEMBER ann BLOCK 1000"},
      {{"POST", "/v1/read",
        R"({"reads":[{"read":"entries","board":"a","offset":-2,"limit":1,"kind":"dense",
                      "meta":true},
            {"read":"entry","board":"a","member_base64":"/w=="},
            {"read":"around","board":"a","member":"","radius":1},
            {"read":"among","board":"a","members":["ann"]},
            {"read":"rank-of","board_base64":"YQ==","score":{"x":1}},
            {"read":"rank-of","board":"a","score":[1,"2"]},
            {"read":"count","board":"a","min":"(1"},
            {"read":"between","board":"a","max":2},
            {"read":"percentile","board":"a","member":"ann"},
            {"read":"quantile","board":"a","p":50},
            {"read":"histogram","board":"a","buckets":3},
            {"read":"periods","board":"a"},
            {"read":"board","board":"a@day"}]})"},
       "LB.RANGE a -2 1 KIND dense WITHMETA (page); LB.GET a \\xff; LB.AROUND a '' 1; LB.AMONG a 1 "
       "ann; LB.RANKOF a {x=1}; LB.RANKOF a [1 2]; LB.COUNT a (1 +inf; "
       "LB.BETWEEN a -inf 2 LIMIT 0 10; LB.PERCENTILE a ann; LB.QUANTILE a 50; LB.HISTOGRAM a 3; "
       "LB.PERIODS a; LB.DESCRIBE a@day"},
  };
  return cases;
}

TEST(Translation, ARequestBecomesTheWordsOfItsCommand) {
  for (const auto* cases : {&BoardCases(), &WriteCases(), &ReadCases()}) {
    for (const Case& each : *cases) {
      EXPECT_EQ(Translate(each.asked), each.words)
          << each.asked.method << " " << each.asked.target << " " << each.asked.body;
    }
  }
}

TEST(Translation, EveryRouteOfTheEngineIsAmongTheCases) {
  std::set<std::string> tried;
  for (const auto* cases : {&BoardCases(), &WriteCases(), &ReadCases()}) {
    for (const Case& each : *cases) {
      std::string name;
      Translate(each.asked, &name);
      tried.insert(name);
    }
  }
  for (const Route& route : RouteTable()) {
    const bool is_for_engine = route.translate != nullptr || route.shape == Shape::kVerdicts ||
                               route.shape == Shape::kResults;
    EXPECT_EQ(tried.contains(std::string(route.name)), is_for_engine) << route.name;
  }
}

// Refusals ----------------------------------------------------------------------------------------

TEST(Translation, ARefusedParameterIsNamed) {
  const Case cases[] = {
      {{"GET", "/v1/boards/arena/entries?limt=5"},
       "ERR limt: there is no 'limt' here; did you mean 'limit'?"},
      {{"GET", "/v1/boards/arena/count?x=5"}, "ERR x: there is no 'x' here: expected min, max"},
      {{"GET", "/v1/boards/arena/entries?period=day:-1"},
       "ERR period: there is no 'period' here: a period goes with the board's name, as in "
       "arena@day:-1"},
      {{"PUT", "/v1/boards/arena", R"({"period":["day"]})"},
       "ERR period: there is no 'period' here; did you mean 'periods'?"},
      {{"GET", "/v1/boards/arena?x=5"}, "ERR x: there is no 'x' here"},
      {{"GET", "/v1/boards/arena/entries?limit=5&limit=6"}, "ERR limit: limit is given twice"},
      {{"GET", "/v1/boards/arena/entries?limit=1001"},
       "ERR limit: limit must be an integer from 0 to 1000, got '1001'"},
      {{"GET", "/v1/boards/arena/entries?offset=3&limit=-1"},
       "ERR limit: limit must be an integer from 0 to 1000, got '-1'"},
      {{"GET", "/v1/boards/arena/entries?limit="},
       "ERR limit: limit must be an integer from 0 to 1000, got ''"},
      {{"GET", "/v1/boards/arena/entries?kind=olympic"},
       "ERR kind: kind must be one of ordinal, competition, dense, got 'olympic'"},
      {{"GET", "/v1/boards/arena/entries?meta=yes"},
       "ERR meta: meta must be 1, 0, true or false, got 'yes'"},
      {{"GET", "/v1/boards/arena/entries/ann/around?radius=501"},
       "ERR radius: radius must be an integer from 0 to 500, got '501'"},
      {{"GET", "/v1/boards/arena/rank-of"}, "ERR score: score is missing"},
      {{"GET", "/v1/boards/arena/percentile"}, "ERR member: member is missing"},
      {{"GET", "/v1/boards/arena/percentile?member_base64=YQ=="},
       "ERR member_base64: there is no 'member_base64' here: expected member"},
      {{"GET", "/v1/boards/arena/quantile"}, "ERR p: p is missing"},
      {{"GET", "/v1/boards/arena/histogram?buckets=1001"},
       "ERR buckets: buckets must be an integer from 1 to 1000, got '1001'"},
      {{"GET", "/v1/boards/arena/changes?wait=60001"},
       "ERR wait: wait must be an integer from 1 to 60000, got '60001'"},
      {{"GET", "/v1/boards/arena/count?min=x"},
       "ERR min: min must be a number, a number after '(' for an exclusive bound, -inf or +inf, "
       "got 'x'"},
      {{"GET", "/v1/boards/arena/between?max=nan"},
       "ERR max: max must be a number, a number after '(' for an exclusive bound, -inf or +inf, "
       "got 'nan'"},
      {{"GET", "/v1/boards/arena/between?offset=-1"},
       "ERR offset: offset must be an integer from 0 to 9007199254740992, got '-1'"},
      {{"GET", "/v1/boards/arena/entries?offset=x"},
       "ERR offset: offset must be an integer from -9007199254740992 to 9007199254740992, got 'x'"},
      {{"GET", "/v1/boards/arena/quantile?p=x"},
       "ERR p: p must be a number from 0 to 100 with at most 9 decimals, got 'x'"},
      {{"GET", "/v1/boards/arena/changes?limit=0"},
       "ERR limit: limit must be an integer from 1 to 10000, got '0'"},
      {{"GET", "/v1/boards?kind=list"},
       "ERR kind: kind must be one of leaderboard, sorted-set, got 'list'"},
  };
  for (const Case& each : cases) EXPECT_EQ(Translate(each.asked), each.words) << each.asked.target;
}

TEST(Translation, AnIntegerIsTheMemberThatItsTextIs) {
  constexpr std::string_view kEntries = "/v1/boards/arena/entries";
  const Case cases[] = {
      {{"POST", kEntries, R"({"member":12345678901234567890,"score":100})"},
       "LB.SUBMIT arena 12345678901234567890 [100]"},
      {{"POST", kEntries, R"({"entries":[{"member":-7,"score":1},{"member":0,"score":2}]})"},
       "LB.MSUBMIT arena 2 -7 [1] 0 [2]"},
      {{"POST", "/v1/submit", R"({"submits":[{"board":"b","member":7,"score":1}]})"},
       "LB.MSUBMIT b 1 7 [1] @0.0"},
      {{"POST", "/v1/boards/arena/remove", R"({"members":[12345,"ann"]})"},
       "LB.REMOVE arena 12345 ann"},
      {{"POST", "/v1/boards/arena/among", R"({"members":[12345,-0]})"},
       "LB.AMONG arena 2 12345 -0"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"entry","board":"a","member":7}]})"},
       "LB.GET a 7"},
      {{"POST", kEntries, R"({"member":1.0,"score":1})"},
       "ERR member: member must be a string or an integer, got the number 1.0"},
      {{"POST", kEntries, R"({"member":1e3,"score":1})"},
       "ERR member: member must be a string or an integer, got the number 1e3"},
      {{"POST", kEntries, R"({"member":true,"score":1})"},
       "ERR member: member must be a string or an integer, got a boolean"},
      {{"POST", kEntries, R"({"member_base64":12,"score":1})"},
       "ERR member_base64: member_base64 must be a string, got a number"},
      {{"POST", kEntries, R"({"member":"ann","score":1,"meta":12})"},
       "ERR meta: meta must be a string, got a number"},
  };
  for (const Case& each : cases) EXPECT_EQ(Translate(each.asked), each.words) << each.asked.body;
}

TEST(Translation, ARefusedKeyOfABodyIsNamedWithItsPath) {
  constexpr std::string_view kEntries = "/v1/boards/arena/entries";
  const Case cases[] = {
      {{"POST", kEntries, "[]"}, "ERR body: body must be an object, got an array"},
      {{"POST", kEntries, R"({"score":1})"}, "ERR member: member is missing"},
      {{"POST", kEntries, R"({"member":"ann"})"}, "ERR score: score is missing"},
      {{"POST", kEntries, R"({"member":null,"score":1})"},
       "ERR member: member must be a string or an integer, got null"},
      {{"POST", kEntries, R"({"member":"ann","member_base64":"YQ==","score":1})"},
       "ERR member: member is given twice"},
      {{"POST", kEntries, R"({"member_base64":"YQ","score":1})"},
       "ERR member_base64: member_base64 must be base64 with padding"},
      {{"POST", kEntries, R"({"member":"ann","score":true})"},
       "ERR score: score must be an array, an object, a string or a number, got a boolean"},
      {{"POST", kEntries, R"({"member":"ann","score":[1,null]})"},
       "BADSCORE score.1: score.1 must be a string or a number, got null"},
      {{"POST", kEntries, R"({"member":"ann","score":{"a":[1]}})"},
       "BADSCORE score.a: score.a must be a string or a number, got an array"},
      {{"POST", kEntries, R"({"member":"ann","score":1,"op":"add"})"},
       "ERR op: op must be one of submit, set, incr, got 'add'"},
      {{"POST", kEntries, R"({"member":"ann","score":1,"iff":"absent"})"},
       "ERR iff: there is no 'iff' here; did you mean 'if'?"},
      {{"POST", kEntries, R"({"entries":[]})"}, "ERR entries: entries is empty"},
      {{"POST", kEntries, R"({"entries":[{"member":"ann","score":1}],"op":"set"})"},
       "ERR op: op stands beside entries"},
      {{"POST", kEntries, R"({"entries":[{"member":"ann","score":1},{"member":"bob"}]})"},
       "ERR entries.1.score: entries.1.score is missing"},
      {{"POST", kEntries, R"({"entries":[{"member":"ann","score":1,"at":1}]})"},
       "ERR entries.0.at: there is no 'entries.0.at' here: expected member, score"},
      {{"POST", kEntries, R"({"entries":[{"member":"ann","score":[{}]}]})"},
       "BADSCORE entries.0.score.0: entries.0.score.0 must be a string or a number, got an object"},
      {{"POST", kEntries, R"({"entries":["ann"]})"},
       "ERR entries.0: entries.0 must be an object, got a string"},
      {{"PUT", "/v1/boards/arena/entries/ann/meta", "{}"}, "ERR meta: meta is missing"},
      {{"POST", "/v1/boards/arena/remove", R"({"members":[]})"}, "ERR members: members is empty"},
      {{"POST", "/v1/boards/arena/remove", R"({"members":["ann",1.5]})"},
       "ERR members.1: members.1 must be a string, an integer or an object with member_base64"},
      {{"POST", "/v1/boards/arena/among", R"({"members":[{"member_base64":"!"}]})"},
       "ERR members.0.member_base64: members.0.member_base64 must be base64 with padding"},
      {{"POST", "/v1/boards/arena/pop", R"({"n":1001})"},
       "ERR n: n must be an integer from 0 to 1000, got '1001'"},
      {{"POST", "/v1/boards/arena/pop", R"({"n":"1"})"},
       "ERR n: n must be an integer, got a string"},
      {{"POST", "/v1/boards/arena/pop", R"({"n":1.5})"},
       "ERR n: n must be an integer from 0 to 1000, got '1.5'"},
      {{"POST", "/v1/boards/arena/pop", R"({"n":1,"bottom":1})"},
       "ERR bottom: bottom must be a boolean, got a number"},
      {{"POST", "/v1/boards/arena/trim", "{}"}, "ERR n: n is missing"},
      {{"POST", "/v1/boards/arena/clear", R"({"n":1})"}, "ERR n: there is no 'n' here"},
  };
  for (const Case& each : cases) EXPECT_EQ(Translate(each.asked), each.words) << each.asked.body;
}

// What a refusal is about: its code and its field.
std::string FieldOf(const Asked& asked) {
  const std::string text = Translate(asked);
  return text.substr(0, text.find(':'));
}

TEST(Translation, ARefusedOptionOfASpecIsNamed) {
  constexpr std::string_view kBoard = "/v1/boards/arena";
  const Case cases[] = {
      {{"PUT", kBoard, R"({"fields":[]})"}, "ERR fields"},
      {{"PUT", kBoard, R"({"fields":[1]})"}, "ERR fields.0"},
      {{"PUT", kBoard, R"({"fields":["a",{"type":"int"}]})"}, "ERR fields.1.name"},
      {{"PUT", kBoard, R"({"fields":[{"name":"a","kind":"int"}]})"}, "ERR fields.0.kind"},
      {{"PUT", kBoard, R"({"fields":[{"name":"a:b"}]})"}, "ERR fields.0.name"},
      {{"PUT", kBoard, R"({"fields":[{"name":"a","type":1}]})"}, "ERR fields.0.type"},
      {{"PUT", kBoard, R"({"periods":[1]})"}, "ERR periods.0"},
      {{"PUT", kBoard, R"({"periods":"day"})"}, "ERR periods"},
      {{"PUT", kBoard, R"({"tie":"none"})"}, "ERR tie"},
      {{"PUT", kBoard, R"({"policy":"worst"})"}, "ERR policy"},
      {{"PUT", kBoard, R"({"cap":-1})"}, "ERR cap"},
      {{"PUT", kBoard, R"({"start":"soon"})"}, "BADTIME start"},
      {{"PUT", kBoard, R"({"end":1e30})"}, "BADTIME end"},
      {{"PUT", kBoard, R"({"grace":"long"})"}, "ERR grace"},
      {{"PUT", kBoard, R"({"expire":30})"}, "ERR expire"},
      {{"PUT", kBoard, R"({"dedup":10000001})"}, "LIMIT dedup"},
      {{"PUT", kBoard, R"({"start":20,"end":10})"}, "ERR "},
      {{"PUT", kBoard, R"({"policy":"sum","cap":5})"}, "ERR "},
      {{"PUT", kBoard, R"({"policy":"sum","cap":5,"fields":["a"]})"}, "ERR "},
      {{"PUT", kBoard, R"({"policy":"sum","fields":["field:int:desc:max"]})"}, "ERR fields"},
      {{"PUT", kBoard, R"({"periods":["week","periods"]})"}, "ERR periods"},
      {{"PUT", kBoard, R"({"keep":5})"}, "ERR keep"},
      {{"PUT", kBoard, R"({"grace":"1h"})"}, "ERR grace"},
      {{"PUT", kBoard, R"({"tz":"Asia/Tokyo"})"}, "ERR tz"},
      {{"PUT", kBoard, R"({"adopt":1})"}, "ERR adopt"},
      {{"PUT", kBoard, R"({"tie":null})"}, "ERR tie"},
      {{"PUT", kBoard, R"({"caps":1})"}, "ERR caps"},
      {{"PATCH", kBoard, "{}"}, "ERR "},
      {{"PATCH", kBoard, R"({"tie":"first"})"}, "ERR tie"},
      {{"PATCH", kBoard, R"({"adopt":true})"}, "ERR adopt"},
      {{"PUT", "/v1/templates/x*", R"({"adopt":true})"}, "ERR adopt"},
      {{"PUT", "/v1/templates/x*", R"({"end":"never"})"}, "BADTIME end"},
  };
  for (const Case& each : cases) EXPECT_EQ(FieldOf(each.asked), each.words) << each.asked.body;
}

TEST(Translation, ARefusedReadOrSubmitIsNamedWithItsNumber) {
  const Case cases[] = {
      {{"POST", "/v1/read", "{}"}, "ERR reads"},
      {{"POST", "/v1/read", R"({"reads":[]})"}, "ERR reads"},
      {{"POST", "/v1/read", R"({"reads":{}})"}, "ERR reads"},
      {{"POST", "/v1/read", R"({"reads":[1]})"}, "ERR reads.0"},
      {{"POST", "/v1/read", R"({"reads":[{"board":"a"}]})"}, "ERR reads.0.read"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"size","board":"a"}]})"}, "ERR reads.0.read"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"count"}]})"}, "ERR reads.0.board"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"count","board":"a"},
                                {"read":"entry","board":"a"}]})"},
       "ERR reads.1.member"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"among","board":"a"}]})"}, "ERR reads.0.members"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"rank-of","board":"a"}]})"}, "ERR reads.0.score"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"quantile","board":"a"}]})"}, "ERR reads.0.p"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"entry","board":"a","member":"b","limit":1}]})"},
       "ERR reads.0.limit"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"entries","board":"a","member":"b"}]})"},
       "ERR reads.0.member"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"entries","board":"a","limit":1001}]})"},
       "ERR reads.0.limit"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"among","board":"a","members":["b",7E1]}]})"},
       "ERR reads.0.members.1"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"rank-of","board":"a","score":[null]}]})"},
       "BADSCORE reads.0.score.0"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"count","board":"a","min":"x"}]})"},
       "ERR reads.0.min"},
      {{"POST", "/v1/read", R"({"reads":[{"read":"quantile","board":"a","p":"x"}]})"},
       "ERR reads.0.p"},
      {{"POST", "/v1/submit", "{}"}, "ERR submits"},
      {{"POST", "/v1/submit", R"({"submits":[]})"}, "ERR submits"},
      {{"POST", "/v1/submit", R"({"submits":[{"member":"ann","score":1}]})"},
       "ERR submits.0.board"},
      {{"POST", "/v1/submit",
        R"({"submits":[{"board":"a","member":"ann","score":1},{"board":"a","member":"b"}]})"},
       "ERR submits.1.score"},
      {{"POST", "/v1/submit", R"({"submits":[{"board":"a","member":"b","score":[[]]}]})"},
       "BADSCORE submits.0.score.0"},
      {{"POST", "/v1/submit", R"({"submits":[{"board":"a","member":"b","score":1,"op":"set"}]})"},
       "ERR submits.0.op"},
  };
  for (const Case& each : cases) EXPECT_EQ(FieldOf(each.asked), each.words) << each.asked.body;
}

TEST(Translation, AThousandSubmitsAreTakenTogetherAndOneMoreIsRefused) {
  const auto body = [](std::size_t count) {
    std::string submits;
    for (std::size_t i = 0; i < count; ++i) {
      submits += std::string(i > 0 ? "," : "") + R"({"board":"a","member":"b","score":1})";
    }
    return R"({"submits":[)" + submits + "]}";
  };
  EXPECT_TRUE(Translate({"POST", "/v1/submit", body(kMaxSubmitsTogether)}).starts_with("LB."));
  EXPECT_EQ(Translate({"POST", "/v1/submit", body(kMaxSubmitsTogether + 1)}),
            "ERR submits: submits must be 1 to 1000 submits, got 1001");
}

TEST(Translation, TenThousandEntriesAreTakenTogetherAndOneMoreIsRefused) {
  const auto body = [](std::size_t count) {
    std::string entries;
    for (std::size_t i = 0; i < count; ++i) {
      entries += std::string(i > 0 ? "," : "") + R"({"member":"b","score":1})";
    }
    return R"({"entries":[)" + entries + "]}";
  };
  const std::string path = "/v1/boards/a/entries";
  EXPECT_TRUE(Translate({"POST", path, body(kMaxEntriesTogether)}).starts_with("LB."));
  EXPECT_EQ(Translate({"POST", path, body(kMaxEntriesTogether + 1)}),
            "ERR entries: entries must be 1 to 10000 entries, got 10001");
}

TEST(Translation, ThirtyTwoReadsAreTakenAndOneMoreIsRefused) {
  const auto body = [](std::size_t count) {
    std::string reads;
    for (std::size_t i = 0; i < count; ++i) {
      reads += std::string(i > 0 ? "," : "") + R"({"read":"count","board":"a"})";
    }
    return R"({"reads":[)" + reads + "]}";
  };
  std::string expected = "LB.SIZE a";
  for (std::size_t i = 1; i < kMaxReads; ++i) expected += "; LB.SIZE a";
  EXPECT_EQ(Translate({"POST", "/v1/read", body(kMaxReads)}), expected);
  EXPECT_EQ(Translate({"POST", "/v1/read", body(kMaxReads + 1)}),
            "ERR reads: reads must be 1 to 32 reads, got 33");
}

}  // namespace
}  // namespace laurel::http
