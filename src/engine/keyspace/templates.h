// Templates: the specs that new boards get if their names match a pattern.
#pragma once

#include <string>
#include <string_view>
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
  [[nodiscard]] const std::vector<Template>& all() const { return templates_; }
  [[nodiscard]] bool Has(std::string_view pattern) const;
  void Set(Template declared);
  bool Delete(std::string_view pattern);

 private:
  std::vector<Template> templates_;  // in the order in which they are tried
};

}  // namespace laurel::engine
