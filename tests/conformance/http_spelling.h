// The spelling of operations in HTTP: JSON bodies, paths and parameters. Where HTTP has several
// spellings of the same thing, one is chosen at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/operation.h"

namespace laurel::conformance {

// The text as a JSON string.
std::string JsonText(std::string_view text);
// An array of values that are JSON already.
std::string JsonArray(const std::vector<std::string>& values);
// `"name":value`, a member of an object. `value` is JSON already.
std::string JsonPair(std::string_view name, const std::string& value);

class Spelling {
 public:
  explicit Spelling(base::Random* random) : random_(*random) {}

  // True with a probability of 1 / n.
  bool OneIn(std::uint64_t n) { return random_.OneIn(n); }

  // An object with these members, in any order.
  std::string Object(std::vector<std::string> pairs);
  // `"name":"bytes"`, or the same in base64.
  std::string Bytes(std::string_view name, std::string_view bytes);
  // The element of an array of members.
  std::string Member(std::string_view member);
  std::string Members(std::span<const std::string_view> members);
  // A score: an array, an object by field name, or one value.
  std::string Score(const Spec& spec, std::span<const std::string_view> values);
  std::string Time(Stamp time);
  // The bodies of PUT and PATCH of a board.
  std::string Create(const Spec& spec);
  std::string Alter(const Spec& from, const Spec& to);

 private:
  // A value of a score: a string, or a number if JSON has numbers of this form.
  std::string Value(std::string_view text);
  // Null, or the value that means the same.
  std::string Cleared(std::string value) { return OneIn(2) ? "null" : std::move(value); }

  base::Random& random_;
};

// A read, spelled both as the request of a route and as an element of POST /v1/read.
class HttpRead {
 public:
  // `kind`: as in POST /v1/read. `board`: the name of a board or of an instance.
  HttpRead(std::string_view kind, std::string_view board) : kind_(kind), board_(board) {}

  void Number(std::string_view name, std::int64_t number);
  void Text(std::string_view name, std::string_view text);
  void Flag(std::string_view name);
  // KIND, and WITHMETA if the route shows entries.
  void Options(const leaderboard::ReadOptions& options, bool shows_entries);
  // The member, as a segment of the path.
  void Member(std::string_view member, Spelling* spelling);
  // The list of members, as the body of the request.
  void Members(std::span<const std::string_view> members, Spelling* spelling);
  void Score(const Spec& spec, std::span<const std::string_view> values, Spelling* spelling);

  // False if no route has the read: the path has no segment for an empty member.
  [[nodiscard]] bool has_route() const { return !member_ || !member_->empty(); }
  // Path and query.
  [[nodiscard]] std::string Target() const;
  // Empty: the request is a GET. Otherwise a POST with this body.
  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] std::string Element(Spelling* spelling) const;

 private:
  std::string_view kind_;
  std::string board_;
  std::optional<std::string> member_;
  std::string query_;
  std::string body_;
  std::vector<std::string> pairs_;
};

}  // namespace laurel::conformance
