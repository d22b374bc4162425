// The parts of a request's target: path segments and query parameters, percent-decoded (RFC 3986).
//
// Each segment is decoded separately and never normalised: "%2F" is a slash within a member, and
// ".." is an ordinary name. Texts without escapes are views of the target; the others are decoded
// into a reused buffer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/result.h"

namespace laurel::http {

// The segments of a path: "v1" and "boards" for "/v1/boards", one empty segment for "/". A trailing
// slash adds an empty segment.
class PathSegments {
 public:
  PathSegments() = default;
  PathSegments(const PathSegments&) = delete;
  PathSegments& operator=(const PathSegments&) = delete;

  // Splits a path, which must outlive the segments. ERR if a '%' is not followed by two hexadecimal
  // digits, if there are more than kMaxPathSegments, or if the path does not begin with '/', such
  // as "*". There are no segments after an error. A '+' is a plus.
  Status Parse(std::string_view path);

  [[nodiscard]] std::size_t size() const { return segments_.size(); }
  // REQUIRES: index < size().
  [[nodiscard]] std::string_view operator[](std::size_t index) const;
  [[nodiscard]] const std::vector<std::string_view>& all() const { return segments_; }

 private:
  std::vector<std::string_view> segments_;
  std::string decoded_;  // reserved before views of it are taken
};

struct QueryParameter {
  std::string_view key;
  std::string_view value;  // empty if there is no '='

  bool operator==(const QueryParameter&) const = default;
};

// The parameters of a query in order. "score=10&score=2" has two parameters with one key.
class QueryParameters {
 public:
  QueryParameters() = default;
  QueryParameters(const QueryParameters&) = delete;
  QueryParameters& operator=(const QueryParameters&) = delete;

  // Splits a query, which must outlive the parameters. ERR if a '%' is not followed by two
  // hexadecimal digits, or if there are more than kMaxQueryParameters. There are no parameters
  // after an error. A '+' is a space; an empty text between two '&' is skipped.
  Status Parse(std::string_view query);

  [[nodiscard]] const std::vector<QueryParameter>& all() const { return parameters_; }

 private:
  std::vector<QueryParameter> parameters_;
  std::string decoded_;  // reserved before views of it are taken
};

}  // namespace laurel::http
