// Pages of events for streams of changes. A page is read and encoded once for all streams at the
// same cursor.
//
// A stream that wants the events after a cursor asks for their page. The first stream to ask is the
// leader and reads the page. The others wait until OnPage is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/thread_annotations.h"

namespace laurel::server {

// Thread-safe.
class ChangePages {
 public:
  // The values that a page depends on.
  struct Key {
    std::string board;
    std::string cursor;
    std::optional<std::string> member;
    std::string pattern;  // of the client's token: a restricted client may see fewer events

    bool operator==(const Key&) const = default;
    bool operator<(const Key& other) const {
      return std::tie(board, cursor, member, pattern) <
             std::tie(other.board, other.cursor, other.member, other.pattern);
    }
  };
  struct Page {
    std::string text;   // events in the format of a stream
    std::string next;   // the cursor after them
    bool full = false;  // more events may follow at once
  };
  class Stream {
   public:
    virtual ~Stream() = default;
    // Called when the awaited page is published or its leader has left; the stream then asks again.
    // Called on any thread: return quickly, and do not call the pages.
    virtual void OnPage() = 0;
  };

  enum class Role : std::uint8_t {
    kHasPage,  // *page is set
    kLeads,    // the stream must read the page, then call Publish or Leave
    kWaits,    // OnPage will be called; the stream must call Leave if it ends earlier
  };
  Role Ask(const Key& key, Stream* stream, std::shared_ptr<const Page>* page);
  // Called by the leader when it has read the page.
  void Publish(const Key& key, std::shared_ptr<const Page> page);
  // Called by a stream that stops leading or waiting.
  void Leave(const Key& key, Stream* stream);

 private:
  struct OpenPage {
    Stream* leader = nullptr;
    std::vector<Stream*> waiting;
  };

  // Notifies the streams that wait at the place, and removes the place.
  void End(std::map<Key, OpenPage>::iterator place) LAUREL_REQUIRES(mutex_);

  base::Mutex mutex_;
  std::map<Key, OpenPage> open_ LAUREL_GUARDED_BY(mutex_);
  // The newest pages, for streams that ask slightly later.
  std::deque<std::pair<Key, std::shared_ptr<const Page>>> recent_ LAUREL_GUARDED_BY(mutex_);
  std::size_t recent_bytes_ LAUREL_GUARDED_BY(mutex_) = 0;
};

}  // namespace laurel::server
