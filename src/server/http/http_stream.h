// A stream of server-sent events that an HTTP conversation has become.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/live.h"
#include "server/http/http_session.h"

namespace laurel::server {

struct HttpSession::EventStream {
  bool is_live = false;      // /live, otherwise /changes
  bool has_head = false;     // the head of the response is sent; before that no event may be
  bool lost_token = false;   // the token ended before the head was sent
  bool has_ended = false;    // the last event is sent
  std::int64_t sent_us = 0;  // when something was sent last
  std::string board;         // as the client named it

  // /live.
  std::optional<engine::LiveHandle> handle;
  std::uint32_t top = 0;
  std::uint64_t version = 0;  // that was sent last
  bool is_ready = false;      // there is an update to take
  bool is_drained = true;     // the last event is handed to the socket

  // /changes.
  ChangePages::Key next;                  // of the page to send next
  std::optional<ChangePages::Role> role;  // as a leader or follower of that page; none: neither
  bool rests = false;  // it has sent the newest events, and rests before it asks for more
};

}  // namespace laurel::server
