#include "server/http/access_log.h"

#include "laurel/stamp_clock.h"
#include "wire/json_writer.h"

namespace laurel::server {

void AccessLog::Add(const Line& line) {
  std::string text;
  wire::JsonWriter json;
  json.Begin(&text);
  json.Map(10);
  json.Key("time");
  json.Moment(SystemNow());
  json.Key("request_id");
  json.Bulk(line.request_id);
  json.Key("peer");
  json.Bulk(line.peer);
  json.Key("token");
  line.token.empty() ? json.Null() : json.Bulk(line.token);
  json.Key("method");
  json.Bulk(line.method);
  json.Key("path");
  json.Bulk(line.path);
  json.Key("route");
  line.route.empty() ? json.Null() : json.Bulk(line.route);
  json.Key("status");
  json.Integer(line.status);
  json.Key("bytes");
  json.Integer(static_cast<std::int64_t>(line.bytes));
  json.Key("micros");
  json.Integer(line.micros);
  file_.Append(text);
}

}  // namespace laurel::server
