#include "transfer/text/columns.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "laurel/score.h"

namespace laurel::transfer {
namespace {

// A role that is not a field of the spec.
struct Role {
  std::string_view name;
  std::size_t ColumnPlan::*column;
};
constexpr std::array<Role, 8> kRoles = {{{"member", &ColumnPlan::member},
                                         {"member_base64", &ColumnPlan::member_base64},
                                         {"at", &ColumnPlan::at},
                                         {"reached", &ColumnPlan::at},
                                         {"meta", &ColumnPlan::meta},
                                         {"meta_base64", &ColumnPlan::meta_base64},
                                         {"hidden", &ColumnPlan::hidden},
                                         {"instance", &ColumnPlan::instance}}};

std::string List(std::span<const std::string_view> names) {
  constexpr std::size_t kMostNames = 20;
  std::string text;
  for (const std::string_view name : names.first(std::min(names.size(), kMostNames))) {
    text += (text.empty() ? "" : ", ") + base::Quote(name);
  }
  return names.size() > kMostNames ? text + ", …" : text;
}

std::string RoleNames(const Spec& spec) {
  std::string text = "member";
  for (const Field& field : spec.fields) text += ", " + field.name;
  return text + ", at, meta, hidden, instance, member_base64 or meta_base64";
}

bool IsNumber(std::string_view text) { return ParseNumber(text, kMaxDecimals).ok(); }

// Whether the name of a column can be written without quotes in --columns and in a message.
bool CanBeChosen(std::string_view name) {
  return !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == ',' || c == ';' || c == '|' || c == '\'';
  });
}

// Fills a plan.
class Planner {
 public:
  explicit Planner(const Spec& spec) : spec_(spec) { fields_.fill(ColumnPlan::kNone); }

  // Returns where the plan stores the column of a role; null if there is no such role.
  std::size_t* PlaceOf(std::string_view role) {
    if (std::size_t* place = FieldPlace(role)) return place;
    if (role == "score" && spec_.fields.size() == 1) return &fields_[0];
    for (const Role& known : kRoles) {
      if (role == known.name) return &(plan_.*known.column);
    }
    return nullptr;
  }

  // Takes the choices of --columns. `find`: name or position ──► Result<std::size_t>.
  template <typename Find>
  Status Choose(std::span<const ColumnChoice> choices, const Find& find) {
    for (const ColumnChoice& choice : choices) {
      std::size_t* place = PlaceOf(choice.role);
      if (place == nullptr) {
        return Err("--columns: " + base::Quote(choice.role) + " is no role of a column: expected " +
                   RoleNames(spec_));
      }
      if (*place != ColumnPlan::kNone) {
        return Err("--columns: the column of " + base::Quote(choice.role) + " is given twice");
      }
      const Result<std::size_t> column = find(choice.column);
      if (!column.ok()) return column.error();
      *place = *column;
    }
    return Ok{};
  }

  // Checks that no required column is missing. `header`: the column names, if there are any.
  Result<ColumnPlan> Finish(std::size_t columns, const std::string& table,
                            std::span<const std::string_view> header = {}) {
    if (LacksMember()) return Err("no column has the member: " + table + Suggest(header));
    for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
      if (fields_[i] == ColumnPlan::kNone) {
        return Err("no column has the field " + base::Quote(spec_.fields[i].name) + ": " + table +
                   Suggest(header));
      }
    }
    plan_.fields = fields_;
    plan_.columns = columns;
    return plan_;
  }

  [[nodiscard]] bool IsFieldColumn(std::size_t column) const {
    return std::find(fields_.begin(), fields_.end(), column) != fields_.end();
  }
  std::array<std::size_t, kMaxFields>& fields() { return fields_; }
  ColumnPlan& plan() { return plan_; }

 private:
  [[nodiscard]] bool LacksMember() const {
    return plan_.member == ColumnPlan::kNone && plan_.member_base64 == ColumnPlan::kNone;
  }

  [[nodiscard]] bool HasRole(std::size_t column) const {
    return IsFieldColumn(column) ||
           std::any_of(kRoles.begin(), kRoles.end(),
                       [&](const Role& role) { return plan_.*role.column == column; });
  }

  // Suggests what to do about a header without the required names: treat it as a row if it contains
  // a number, or assign the missing roles to the unnamed columns in order.
  [[nodiscard]] std::string Suggest(std::span<const std::string_view> header) const {
    if (std::any_of(header.begin(), header.end(), IsNumber)) {
      return "; if that is a row, --no-header";
    }
    std::vector<std::string> roles;
    if (LacksMember()) roles.emplace_back("member");
    for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
      if (fields_[i] == ColumnPlan::kNone) roles.push_back(spec_.fields[i].name);
    }
    std::string text;
    std::size_t column = 0;
    for (const std::string& role : roles) {
      while (column < header.size() && HasRole(column)) ++column;
      if (column == header.size() || !CanBeChosen(header[column])) return "";
      text +=
          (text.empty() ? "; try --columns " : ",") + role + "=" + std::string(header[column++]);
    }
    return text;
  }

  std::size_t* FieldPlace(std::string_view name) {
    for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
      if (spec_.fields[i].name == name) return &fields_[i];
    }
    return nullptr;
  }

  const Spec& spec_;
  std::array<std::size_t, kMaxFields> fields_{};
  ColumnPlan plan_;
};

