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
  json.Pair("request_id", line.request_id);
  json.Pair("peer", line.peer);
  json.Key("token");
  line.token.empty() ? json.Null() : json.Bulk(line.token);
  json.Pair("method", line.method);
  json.Pair("path", line.path);
  json.Key("route");
  line.route.empty() ? json.Null() : json.Bulk(line.route);
  json.Pair("status", line.status);
  json.Pair("bytes", line.bytes);
  json.Pair("micros", line.micros);
  file_.Append(text);
}

}  // namespace laurel::server
