// A stream of server-sent events, which replaces the HTTP conversation of a connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/live.h"
#include "server/http/http_session.h"

namespace laurel::server {

struct HttpSession::EventStream {
  bool is_live = false;      // /live, otherwise /changes
  bool has_head = false;     // the head of the response is sent; no event may precede it
  bool lost_token = false;   // the token ended before the head was sent
  bool has_ended = false;    // the last event is sent
  std::int64_t sent_us = 0;  // time of the last output
  std::string board;         // as named by the client

  // State of a /live stream.
  std::optional<engine::LiveHandle> handle;
  std::uint32_t top = 0;
  std::uint64_t version = 0;  // of the last update sent
  bool is_ready = false;      // an update can be taken
  bool is_drained = true;     // the last event was handed to the socket

  // State of a /changes stream.
  std::string_view cursor_field = "from";  // what the first cursor was given as
  ChangePages::Key next;                   // key of the page to send next
  std::optional<ChangePages::Role> role;   // the role for that page; none: neither leads nor waits
  bool rests = false;                      // the newest events are sent; rests before it asks again
};

}  // namespace laurel::server
