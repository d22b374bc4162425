// Translates HTTP requests into the words (name and arguments) of commands.
//
// HTTP adds no rule of its own. Each route is a command of wire's table. A request becomes that
// command's words, which are parsed, checked and executed like those of a RESP client. Words cannot
// say where a score ends or which field a value is for; wire::BesideWords carries that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_reader.h"
#include "http/url.h"
#include "laurel/result.h"
#include "wire/beside_words.h"
#include "wire/command_id.h"

namespace laurel::http {

struct Route;

// Why a request is refused before it reaches a board.
struct Refusal {
  ErrorCode code = ErrorCode::kErr;
  std::string field;   // the parameter or the key that is wrong, as "entries.0.score"; may be empty
  std::string detail;  // includes the field, because logs often show the detail alone
};
// Fills *refusal and returns false. `problem` is appended to the field: "is missing" becomes
// "entries.0.score is missing".
bool Refuse(Refusal* refusal, std::string field, std::string_view problem,
            ErrorCode code = ErrorCode::kErr);

// The type of a parameter or of a member of a JSON object. What the text of a number or a time must
// be is checked by the command alone.
enum class Type : std::uint8_t {
  kText,
  kBytes,     // text, or base64 under the name with "_base64" appended
  kMember,    // like kBytes; in JSON also an integer, whose text is the member
  kInteger,   // from Property::min to Property::max
  kBoolean,   // in a query: 1, 0, true, false
  kNumber,    // a decimal number of any size
  kTime,      // seconds, a number with a unit, or ISO 8601
  kDuration,  // "90s"
  kChoice,    // one of Property::choices
  kScore,     // array, object by field name, or one value; each a string or a number
  kTexts,     // in a query: the parameter may be repeated
  kBound,     // a bound on field 1: "10", "(10", "-inf"
  kMembers,   // array of texts, of integers, or of objects with member_base64
  kFields,    // the fields of a spec
  kPeriods,   // the periods of a spec
  kEntries,   // array of {member, score}
  kSubmits,   // array of {board, member, score}
  kReads,     // array of reads
};

// Whether values of the type may also come as base64, under the name with "_base64" appended.
inline bool MayBeBase64(Type type) { return type == Type::kBytes || type == Type::kMember; }

// Whether the value can be a member without base64: a string, or a number written as an integer.
bool IsMember(base::JsonValue value);

// openapi.json explains each property. The last three members say how Call::PutAll makes words of
// it.
struct Property {
  std::string_view name;
  Type type = Type::kText;
  bool required = false;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::span<const std::string_view> choices{};
  bool nullable = false;
  std::string_view word{};  // the option that the value follows; of a boolean, the option alone
  std::string_view otherwise{};   // the value if none is given; empty: none is put
  bool first_is_implied = false;  // the first choice puts nothing
};

// The values of a request's parameters or of a JSON object, checked against a list of properties.
class Input {
 public:
  // Clears the input and sets the accepted properties, which must outlive it.
  void Reset(std::span<const Property> properties);
  // Takes the values. Returns false and fills *refusal if a name is unknown or repeated, a type is
  // wrong, or a required value is missing. `path` is prepended to field names.
  bool TakeQuery(const QueryParameters& query, Refusal* refusal);
  bool TakeObject(base::JsonValue object, std::string_view path, Refusal* refusal);

  [[nodiscard]] bool Has(std::string_view name) const { return Find(name) != nullptr; }
  [[nodiscard]] bool IsNull(std::string_view name) const;
  // The value's text: a string, a number as it was sent, decoded bytes, true or false.
  [[nodiscard]] std::optional<std::string_view> Text(std::string_view name) const;
  // For a route that becomes no command with the integer: reads it. Returns false and fills
  // *refusal if it is none, or not within its bounds. Leaves *value if it is not given.
  bool ReadInteger(std::string_view name, std::int64_t* value, Refusal* refusal) const;
  // The note of a word that is the value. REQUIRES: Has(name).
  [[nodiscard]] wire::WordNote NoteOf(std::string_view name, std::size_t word) const;
  [[nodiscard]] bool Flag(std::string_view name) const;
  // The JSON value; none if the value came from a query.
  [[nodiscard]] std::optional<base::JsonValue> Json(std::string_view name) const;
  // The values of the parameter that may be repeated.
  [[nodiscard]] std::span<const std::string_view> Texts() const { return texts_; }
  [[nodiscard]] std::string_view path() const { return path_; }
  [[nodiscard]] std::string FieldOf(std::string_view name) const;
  // Approximate bytes that the input has allocated.
  [[nodiscard]] std::size_t MemoryUsage() const;

