#include "tests/conformance/http_host.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "laurel/score.h"
#include "tests/conformance/http_spelling.h"
#include "tests/conformance/operation_words.h"

namespace laurel::conformance {
namespace {

using black_box::HttpRequest;
using black_box::PercentEncoded;
using leaderboard::InstanceSelector;

using Texts = std::vector<std::string>;
using Views = std::vector<std::string_view>;

constexpr std::string_view kBoard = "lb";
constexpr std::int64_t kMaxPage = 1000;

// The board, or the instance by its name.
std::string NameOf(const std::optional<InstanceSelector>& instance) {
  return std::string(kBoard) + (instance ? "@" + std::string(instance->text) : "");
}

Views ViewsOf(const Texts& texts) { return {texts.begin(), texts.end()}; }

std::string Refusal(const HttpAnswer& answer) { return "!" + *answer.code(); }

// The text of an answer: what `tell` makes of a success. Where other hosts answer `absent`, HTTP
// refuses with NOMEMBER.
template <typename Tell>
std::string Told(const HttpAnswer& answer, std::string_view absent, const Tell& tell) {
  const std::optional<std::string> code = answer.code();
  if (!code) return tell(answer.json());
  return *code == "NOMEMBER" && !absent.empty() ? std::string(absent) : Refusal(answer);
}

// The number under a name.
std::string NumberIn(const HttpAnswer& answer, std::string_view name) {
  return Told(answer, "", [&](base::JsonValue json) { return TextOf(Named(json, name)); });
}

// The same for a route of one member: a success that changes nothing is NOMEMBER there.
std::string ChangesIn(const HttpAnswer& answer, std::string_view name) {
  const std::string text =
      Told(answer, "0", [&](base::JsonValue json) { return TextOf(Named(json, name)); });
  if (text == "0" && !answer.code()) throw std::runtime_error("a change of nothing");
  return text;
}

std::string EntriesText(const Texts& entries) {
  std::string text = std::to_string(entries.size()) + " entries";
  for (const std::string& entry : entries) text += "; " + entry;
  return text;
}

void AddEntries(base::JsonValue page, Texts* entries) {
  for (const base::JsonValue entry : Named(page, "entries")) entries->push_back(EntryText(entry));
}

std::string PageText(const HttpAnswer& answer, std::string_view absent) {
  return Told(answer, absent, [](base::JsonValue page) {
    Texts entries;
    AddEntries(page, &entries);
    return EntriesText(entries);
  });
}

// Makes the requests of one operation, and gives the answer in the form of ConformanceAnswer.
class Calling {
 public:
  Calling(HttpExchange* exchange, base::Random* random, const Spec& spec)
      : exchange_(*exchange), random_(*random), spelling_(random), spec_(spec) {}

  std::string operator()(const leaderboard::Submit& submit);
  std::string operator()(const leaderboard::SubmitMany& many);
  std::string operator()(const leaderboard::Restore&) { throw std::logic_error("see Takes"); }
  std::string operator()(const leaderboard::SetMeta& meta) {
    return ChangesIn(Write("PUT", NameOf(meta.instance), PathOf(meta.member) + "/meta",
                           spelling_.Object({spelling_.Bytes("meta", meta.meta)})),
                     "changed");
  }
  std::string operator()(const leaderboard::Remove& remove);
  std::string operator()(const leaderboard::RemoveRange&) { throw std::logic_error("see Takes"); }
  std::string operator()(const leaderboard::Hide& hide) { return Mark("PUT", hide.members); }
  std::string operator()(const leaderboard::Show& show) { return Mark("DELETE", show.members); }
  std::string operator()(const leaderboard::Pop& pop) {
    Texts pairs = {JsonPair("n", std::to_string(pop.count))};
    if (pop.worst || OneIn(2)) pairs.push_back(JsonPair("bottom", pop.worst ? "true" : "false"));
    return PageText(Write("POST", NameOf(pop.instance), pop.with_meta ? "/pop?meta=1" : "/pop",
                          spelling_.Object(std::move(pairs))),
                    "");
  }
  std::string operator()(const leaderboard::Trim& trim) {
    return NumberIn(Write("POST", NameOf(trim.instance), "/trim",
                          spelling_.Object({JsonPair("n", std::to_string(trim.kept))})),
                    "removed");
  }
  std::string operator()(const leaderboard::Clear& clear) {
    return NumberIn(Write("POST", NameOf(clear.instance), "/clear", OneIn(2) ? "{}" : ""),
                    "removed");
  }
  std::string operator()(const leaderboard::Alter& alter) {
    const HttpAnswer answer =
        Write("PATCH", std::string(kBoard), "", spelling_.Alter(spec_, *alter.spec));
    return Told(answer, "", [&](base::JsonValue description) -> std::string {
      const bool is_altered = TextOf(Named(description, "create")) == DescribeSpec(*alter.spec);
      return is_altered ? "OK" : "altered to " + TextOf(Named(description, "create"));
    });
  }

