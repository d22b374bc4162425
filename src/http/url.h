// The parts of a request's target: path segments and query parameters, percent-decoded (RFC 3986).
//
// A segment is decoded by itself and never normalised: "%2F" is a slash within a member, and ".."
// is a name like any other. Texts without escapes are views of the target; the others are decoded
// into a buffer that is used again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/result.h"

namespace laurel::http {

// The segments of a path: those of "/v1/boards" are "v1" and "boards", that of "/" is empty, and a
// slash at the end is followed by an empty one.
class PathSegments {
 public:
  PathSegments() = default;
  PathSegments(const PathSegments&) = delete;
  PathSegments& operator=(const PathSegments&) = delete;

  // Splits a path, which must stay as long as segments are used. ERR for a '%' that two hexadecimal
  // digits do not follow, for more than kMaxPathSegments, and for a path that does not begin with
  // '/', such as "*". There are no segments after an error. A '+' is a plus.
  Status Parse(std::string_view path);

  [[nodiscard]] std::size_t size() const { return segments_.size(); }
  // REQUIRES: index < size().
  [[nodiscard]] std::string_view operator[](std::size_t index) const;
  [[nodiscard]] const std::vector<std::string_view>& all() const { return segments_; }

 private:
  std::vector<std::string_view> segments_;
  std::string decoded_;  // reserved before the first view of it is taken
};

struct QueryParameter {
  std::string_view key;
  std::string_view value;  // empty without a '='

  bool operator==(const QueryParameter&) const = default;
};

// The parameters of a query in order: "score=10&score=2" has two of one key.
class QueryParameters {
 public:
  QueryParameters() = default;
  QueryParameters(const QueryParameters&) = delete;
  QueryParameters& operator=(const QueryParameters&) = delete;

  // Splits a query, which must stay as long as parameters are used. ERR for a '%' that two
  // hexadecimal digits do not follow, and for more than kMaxQueryParameters. There are no
  // parameters after an error. A '+' is a space; nothing between two '&' is no parameter.
  Status Parse(std::string_view query);

  [[nodiscard]] const std::vector<QueryParameter>& all() const { return parameters_; }

 private:
  std::vector<QueryParameter> parameters_;
  std::string decoded_;  // reserved before the first view of it is taken
};

}  // namespace laurel::http
