#include "http/route_traits.h"

#include <algorithm>
#include <cstddef>

#include "base/assert.h"

namespace laurel::http {
namespace {

using Id = wire::CommandId;

bool HasType(const Route& route, Type type) {
  const auto is_of_type = [type](const Property& property) { return property.type == type; };
  return std::any_of(route.query.begin(), route.query.end(), is_of_type) ||
         std::any_of(route.body.begin(), route.body.end(), is_of_type);
}

bool HasFlag(const Route& route, wire::CommandFlag flag) {
  const std::vector<Id> ids = CommandsOf(route);
  return std::any_of(ids.begin(), ids.end(),
                     [flag](Id id) { return wire::CommandOf(id).Has(flag); });
}

bool HasParameter(const Route& route, std::string_view name) {
  const std::vector<std::string_view> names = PathParameters(route);
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsForEngine(const Route& route) {
  return route.command != Id::kEnd &&
         wire::CommandOf(route.command).group == wire::Group::kLeaderboard;
}

bool WritesScores(const Route& route) {
  return route.shape == Shape::kWritten || route.shape == Shape::kVerdicts;
}

bool MayAnswer(const Route& route, ErrorCode code) {
  switch (code) {
    case ErrorCode::kErr:
    case ErrorCode::kNoPerm:  // a wrong Host or Origin
      return true;
    case ErrorCode::kNoAuth:
      return RoleOf(route) != wire::Role::kNone;
    case ErrorCode::kNoBoard:
      return HasParameter(route, "board") || route.shape == Shape::kTemplate ||
             route.shape == Shape::kVerdicts;
    case ErrorCode::kNoMember:
      return route.shape == Shape::kEntry || route.shape == Shape::kAround ||
             route.shape == Shape::kPercentile || route.shape == Shape::kRemovedOne ||
             route.shape == Shape::kChangedOne;
    case ErrorCode::kClosed:
      return WritesScores(route);
    case ErrorCode::kExists:
      return route.command == Id::kLbCreate;
    case ErrorCode::kWrongType:
      return HasParameter(route, "board") || route.shape == Shape::kVerdicts;
    case ErrorCode::kLimit:
      return IsForEngine(route) || route.has_body;
    case ErrorCode::kBadScore:  // also when a sorted set becomes a leaderboard
      return WritesScores(route) || route.shape == Shape::kRank || route.command == Id::kLbCreate;
    case ErrorCode::kOverflow:
      return WritesScores(route) || route.shape == Shape::kRank;
    case ErrorCode::kBadTime:
      return HasType(route, Type::kTime);
    case ErrorCode::kReused:
      return route.takes_id;
    case ErrorCode::kLoading:
      return IsForEngine(route);
    case ErrorCode::kMisconf:
    case ErrorCode::kUnknown:
      return HasFlag(route, wire::kWrite);
    case ErrorCode::kOom:
      return HasFlag(route, wire::kDenyOom);
    case ErrorCode::kNoSpace:
      return false;  // clients get MISCONF instead
  }
  LAUREL_ASSERT(false);
  return false;
}

}  // namespace

std::vector<std::string_view> PathParameters(const Route& route) {
  std::vector<std::string_view> names;
  std::string_view left = route.pattern;
  while (true) {
    const std::size_t begin = left.find('{');
    if (begin == std::string_view::npos) return names;
    const std::size_t end = left.find('}', begin);
    names.push_back(left.substr(begin + 1, end - begin - 1));
    left.remove_prefix(end);
  }
}

std::vector<wire::CommandId> CommandsOf(const Route& route) {
  if (route.command == Id::kEnd) return {};
  std::vector<Id> ids = {route.command};
  ids.insert(ids.end(), route.others.begin(), route.others.end());
  return ids;
}

wire::Role RoleOf(const Route& route) {
  if (route.shape == Shape::kMetrics) return wire::Role::kRead;
  return route.command == Id::kEnd ? wire::Role::kNone : wire::CommandOf(route.command).role;
}

std::vector<CodeStatus> ErrorsOf(const Route& route) {
  std::vector<CodeStatus> errors;
  for (const CodeStatus& known : ErrorStatuses()) {
    if (!MayAnswer(route, known.code)) continue;
    errors.push_back(known);
    // LIMIT has another status for too many streams.
    const bool may_stream = route.shape == Shape::kLive || route.shape == Shape::kEvents;
    if (known.code == ErrorCode::kLimit && may_stream) {
      errors.push_back({known.code, 503});
    }
  }
  if (route.shape == Shape::kAsset) {
    errors.push_back({ErrorCode::kErr, 404});
  }
  if (route.has_body) errors.push_back({ErrorCode::kErr, 415});
  std::stable_sort(errors.begin(), errors.end(),
                   [](const CodeStatus& a, const CodeStatus& b) { return a.status < b.status; });
  return errors;
}

}  // namespace laurel::http