  std::string operator()(const leaderboard::Get& get);
  std::string operator()(const leaderboard::Top& top) {
    return Page("entries", top.options, 0, top.count);
  }
  std::string operator()(const leaderboard::Range& range);
  std::string operator()(const leaderboard::Around& around) {
    HttpRead read("around", NameOf(around.options.instance));
    read.Member(around.member, &spelling_);
    read.Number("radius", static_cast<std::int64_t>(around.radius));
    read.Options(around.options, true);
    return PageText(Read(read), "nil");
  }
  std::string operator()(const leaderboard::Among& among) {
    HttpRead read("among", NameOf(among.options.instance));
    read.Members(among.members, &spelling_);
    read.Options(among.options, true);
    return PageText(Read(read), "");
  }
  std::string operator()(const leaderboard::RankOf& rank_of);
  std::string operator()(const leaderboard::Count& count) {
    HttpRead read("count", NameOf(count.options.instance));
    read.Text("min", count.bounds.min);
    read.Text("max", count.bounds.max);
    return BoardFirst(count.options.instance, NumberIn(Read(read), "count"));
  }
  std::string operator()(const leaderboard::Between& between) {
    return BoardFirst(between.options.instance,
                      Page("between", between.options, static_cast<std::int64_t>(between.offset),
                           between.limit, &between.bounds));
  }
  std::string operator()(const leaderboard::Size& size) {
    return NumberIn(Read(HttpRead("count", NameOf(size.options.instance))), "count");
  }
  std::string operator()(const leaderboard::PercentileOf& percentile) {
    HttpRead read("percentile", NameOf(percentile.options.instance));
    read.Text("member", percentile.member);
    return Told(Read(read), "nil", PercentileText);
  }
  std::string operator()(const leaderboard::Quantile& quantile) {
    HttpRead read("quantile", NameOf(quantile.options.instance));
    read.Text("p", FormatNumber(quantile.percent, 9));
    std::string text = Told(Read(read), "", [](base::JsonValue json) {
      const base::JsonValue score = Named(json, "score");
      return score.Is(base::JsonKind::kNull) ? "nil" : ScoreText(score);
    });
    return BoardFirst(quantile.options.instance, std::move(text));
  }
  std::string operator()(const leaderboard::Histogram& histogram) {
    HttpRead read("histogram", NameOf(histogram.options.instance));
    read.Number("buckets", static_cast<std::int64_t>(histogram.buckets));
    std::string text = Told(
        Read(read), "", [](base::JsonValue json) { return BucketsText(Named(json, "buckets")); });
    return BoardFirst(histogram.options.instance, std::move(text));
  }
  std::string operator()(const leaderboard::Describe& describe) {
    return Told(Read(HttpRead("board", NameOf(describe.instance))), "", DescriptionText);
  }
  std::string operator()(const leaderboard::ListPeriods&) {
    return Told(Read(HttpRead("periods", kBoard)), "",
                [](base::JsonValue json) { return PeriodsText(Named(json, "periods"), kBoard); });
  }

 private:
  bool OneIn(std::uint64_t n) { return random_.OneIn(n); }
  static std::string PathOf(std::string_view member) {
    return "/entries/" + PercentEncoded(member);
  }

  HttpAnswer Write(std::string method, const std::string& board, const std::string& path,
                   std::string body, std::optional<std::string_view> id = {}) {
    return SendWrite(std::move(method), "/v1/boards/" + PercentEncoded(board) + path,
                     std::move(body), id);
  }
  HttpAnswer SendWrite(std::string method, std::string target, std::string body,
                       std::optional<std::string_view> id) {
    HttpRequest request{std::move(method), std::move(target), {}, std::move(body)};
    if (id) request.headers.emplace_back("Idempotency-Key", *id);
    return exchange_.Send(std::move(request));
  }
  // Hides or shows the members, one by one.
  std::string Mark(const std::string& method, std::span<const std::string_view> members);

