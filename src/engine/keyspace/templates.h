// What new names that match a pattern become.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "laurel/spec.h"

namespace laurel::engine {

struct Template {
  std::string pattern;
  Spec spec;
  bool configured = false;  // by the command line or the configuration file: said at every start
};

class Templates {
 public:
  // The longest pattern that matches, of equally long ones the first by bytes; null if none does.
  [[nodiscard]] const Template* For(std::string_view name) const;
  [[nodiscard]] const std::vector<Template>& all() const { return templates_; }
  [[nodiscard]] bool Has(std::string_view pattern) const;
  void Set(Template declared);
  bool Delete(std::string_view pattern);

 private:
  std::vector<Template> templates_;  // in the order in which they are tried
};

}  // namespace laurel::engine
