// What an engine in a benchmark's process needs around it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace laurel::bench {

class QuietHost : public engine::Host {
 public:
  void NoteTime(const engine::Request& /*request*/, const engine::Client& /*client*/,
                std::int64_t /*micros*/) override {}
  [[nodiscard]] std::size_t BufferBytes() const override { return 0; }
  void Notice(NoticeLevel /*level*/, const std::string& text) override {
    std::fprintf(stderr, "bench: %s\n", text.c_str());
  }
};

}  // namespace laurel::bench