  // Reads by the route, or by POST /v1/read.
  HttpAnswer Read(const HttpRead& read);
  // HTTP checks a request before it looks for the board. Other hosts look for the board first: if
  // it is missing, that is their answer.
  std::string BoardFirst(const std::optional<InstanceSelector>& instance, std::string text) {
    if (!text.starts_with('!')) return text;
    const HttpAnswer answer = Read(HttpRead("count", NameOf(instance)));
    return answer.code() ? Refusal(answer) : text;
  }
  // Up to `count` entries from `offset` on, page by page. A negative offset counts from the end.
  std::string Page(std::string_view kind, const leaderboard::ReadOptions& options,
                   std::int64_t offset, std::uint64_t count,
                   const leaderboard::Bounds* bounds = nullptr);

  HttpExchange& exchange_;
  base::Random& random_;
  Spelling spelling_;
  const Spec& spec_;
};

// Writes ------------------------------------------------------------------------------------------

std::string Calling::operator()(const leaderboard::Submit& submit) {
  constexpr const char* kOps[] = {"submit", "set", "incr"};
  const Texts scaled =
      submit.values.score != nullptr ? FormatScore(spec_, *submit.values.score) : Texts();
  const Views values = submit.values.score != nullptr
                           ? ViewsOf(scaled)
                           : Views(submit.values.texts.begin(), submit.values.texts.end());
  Texts pairs = {spelling_.Bytes("member", submit.member),
                 JsonPair("score", spelling_.Score(spec_, values))};
  if (submit.mode != WriteMode::kSubmit || OneIn(2)) {
    pairs.push_back(JsonPair("op", JsonText(kOps[static_cast<std::size_t>(submit.mode)])));
  }
  if (submit.condition == Write::If::kAbsent) pairs.push_back(R"("if":"absent")");
  if (submit.condition == Write::If::kPresent) pairs.push_back(R"("if":"present")");
  if (submit.at) pairs.push_back(JsonPair("at", spelling_.Time(*submit.at)));
  if (submit.meta) pairs.push_back(spelling_.Bytes("meta", *submit.meta));
  const HttpAnswer answer =
      Write("POST", std::string(kBoard), "/entries", spelling_.Object(std::move(pairs)), submit.id);
  return Told(answer, "", [](base::JsonValue verdict) {
    return (Find(verdict, "duplicate") ? "duplicate " : "") + VerdictText(verdict);
  });
}

std::string Calling::operator()(const leaderboard::SubmitMany& many) {
  const bool names_board = OneIn(2);  // POST /v1/submit
  Texts items;
  const auto add = [&](std::string_view member, std::span<const std::string_view> values) {
    Texts pairs = {spelling_.Bytes("member", member),
                   JsonPair("score", spelling_.Score(spec_, values))};
    if (names_board) pairs.push_back(spelling_.Bytes("board", kBoard));
    items.push_back(spelling_.Object(std::move(pairs)));
  };
  const std::size_t step = spec_.fields.size() + 1;
  for (std::size_t i = 0; i < many.texts.size(); i += step) {
    const auto words = many.texts.subspan(i, std::min(step, many.texts.size() - i));
    add(words[0], words.subspan(1));
  }
  for (const laurel::Write& write : many.writes) {
    const Texts values = FormatScore(spec_, write.score);
    add(write.member, ViewsOf(values));
  }
  Texts pairs = {JsonPair(names_board ? "submits" : "entries", JsonArray(items))};
  const std::optional<Stamp> at = many.writes.empty() ? many.at : many.writes[0].at;
  if (at) pairs.push_back(JsonPair("at", spelling_.Time(*at)));
  std::string body = spelling_.Object(std::move(pairs));
  const HttpAnswer answer =
      names_board ? SendWrite("POST", "/v1/submit", std::move(body), many.id)
                  : Write("POST", std::string(kBoard), "/entries", std::move(body), many.id);
  return Told(answer, "",
              [](base::JsonValue json) { return VerdictsText(Named(json, "verdicts")); });
}

std::string Calling::operator()(const leaderboard::Remove& remove) {
  const std::string board = NameOf(remove.instance);
  if (remove.members.size() == 1 && OneIn(2)) {
    return ChangesIn(Write("DELETE", board, PathOf(remove.members[0]), ""), "removed");
  }
  std::string body = spelling_.Object({JsonPair("members", spelling_.Members(remove.members))});
  return NumberIn(Write("POST", board, "/remove", std::move(body)), "removed");
}

std::string Calling::Mark(const std::string& method, std::span<const std::string_view> members) {
  std::uint64_t changed = 0;
  for (const std::string_view member : members) {
    const HttpAnswer answer = Write(method, std::string(kBoard), PathOf(member) + "/hidden", "");
    if (answer.code()) return Refusal(answer);
    changed += std::stoull(TextOf(Named(answer.json(), "changed")));
  }
  return std::to_string(changed);
}

// Reads -------------------------------------------------------------------------------------------

std::string Calling::operator()(const leaderboard::Get& get) {
  HttpRead read("entry", NameOf(get.options.instance));
  read.Member(get.member, &spelling_);
  read.Options(get.options, true);
  return Told(Read(read), "nil", [](base::JsonValue entry) {
    return EntryText(entry) + " of " + TextOf(Named(entry, "count"));
  });
}

std::string Calling::operator()(const leaderboard::Range& range) {
  // HTTP pages by offset, so there is no spelling of the rank 0.
  if (range.first == 0 || range.last == 0) return BoardFirst(range.options.instance, "!ERR");
  const auto many = [](std::int64_t count) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
  };
  if (range.first < 0 && range.last < 0) {
    return Page("entries", range.options, range.first, many(range.last - range.first + 1));
  }
  std::int64_t first = range.first;
  std::int64_t last = range.last;
  if (first < 0 || last < 0) {
    const HttpAnswer answer = Read(HttpRead("count", NameOf(range.options.instance)));
    if (answer.code()) return Refusal(answer);
    const std::int64_t size = std::stoll(TextOf(Named(answer.json(), "count")));
    if (first < 0) first = std::max<std::int64_t>(size + first + 1, 1);
    if (last < 0) last = size + last + 1;
  }
  return Page("entries", range.options, first - 1, many(last - first + 1));
}

std::string Calling::operator()(const leaderboard::RankOf& rank_of) {
  HttpRead read("rank-of", NameOf(rank_of.options.instance));
  read.Score(spec_, rank_of.values.texts, &spelling_);
  read.Options(rank_of.options, false);
  std::string text = Told(Read(read), "", [](base::JsonValue json) {
    const base::JsonValue rank = Named(json, "rank");
    return rank.Is(base::JsonKind::kNull) ? "nil" : TextOf(rank);
  });
  return BoardFirst(rank_of.options.instance, std::move(text));
}

HttpAnswer Calling::Read(const HttpRead& read) {
  if (read.has_route() && !OneIn(3)) {
    return exchange_.Send({read.body().empty() ? "GET" : "POST", read.Target(), {}, read.body()});
  }
  Texts reads = {read.Element(&spelling_)};
  const std::size_t before = random_.Below(2);  // how many other reads stand before
  if (before > 0) reads.insert(reads.begin(), HttpRead("board", kBoard).Element(&spelling_));
  HttpAnswer answer = exchange_.Send(
      {"POST", "/v1/read", {}, spelling_.Object({JsonPair("reads", JsonArray(reads))})});
  if (answer.code()) return answer;
  if (Named(answer.json(), "results").size() != reads.size()) {
    throw std::runtime_error("wrong results: " + std::string(answer.json().json()));
  }
  return answer.Part("results", before);
}

std::string Calling::Page(std::string_view kind, const leaderboard::ReadOptions& options,
                          std::int64_t offset, std::uint64_t count,
                          const leaderboard::Bounds* bounds) {
  const std::uint64_t most = OneIn(3) ? 1 + random_.Below(3) : std::uint64_t{kMaxPage};
  Texts entries;
  for (std::uint64_t asked = 0;;) {
    const auto limit = static_cast<std::int64_t>(std::min(most, count - asked));
    HttpRead read(kind, NameOf(options.instance));
    if (bounds != nullptr) read.Text("min", bounds->min);
    if (bounds != nullptr) read.Text("max", bounds->max);
    if (offset != 0 || OneIn(2)) read.Number("offset", offset);
    read.Number("limit", limit);
    read.Options(options, true);
    const HttpAnswer answer = Read(read);
    if (answer.code()) return Refusal(answer);
    const std::size_t had = entries.size();
    AddEntries(answer.json(), &entries);
    const auto got = static_cast<std::int64_t>(entries.size() - had);
    const std::int64_t size = std::stoll(TextOf(Named(answer.json(), "count")));
    const std::int64_t left = std::max<std::int64_t>(size - offset, 0);
    if (kind == "entries" && offset >= 0 && got != std::min(limit, left)) {
      throw std::runtime_error("wrong count: " + std::string(answer.json().json()));
    }
    asked += static_cast<std::uint64_t>(limit);
    // From the end, a page may be short because it begins before the first entry.
    if (asked == count || (offset >= 0 && got < limit)) return EntriesText(entries);
    offset += limit;
  }
}

}  // namespace

