#include "http/translators.h"

#include <algorithm>
#include <unordered_map>

#include "base/assert.h"
#include "base/base64.h"
#include "base/text.h"
#include "wire/command_table.h"

namespace laurel::http {
namespace {

using Id = wire::CommandId;

bool Begin(Translation& t, Id id) {
  t.call.Begin(id);
  for (const std::string_view value : t.path) t.call.Put(value);
  return true;
}

// Puts an option with the value of that name, if it is given.
void PutOption(std::string_view word, const Input& input, std::string_view name, Call* call) {
  if (!input.Has(name)) return;
  call->Put(word);
  call->PutFrom(input, name);
}

// Puts one member of an array: a string, an integer, or an object with member_base64.
bool PutMember(base::JsonValue value, const std::string& field, Call* call, Refusal* refusal) {
  if (IsMember(value)) {
    call->Put(value.text());
    return true;
  }
  if (value.Is(base::JsonKind::kObject) && value.size() == 1 &&
      (*value.begin()).key() == "member_base64" && (*value.begin()).Is(base::JsonKind::kString)) {
    std::string bytes;
    if (!base::DecodeBase64((*value.begin()).text(), &bytes)) {
      return Refuse(refusal, field + ".member_base64", "must be base64 with padding");
    }
    call->PutOwn(std::move(bytes));
    return true;
  }
  return Refuse(refusal, field, "must be a string, an integer or an object with member_base64");
}

bool PutMembers(base::JsonValue members, const std::string& field, bool counted, Call* call,
                Refusal* refusal) {
  if (members.size() == 0 && !counted) return Refuse(refusal, field, "is empty");
  if (counted) call->PutNumber(static_cast<std::int64_t>(members.size()));
  std::size_t index = 0;
  for (const base::JsonValue member : members) {
    if (!PutMember(member, field + "." + std::to_string(index++), call, refusal)) return false;
  }
  return true;
}

// Specs -------------------------------------------------------------------------------------------

constexpr std::string_view kFieldKeys[] = {"name", "type", "direction", "operator"};

// Puts one of `fields`: a text such as "points:int:desc:sum", or an object with its parts.
bool PutField(base::JsonValue value, const std::string& field, Call* call, Refusal* refusal) {
  if (value.Is(base::JsonKind::kString)) {
    call->Put(value.text());
    return true;
  }
  if (!value.Is(base::JsonKind::kObject)) {
    return Refuse(refusal, field, "must be an object with name, type, direction and operator");
  }
  std::string_view parts[4] = {"", "int", "desc", "set"};
  for (const base::JsonValue part : value) {
    const auto* found = std::find(std::begin(kFieldKeys), std::end(kFieldKeys), part.key());
    const std::string where = field + "." + std::string(part.key());
    if (found == std::end(kFieldKeys)) {
      return Refuse(refusal, where, "is unknown: a field has name, type, direction and operator");
    }
    if (!part.Is(base::JsonKind::kString)) return Refuse(refusal, where, "must be a string");
    if (part.text().find(':') != std::string_view::npos) {
      return Refuse(refusal, where, "must not have a colon");
    }
    parts[found - std::begin(kFieldKeys)] = part.text();
  }
  if (parts[0].empty()) return Refuse(refusal, field + ".name", "is missing");
  std::string text(parts[0]);
  for (std::size_t i = 1; i < 4; ++i) text += ":" + std::string(parts[i]);
  call->PutOwn(std::move(text));
  return true;
}

bool PutList(const Input& body, std::string_view name, std::string_view option, Call* call,
             Refusal* refusal) {
  const std::optional<base::JsonValue> list = body.Json(name);
  if (!list) return true;
  const std::string field = body.FieldOf(name);
  if (list->size() == 0) {
    return name == "periods" ? true : Refuse(refusal, field, "is empty");
  }
  call->Put(option);
  call->PutNumber(static_cast<std::int64_t>(list->size()));
  std::size_t index = 0;
  for (const base::JsonValue value : *list) {
    const std::string where = field + "." + std::to_string(index++);
    call->Note(field);
    if (name == "fields") {
      if (!PutField(value, where, call, refusal)) return false;
    } else if (value.Is(base::JsonKind::kString)) {
      call->Put(value.text());
    } else {
      return Refuse(refusal, where, "must be a string");
    }
  }
  return true;
}

// An option of a spec: its name in JSON, its word, and the word that clears it.
struct SpecOption {
  std::string_view name;
  std::string_view word;
  std::string_view cleared;
};
constexpr SpecOption kSpecOptions[] = {
    {"tie", "TIE", ""},          {"turn", "TURN", ""},         {"tz", "TZ", ""},
    {"policy", "POLICY", "set"}, {"cap", "CAP", "0"},          {"start", "START", "none"},
    {"end", "END", "none"},      {"grace", "GRACE", "0"},      {"expire", "EXPIRE", "0"},
    {"keep", "KEEP", "1"},       {"dedup", "DEDUP", "100000"},
};

// Puts the options of a spec. With `clears`, null becomes the word that clears the option;
// otherwise null means absent.
bool PutSpec(const Input& body, bool clears, Call* call, Refusal* refusal) {
  if (!PutList(body, "fields", "FIELDS", call, refusal)) return false;
  if (!PutList(body, "periods", "PERIODS", call, refusal)) return false;
  for (const SpecOption& option : kSpecOptions) {
    std::optional<std::string_view> text = body.Text(option.name);
    if (clears && body.IsNull(option.name)) text = option.cleared;
    if (!text) continue;
    call->Put(option.word);
    call->notes.push_back(body.NoteOf(option.name, call->words.size()));
    call->Put(*text);
  }
  return true;
}

}  // namespace

// Boards and templates ----------------------------------------------------------------------------

bool FromProperties(Translation& t) {
  Begin(t, t.call.route().command);
  if (t.body != nullptr) t.call.PutAll(t.call.route().body, *t.body);
  t.call.PutAll(t.call.route().query, t.query);
  return true;
}

bool ListBoards(Translation& t) {
  t.call.Begin(Id::kLbList);
  t.call.Put("COUNT");
  t.call.PutFrom(t.query, "limit", "100");
  PutOption("MATCH", t.query, "match", &t.call);
  PutOption("CURSOR", t.query, "cursor", &t.call);
  t.call.lists_sorted_sets = t.query.Text("kind") == "sorted-set";
  return true;
}

bool CreateBoard(Translation& t) {
  Begin(t, Id::kLbCreate);
  if (!PutSpec(*t.body, /*clears=*/false, &t.call, t.refusal)) return false;
  if (t.body->Flag("adopt")) t.call.Put("ADOPT");
  return true;
}

bool AlterBoard(Translation& t) {
  Begin(t, Id::kLbAlter);
  if (!PutSpec(*t.body, /*clears=*/true, &t.call, t.refusal)) return false;
  if (t.call.words.size() > 2) return true;
  return Refuse(t.refusal, "", "there is nothing to change");
}

bool GetTemplate(Translation& t) {
  t.call.Begin(Id::kLbTemplateList);
  t.call.only_template = t.path[0];
  return true;
}

bool SetTemplate(Translation& t) {
  Begin(t, Id::kLbTemplateSet);
  return PutSpec(*t.body, /*clears=*/false, &t.call, t.refusal);
}

// Writes ------------------------------------------------------------------------------------------

namespace {

void PutTimeAndId(const Input& body, std::optional<std::string_view> id, Call* call) {
  PutOption("AT", body, "at", call);
  if (id) {
    call->Put("ID");
    call->Note("Idempotency-Key");
    call->Put(*id);
  }
}

// Puts the members and scores of an array of {member, score}.
bool WriteMany(Translation& t, base::JsonValue entries) {
  for (const std::string_view beside : {"member", "score", "op", "if", "meta"}) {
    if (t.body->Has(beside)) return Refuse(t.refusal, std::string(beside), "stands beside entries");
  }
  if (entries.size() == 0) return Refuse(t.refusal, "entries", "is empty");
  if (entries.size() > kMaxEntriesTogether) {
    return Refuse(t.refusal, "entries",
                  "must be 1 to " + std::to_string(kMaxEntriesTogether) + " entries, got " +
                      std::to_string(entries.size()));
  }
  Begin(t, Id::kLbMSubmit);
  t.call.Note("entries");
  t.call.PutNumber(static_cast<std::int64_t>(entries.size()));
  std::size_t index = 0;
  Input item;
  for (const base::JsonValue entry : entries) {
    const std::string path = "entries." + std::to_string(index++);
    item.Reset(EntryProperties());
    if (!item.TakeObject(entry, path, t.refusal)) return false;
    t.call.PutOwn(std::string(*item.Text("member")));
    if (!t.call.PutScore(*item.Json("score"), path + ".score", t.refusal)) return false;
  }
  PutTimeAndId(*t.body, t.id, &t.call);
  return true;
}

}  // namespace

bool WriteEntries(Translation& t) {
  const Input& body = *t.body;
  if (const auto entries = body.Json("entries")) return WriteMany(t, *entries);
  for (const std::string_view needed : {"member", "score"}) {
    if (!body.Has(needed)) return Refuse(t.refusal, std::string(needed), "is missing");
  }
  const std::string_view op = body.Text("op").value_or("submit");
  Begin(t, op == "set" ? Id::kLbSet : op == "incr" ? Id::kLbIncr : Id::kLbSubmit);
  t.call.Put(*body.Text("member"));
  if (!t.call.PutScore(*body.Json("score"), "score", t.refusal)) return false;
  if (const auto condition = body.Text("if")) {
    t.call.Put(*condition == "absent" ? "NX" : "XX");
  }
  PutTimeAndId(body, t.id, &t.call);
  PutOption("META", body, "meta", &t.call);
  return true;
}

bool RemoveMembers(Translation& t) {
  Begin(t, Id::kLbRemove);
  return PutMembers(*t.body->Json("members"), "members", /*counted=*/false, &t.call, t.refusal);
}

// Reads -------------------------------------------------------------------------------------------

bool ListEntries(Translation& t) {
  t.call.takes_page = t.query.Has("offset");
  Begin(t, t.call.takes_page ? Id::kLbRange : Id::kLbTop);
  t.call.PutAll(t.call.route().query, t.query);
  return true;
}

bool Among(Translation& t) {
  Begin(t, Id::kLbAmong);
  if (!PutMembers(*t.body->Json("members"), t.body->FieldOf("members"), /*counted=*/true, &t.call,
                  t.refusal)) {
    return false;
  }
  t.call.PutAll(t.call.route().query, t.query);
  return true;
}

bool RankOf(Translation& t) {
  Begin(t, Id::kLbRankOf);
  if (const auto score = t.query.Json("score")) {
    if (!t.call.PutScore(*score, t.query.FieldOf("score"), t.refusal)) return false;
  } else {
    t.call.PutScore(t.query.Texts(), "score");
  }
  t.call.PutAll(t.call.route().query.subspan(1), t.query);  // without the score
  return true;
}

bool Count(Translation& t) {
  if (t.query.Has("min") || t.query.Has("max")) return FromProperties(t);
  return Begin(t, Id::kLbSize);
}

bool Changes(Translation& t) {
  Begin(t, Id::kLbChanges);
  t.call.PutFrom(t.query, "from", "0");
  PutOption("COUNT", t.query, "limit", &t.call);
  PutOption("MEMBER", t.query, "member", &t.call);
  PutOption("BLOCK", t.query, "wait", &t.call);
  return true;
}

// Several reads and submits -----------------------------------------------------------------------

namespace {

// Whether a read has what its route needs and nothing that the route does not take.
bool CheckReadKeys(const Route& route, bool has_member, const Input& item, Refusal* refusal) {
  std::vector<std::string_view> needed;
  std::vector<std::string_view> taken = {"read", "board"};
  if (has_member) needed.push_back("member");
  for (const auto& properties : {route.query, route.body}) {
    for (const Property& property : properties) {
      (property.required ? needed : taken).push_back(property.name);
    }
  }
  for (const std::string_view name : needed) {
    if (!item.Has(name)) return Refuse(refusal, item.FieldOf(name), "is missing");
  }
  taken.insert(taken.end(), needed.begin(), needed.end());
  std::string_view other;
  if (HasOnly(item, taken, &other)) return true;
  return Refuse(refusal, item.FieldOf(other),
                "does not go with the read " + base::Quote(*item.Text("read")));
}

}  // namespace

bool TranslateReads(base::JsonValue reads, std::deque<Call>* calls, std::deque<Input>* inputs,
                    Refusal* refusal) {
  if (reads.size() == 0 || reads.size() > kMaxReads) {
    return Refuse(refusal, "reads",
                  "must be 1 to " + std::to_string(kMaxReads) + " reads, got " +
                      std::to_string(reads.size()));
  }
  std::size_t index = 0;
  for (const base::JsonValue read : reads) {
    const std::string path = "reads." + std::to_string(index++);
    Input& item = inputs->emplace_back();
    item.Reset(ReadProperties());
    if (!item.TakeObject(read, path, refusal)) return false;
    const auto kind =
        std::find_if(ReadKinds().begin(), ReadKinds().end(),
                     [&](const ReadKind& known) { return known.name == *item.Text("read"); });
    LAUREL_ASSERT(kind != ReadKinds().end());  // checked before
    const Route* route = FindByName(kind->route);
    std::vector<std::string_view> values = {*item.Text("board")};
    const bool has_member = route->pattern.find("{member}") != std::string_view::npos;
    if (!CheckReadKeys(*route, has_member, item, refusal)) return false;
    if (has_member) values.push_back(*item.Text("member"));
    Call& call = calls->emplace_back();
    call.Reset(route);
    Translation t{values, item, &item, std::nullopt, call, refusal};
    if (!route->translate(t)) return false;
  }
  return true;
}

bool TranslateSubmits(const Input& body, std::optional<std::string_view> id,
                      std::deque<Call>* calls, std::vector<VerdictPlace>* places,
                      Refusal* refusal) {
  const base::JsonValue submits = *body.Json("submits");
  if (submits.size() == 0 || submits.size() > kMaxSubmitsTogether) {
    return Refuse(refusal, "submits",
                  "must be 1 to " + std::to_string(kMaxSubmitsTogether) + " submits, got " +
                      std::to_string(submits.size()));
  }
  struct Board {
    std::size_t call = 0;
    std::size_t members = 0;
  };
  std::unordered_map<std::string, Board> boards;
  const Route* route = FindByName("submitToBoards");
  Input item;
  std::size_t index = 0;
  for (const base::JsonValue submit : submits) {
    const std::string path = "submits." + std::to_string(index++);
    item.Reset(SubmitProperties());
    if (!item.TakeObject(submit, path, refusal)) return false;
    const std::string name(*item.Text("board"));
    const auto [found, is_new] = boards.try_emplace(name, Board{calls->size(), 0});
    if (is_new) {
      Call& call = calls->emplace_back();
      call.Reset(route);
      call.Begin(Id::kLbMSubmit);
      call.PutOwn(name);
      call.Put("");  // placeholder for the number of members
    }
    Call& call = (*calls)[found->second.call];
    places->push_back({found->second.call, found->second.members++});
    call.PutOwn(std::string(*item.Text("member")));
    if (!call.PutScore(*item.Json("score"), path + ".score", refusal)) return false;
  }
  for (const auto& [name, board] : boards) {
    Call& call = (*calls)[board.call];
    call.SetNumber(2, static_cast<std::int64_t>(board.members));
    PutTimeAndId(body, id, &call);
  }
  return true;
}

}  // namespace laurel::http
