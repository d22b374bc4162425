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
  Rename rename;
  if (stars == 0) {
    if (from.empty() || to.empty()) return refuse("a name is empty");
    rename.kind_ = Kind::kName;
    rename.prefix_ = from;
    rename.new_prefix_ = to;
    return rename;
  }
  rename.kind_ = Kind::kPattern;
  rename.prefix_ = from.substr(0, from.find('*'));
  rename.suffix_ = from.substr(from.find('*') + 1);
  rename.new_prefix_ = to.substr(0, to.find('*'));
  rename.new_suffix_ = to.substr(to.find('*') + 1);
  return rename;
}

std::string Rename::Apply(std::string_view name) const {
  if (kind_ == Kind::kName) return name == prefix_ ? new_prefix_ : std::string(name);
  const bool matches = kind_ == Kind::kPattern && name.size() >= prefix_.size() + suffix_.size() &&
                       name.starts_with(prefix_) && name.ends_with(suffix_);
  if (!matches) return std::string(name);
  const std::string_view middle =
      name.substr(prefix_.size(), name.size() - prefix_.size() - suffix_.size());
  return new_prefix_ + std::string(middle) + new_suffix_;
}

}  // namespace laurel::transfer