HttpHost::HttpHost(std::uint64_t seed) : random_(seed) {
  server_.SetEnvironment(clock_.Environment());
}

void HttpHost::Start() {
  server_.Start({"--http-port", "0", "--threads", "1"});
  exchange_.Connect(server_.http_port());
}

void HttpHost::SetTime(Stamp now) {
  clock_.Set(now);
  if (!server_.Running()) Start();
}

void HttpHost::Create(const Spec& spec) {
  const std::string target = "/v1/boards/" + std::string(kBoard);
  (void)exchange_.Send({"DELETE", target, {}, ""});  // the board may be absent
  const HttpAnswer created = exchange_.Send({"PUT", target, {}, Spelling(&random_).Create(spec)});
  if (created.code() || TextOf(Named(created.json(), "create")) != DescribeSpec(spec)) {
    throw std::runtime_error("not created: " + std::string(created.json().json()));
  }
  spec_ = spec;
  closes_.clear();
}

bool HttpHost::Takes(const leaderboard::Operation& operation) const {
  const auto* write = std::get_if<leaderboard::WriteOperation>(&operation);
  if (write != nullptr && std::holds_alternative<leaderboard::Restore>(*write)) return false;
  return WordsOf(operation, kBoard, spec_, InstanceWords::kInTheName).has_value();
}

