// Assigns roles to the columns of a CSV or TSV table.
//
// The roles, and the names that a header has for them unless --columns says otherwise:
//
//   member, member_base64   the member: bytes, or base64 for bytes that are not UTF-8
//   each field of the spec  its name, or "score.NAME"; on a board with one field also "score"
//   at                      "reached" or "at": when the score was reached
//   meta, meta_base64       as for the member
//   hidden                  whether the member is hidden
//   instance                "day:2026-11-15", on a board with periods
//
// If a field has the name of another role, the column belongs to the field.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/limits.h"
#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::transfer {

// One part of --columns: the role, and the column's name or, without a header, its 1-based
// position.
struct ColumnChoice {
  std::string role;
  std::string column;

  bool operator==(const ColumnChoice&) const = default;
};

// Parses "member=uid,score=points,at=reached_at". ERR if a part has no "=", an empty side, or a
// role that was given before.
Result<std::vector<ColumnChoice>> ParseColumns(std::string_view text);

// The positions of the columns, from 0.
struct ColumnPlan {
  static constexpr std::size_t kNone = SIZE_MAX;  // the table has no such column

  std::size_t columns = 0;  // number of columns of the table
  std::size_t member = kNone;
  std::size_t member_base64 = kNone;
  std::array<std::size_t, kMaxFields> fields{};  // one per field of the spec
  std::size_t at = kNone;
  std::size_t meta = kNone;
  std::size_t meta_base64 = kNone;
  std::size_t hidden = kNone;
  std::size_t instance = kNone;
};

// Finds the columns by the names of a header. ERR if a chosen column, the member's or a field's is
// missing, if a required name appears twice, or if a role is unknown.
Result<ColumnPlan> PlanByHeader(const Spec& spec, std::span<const ColumnChoice> choices,
                                std::span<const std::string_view> header);

// Finds the columns by position. Without choices the order is member, each field, then optionally
// at, then optionally meta. ERR if a position exceeds `columns`, or if a column is missing.
Result<ColumnPlan> PlanByPosition(const Spec& spec, std::span<const ColumnChoice> choices,
                                  std::size_t columns);

// Returns the column name that writers give to a field: its name or, if another role has that name,
// "score.NAME".
std::string FieldColumnName(const Field& field);

}  // namespace laurel::transfer