// Returns the column of that name in a header; kNone if there is no such column. ERR if there are
// two.
Result<std::size_t> FindColumn(std::span<const std::string_view> header, std::string_view name) {
  std::size_t found = ColumnPlan::kNone;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] != name) continue;
    if (found != ColumnPlan::kNone) return Err("two columns have the name " + base::Quote(name));
    found = i;
  }
  return found;
}

}  // namespace

Result<std::vector<ColumnChoice>> ParseColumns(std::string_view text) {
  std::vector<ColumnChoice> choices;
  for (std::string_view left = text;;) {
    const std::size_t comma = std::min(left.find(','), left.size());
    const std::string_view part = left.substr(0, comma);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size()) {
      return Err("--columns: " + base::Quote(part) + " is not ROLE=COLUMN, such as member=uid");
    }
    const ColumnChoice choice{std::string(part.substr(0, equals)),
                              std::string(part.substr(equals + 1))};
    if (std::any_of(choices.begin(), choices.end(),
                    [&](const ColumnChoice& other) { return other.role == choice.role; })) {
      return Err("--columns: the column of " + base::Quote(choice.role) + " is given twice");
    }
    choices.push_back(choice);
    if (comma == left.size()) return choices;
    left.remove_prefix(comma + 1);
  }
}

Result<ColumnPlan> PlanByHeader(const Spec& spec, std::span<const ColumnChoice> choices,
                                std::span<const std::string_view> header) {
  const std::string table = "the header has the columns " + List(header);
  Planner planner(spec);
  const Status chosen = planner.Choose(choices, [&](const std::string& name) {
    Result<std::size_t> found = FindColumn(header, name);
    if (found.ok() && *found == ColumnPlan::kNone) {
      return Result<std::size_t>(Err("there is no column " + base::Quote(name) + ": " + table));
    }
    return found;
  });
  if (!chosen.ok()) return chosen.error();

  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    if (planner.fields()[i] != ColumnPlan::kNone) continue;
    std::vector<std::string> candidates = {"score." + spec.fields[i].name, spec.fields[i].name};
    if (spec.fields.size() == 1) candidates.emplace_back("score");
    for (const std::string& name : candidates) {
      const Result<std::size_t> found = FindColumn(header, name);
      if (!found.ok()) return found.error();
      planner.fields()[i] = *found;
      if (*found != ColumnPlan::kNone) break;
    }
  }
  const ColumnPlan by_choice = planner.plan();
  for (const Role& role : kRoles) {
    if (by_choice.*role.column != ColumnPlan::kNone) continue;
    const Result<std::size_t> found = FindColumn(header, role.name);
    if (!found.ok()) return found.error();
    if (*found == ColumnPlan::kNone || planner.IsFieldColumn(*found)) continue;
    std::size_t& place = planner.plan().*role.column;
    if (place != ColumnPlan::kNone) {
      return Err("there are the columns 'at' and 'reached': give --columns at=…");
    }
    place = *found;
  }
  return planner.Finish(header.size(), table, header);
}

Result<ColumnPlan> PlanByPosition(const Spec& spec, std::span<const ColumnChoice> choices,
                                  std::size_t columns) {
  const std::string table = "the first row has " + std::to_string(columns) + " columns";
  Planner planner(spec);
  const Status chosen = planner.Choose(choices, [&](const std::string& text) {
    std::size_t position = 0;
    const char* const end = text.data() + text.size();
    const std::from_chars_result parsed = std::from_chars(text.data(), end, position);
    if (parsed.ec != std::errc() || parsed.ptr != end || position == 0 || position > columns) {
      return Result<std::size_t>(Err("--columns: " + base::Quote(text) +
                                     " is no position of a column: " + table +
                                     ", and no header names them"));
    }
    return Result<std::size_t>(position - 1);
  });
  if (!chosen.ok()) return chosen.error();
  if (choices.empty()) {
    const std::size_t fields = spec.fields.size();
    if (columns > fields + 3) {
      return Err(table + ", more than member, score, time and meta: give --columns");
    }
    if (columns < fields + 1) return Err(table + ", fewer than member and score");
    planner.plan().member = 0;
    for (std::size_t i = 0; i < fields; ++i) planner.fields()[i] = i + 1;
    if (columns > fields + 1) planner.plan().at = fields + 1;
    if (columns > fields + 2) planner.plan().meta = fields + 2;
  }
  return planner.Finish(columns, table);
}

std::string FieldColumnName(const Field& field) {
  const bool taken = field.name == "rank" ||
                     std::any_of(kRoles.begin(), kRoles.end(),
                                 [&](const Role& role) { return role.name == field.name; });
  return taken ? "score." + field.name : field.name;
}

}  // namespace laurel::transfer
