// The access log of HTTP: one line of JSON per answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "laurel/stamp_clock.h"
#include "server/logs/line_file.h"
#include "wire/json_writer.h"

namespace laurel::server {

class AccessLog {
 public:
  struct Line {
    std::string_view request_id{};
    std::string_view peer{};
    std::string_view token{};  // the token's name; empty: none
    std::string_view method{};
    std::string_view path{};   // without the query
    std::string_view route{};  // empty: no route matches
    int status = 0;
    std::size_t bytes = 0;  // bytes of the body
    std::int64_t micros = 0;
  };

  // ERR if the file cannot be opened. Without this call there is no access log.
  Status Open(const std::string& path) { return file_.Open(path); }
  [[nodiscard]] bool is_open() const { return file_.is_open(); }

  // The methods below may be called from any thread. REQUIRES: is_open().

  void Add(const Line& line) {
    std::string text;
    wire::JsonWriter json(&text);
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
  // See LineFile.
  void Reopen() { file_.Reopen(); }

 private:
  LineFile file_{"access-log"};
};

}  // namespace laurel::server