std::string HttpHost::Ask(const leaderboard::Operation& operation) {
  Calling calling(&exchange_, &random_, spec_);
  std::string answer =
      std::visit([&](const auto& of_kind) { return std::visit(calling, of_kind); }, operation);
  if (const auto* write = std::get_if<leaderboard::WriteOperation>(&operation)) {
    const auto* alter = std::get_if<leaderboard::Alter>(write);
    if (alter != nullptr && answer == "OK") spec_ = *alter->spec;
  } else if (std::holds_alternative<leaderboard::ListPeriods>(
                 std::get<leaderboard::ReadOperation>(operation))) {
    CompareCloses();
  }
  if (random_.OneIn(3)) CompareVersion();
  return answer;
}

void HttpHost::CompareVersion() {
  std::string name(kBoard);
  if (!spec_.periods.empty() && random_.OneIn(2)) {
    name += "@" + std::string(PeriodName(spec_.periods[random_.Below(spec_.periods.size())]));
    if (random_.OneIn(2)) name += ":-1";
  }
  HttpRead read(random_.OneIn(3) ? "between" : "entries", name);
  read.Number("limit", kMaxPage);
  read.Flag("meta");
  exchange_.ComparePage(read.Target());
}

void HttpHost::CompareCloses() {
  const HttpAnswer answer = exchange_.Send({"GET", HttpRead("periods", kBoard).Target(), {}, ""});
  if (answer.code()) return;
  for (const base::JsonValue line : Named(answer.json(), "periods")) {
    const std::string cursor = TextOf(Named(line, "closed"));
    const auto [known, is_new] = closes_.emplace(TextOf(Named(line, "board")), cursor);
    if (!is_new && known->second != cursor) trouble_ = known->first + " has closed again";
    if (cursor == "-") closes_.erase(known);
  }
}

// A request does a slice of the work that is due, before anything else. One slice is enough for a
// board of the suite. The answer to a write waits until all before it is on disk.
void HttpHost::Advance() { (void)exchange_.Send({"DELETE", "/v1/templates/nothing", {}, ""}); }

void HttpHost::Restart() {
  if (random_.OneIn(2)) {
    if (const int code = server_.Stop(); code != 0) {
      trouble_ = "the server ended with " + std::to_string(code);
    }
  } else {
    server_.Kill();
  }
  Start();
}

}  // namespace laurel::conformance
