#include "transfer/folders/board_names.h"

#include <algorithm>

#include "base/text.h"

namespace laurel::transfer {

Result<Rename> Rename::Parse(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return Error{ErrorCode::kErr, "--rename " + base::Quote(text) + ": " + std::string(why)};
  };
  if (std::count(text.begin(), text.end(), '=') != 1) return refuse("use PATTERN=REPLACEMENT");
  const std::size_t equals = text.find('=');
  const std::string_view from = text.substr(0, equals);
  const std::string_view to = text.substr(equals + 1);
  const auto stars = std::count(from.begin(), from.end(), '*');
  if (stars > 1 || std::count(to.begin(), to.end(), '*') != stars) {
    return refuse("both sides need one '*', or none");
  }
  if (stars == 0 && (from.empty() || to.empty())) return refuse("a name is empty");
  Rename rename;
  rename.renames_ = true;
  rename.has_star_ = stars == 1;
  const auto split = [](std::string_view name, std::string* prefix, std::string* suffix) {
    const std::size_t star = std::min(name.find('*'), name.size());
    *prefix = name.substr(0, star);
    *suffix = name.substr(std::min(star + 1, name.size()));
  };
  split(from, &rename.prefix_, &rename.suffix_);
  split(to, &rename.new_prefix_, &rename.new_suffix_);
  return rename;
}

std::string Rename::Apply(std::string_view name) const {
  const std::size_t fixed = prefix_.size() + suffix_.size();
  const bool matches = renames_ && (has_star_ ? name.size() >= fixed : name.size() == fixed) &&
                       name.starts_with(prefix_) && name.ends_with(suffix_);
  if (!matches) return std::string(name);
  const std::string_view middle = name.substr(prefix_.size(), name.size() - fixed);
  return new_prefix_ + std::string(middle) + new_suffix_;
}

}  // namespace laurel::transfer