 private:
  struct Given {
    const Property* property = nullptr;
    std::string_view text{};
    std::optional<base::JsonValue> json{};
  };

  [[nodiscard]] const Given* Find(std::string_view name) const;
  bool Add(const Property& property, std::string_view text, std::optional<base::JsonValue> json,
           Refusal* refusal);
  bool CheckText(const Property& property, std::string_view text, Refusal* refusal) const;
  bool CheckRequired(Refusal* refusal) const;
  friend bool HasOnly(const Input& input, std::span<const std::string_view> names,
                      std::string_view* other);
  [[nodiscard]] const Property* FindProperty(std::string_view name, bool* is_base64) const;
  bool RefuseUnknown(std::string_view name, Refusal* refusal) const;
  bool CheckKind(const Property& property, base::JsonValue value, bool is_base64,
                 Refusal* refusal) const;

  std::span<const Property> properties_;
  std::string path_;
  std::vector<Given> given_;
  std::vector<std::string_view> texts_;
  std::deque<std::string> decoded_;
};

// Whether all names given are among `names`. Otherwise *other is one that is not.
bool HasOnly(const Input& input, std::span<const std::string_view> names, std::string_view* other);

// A request to the engine that is being built. Reusable. Words are views of the HTTP request or of
// texts that the call keeps.
class Call {
 public:
  void Reset(const Route* route);

  [[nodiscard]] const Route& route() const { return *route_; }
  wire::CommandId command{};
  std::vector<std::string_view> words;  // words[0] is the command's name
  std::vector<wire::WordNote> notes;    // which parameters and properties the words are
  std::vector<wire::ScoreWords> scores;
  std::vector<std::string_view> field_names;
  bool lists_sorted_sets = false;
  bool takes_page = false;
  std::string_view only_template;

  // The parts of the command that words cannot express. Valid until the call changes.
  [[nodiscard]] wire::BesideWords beside() const {
    return {notes, scores, field_names, lists_sorted_sets, takes_page};
  }
  // Returns the field of the request that a word comes from: a parameter or property, also of the
  // path. Empty if there is none.
  [[nodiscard]] std::string FieldOf(std::size_t word) const;
  // Notes the field that the next word comes from.
  void Note(std::string field) { notes.push_back({words.size(), std::move(field)}); }

  void Begin(wire::CommandId id);  // sets the command and its name as first words
  void Put(std::string_view word) { words.push_back(word); }
  // Puts the value of that name and notes it, or `otherwise` if it is not given.
  void PutFrom(const Input& input, std::string_view name, std::string_view otherwise = {});
  // Puts the values of these properties, as they say.
  void PutAll(std::span<const Property> properties, const Input& input);
  void PutOwn(std::string text);
  void PutNumber(std::int64_t number) { PutOwn(std::to_string(number)); }
  // Replaces a word by a number.
  void SetNumber(std::size_t word, std::int64_t number);
  // Appends the values of a score to the words and notes their position.
  bool PutScore(base::JsonValue score, const std::string& field, Refusal* refusal);
  // Appends a score from the values of a query.
  void PutScore(std::span<const std::string_view> values, const std::string& field);
  // Approximate bytes that the call has allocated.
  [[nodiscard]] std::size_t MemoryUsage() const;

 private:
  const Route* route_ = nullptr;
  std::deque<std::string> texts_;
};

}  // namespace laurel::http
