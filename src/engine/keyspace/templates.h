// Templates: the specs that new boards get if their names match a pattern.
//
// A pattern is tried only on names that begin with its literal part, the bytes before its first
// special one: "rank:eu:" of "rank:eu:*". So a name is looked up once for each length that such a
// part has, and matched against few patterns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "laurel/spec.h"

namespace laurel::engine {

struct Template {
  std::string pattern;
  Spec spec;
  bool configured = false;  // from the command line or configuration file, so not in the log
  base::Glob glob{pattern};
};

class Templates {
 public:
  // Returns the template with the longest pattern that matches; of equally long patterns, the first
  // in byte order. Null if none matches.
  [[nodiscard]] const Template* For(std::string_view name) const;
  // In the order in which they take precedence.
  [[nodiscard]] const std::vector<Template>& all() const { return templates_; }
  [[nodiscard]] bool Has(std::string_view pattern) const;
  void Set(Template declared);
  bool Delete(std::string_view pattern);

  // The lengths looked up and the patterns tried since the last call, each about a microsecond at
  // worst.
  [[nodiscard]] std::uint64_t TakeTried() const { return std::exchange(tried_, 0); }

 private:
  void Index();

  std::vector<Template> templates_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_literal_;  // places in templates_
  std::set<std::size_t> literal_bytes_;                                      // lengths of its keys
  mutable std::uint64_t tried_ = 0;
};

}  // namespace laurel::engine
