// The settings of an operator: arguments of loadmodule on every server, and configs
// (laurel.clock-offset, …; CONFIG SET, redis.conf, MODULE LOADEX) on servers that support them
// (7.0).
//
//   clock-offset MS         added to the system's clock, for boards; for tests
//   clock US                stops the clock of boards at this time, in µs; 0: it goes; for tests
//   tick MS                 how often the sweep looks for work
//   max-reply BYTES         the longest list of entries in one reply; beyond it is LIMIT
//   max-work COUNT          members times instances of one LB.REMOVE, HIDE, SHOW or META; 0: any
//   apply yes|no            whether clients may send LB.APPLY; for tools that replay a log
//   template PATTERN [SPEC] boards that a write creates: template 'rank:*' 'POLICY best'
//   templates TEXT          all of them: 'rank:* POLICY best; day:* PERIODS 1 day'
//
// If several templates match a name, the longest pattern wins, then the first in byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "module/limits.h"
#include "module/redis_api.h"
#include "wire/limits.h"

namespace laurel::module {

struct Template {
  std::string pattern;
  Spec spec;
  std::uint64_t feed = 0;
  std::string text;  // the options as given
  base::Glob glob{pattern};
};

// The numbers are of the type that the server's configs have.
struct Settings {
  long long clock_offset_ms = 0;
  long long clock_us = 0;  // 0: the system's clock
  long long tick_ms = kTickMs;
  long long max_reply_bytes = kDefaultMaxReply;
  long long max_work = wire::kDefaultMaxWork;  // 0: no bound
  bool apply_is_open = false;
  std::vector<Template> templates;  // in matching order

  // Null if no template matches.
  [[nodiscard]] const Template* TemplateFor(std::string_view name) const;
};

// Adds or replaces a template.
Status AddTemplate(std::string_view pattern, std::string_view options, Settings* settings);
// Reads the arguments of loadmodule.
Status ReadArguments(String** arguments, int count, Settings* settings);
// Registers the configs, with *settings as defaults, and reads the server's values. False if the
// server refuses. Does nothing on servers without configs. `settings` must stay valid.
bool RegisterConfigs(Context* context, Settings* settings);

}  // namespace laurel::module
