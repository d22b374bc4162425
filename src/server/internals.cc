#include "server/internals.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "http/call.h"
#include "http/route_traits.h"
#include "http/routes.h"
#include "http/status.h"
#include "http/translators.h"
#include "server/config/option_table.h"
#include "wire/command_table.h"
#include "wire/json_writer.h"

namespace laurel::server {
namespace {

// The names of property types on the pages, in the order of http::Type.
constexpr std::string_view kTypes[] = {
    "text",  "bytes", "member", "integer", "boolean", "number", "time",  "duration", "choice",
    "score", "texts", "bound",  "array",   "array",   "array",  "array", "array",    "array"};
static_assert(std::size(kTypes) == static_cast<std::size_t>(http::Type::kReads) + 1);

// Writes members of JSON objects.
class Tables {
 public:
  explicit Tables(std::string* out) { json_.Begin(out); }

  void Begin(std::size_t members) { json_.Map(members); }
  void Text(std::string_view key, std::optional<std::string_view> text) {
    json_.Key(key);
    text ? json_.Bulk(*text) : json_.Null();
  }
  void Number(std::string_view key, std::int64_t number) {
    json_.Key(key);
    json_.Integer(number);
  }
  void Flag(std::string_view key, bool flag) {
    json_.Key(key);
    json_.Bool(flag);
  }
  template <typename Rows>
  void Texts(std::string_view key, const Rows& texts) {
    json_.Key(key);
    json_.Array(texts.size());
    for (const std::string_view text : texts) json_.Bulk(text);
  }
  // An array with one object per row, which Add writes.
  template <typename Rows>
  void Table(std::string_view key, const Rows& rows) {
    json_.Key(key);
    json_.Array(rows.size());
    for (const auto& row : rows) Add(row);
  }

 private:
  void Add(const wire::CommandInfo& command);
  void Add(const http::CodeStatus& error);
  void Add(const http::Property& property);
  void Add(const http::Route& route);
  void Add(const ItemKey& key);
  void Add(const Option& option);

  wire::JsonWriter json_;
};

void Tables::Add(const wire::CommandInfo& command) {
  Begin(9);
  Text("name", command.name);
  Text("usage", wire::UsageOf(command));
  Text("group", wire::GroupName(command.group));
  Text("role", wire::RoleName(command.role));
  Text("summary", command.summary);
  Text("complexity", command.complexity);
  Texts("flags", wire::FlagNames(command));
  Flag("runs_alone", !command.Has(wire::kContainer) || command.AcceptsCount(1));
  Flag("compares_below_role", command.Has(wire::kComparesBelowRole));
}

void Tables::Add(const http::CodeStatus& error) {
  Begin(2);
  Text("code", ErrorName(error.code));
  Number("status", error.status);
}

void Tables::Add(const http::Property& property) {
  Begin(7);
  Text("name", property.name);
  Text("type", kTypes[static_cast<std::size_t>(property.type)]);
  Flag("required", property.required);
  Flag("nullable", property.nullable);
  Number("min", property.min);
  Number("max", property.max);
  Texts("choices", property.choices);
}

void Tables::Add(const http::Route& route) {
  std::vector<std::string_view> commands;
  for (const wire::CommandId id : http::CommandsOf(route)) {
    commands.push_back(wire::CommandOf(id).name);
  }
  Begin(9);
  Text("name", route.name);
  Text("method", route.method);
  Text("pattern", route.pattern);
  Text("role", wire::RoleName(http::RoleOf(route)));
  Texts("commands", commands);
  Flag("takes_id", route.takes_id);
  Table("errors", http::ErrorsOf(route));
  Table("query", route.query);
  Table("body", route.body);
}

void Tables::Add(const ItemKey& key) {
  Begin(4);
  Text("name", key.name);
  Text("default", key.default_text);
  Text("example", key.example);
  Text("help", key.help);
}

void Tables::Add(const Option& option) {
  const ListValue* list = option.AsList();
  Begin(6);
  Text("section", SectionTitle(option.section));
  Text("name", option.name);
  Text("value_name", option.value_name);
  Text("default", DefaultText(option));
  Text("help", option.help);
  Table("keys", list != nullptr ? list->keys : std::span<const ItemKey>());
}

}  // namespace

std::string DescribeInternals() {
  std::string text;
  Tables tables(&text);
  tables.Begin(6);
  tables.Table("commands", wire::CommandTable());
  tables.Table("codes", http::ErrorStatuses());
  tables.Table("routes", http::RouteTable());
  tables.Table("submit", http::SubmitProperties());
  tables.Table("read", http::ReadProperties());
  tables.Table("options", OptionTable());
  return text + "\n";
}

}  // namespace laurel::server
