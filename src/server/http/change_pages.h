// Pages of events for streams of changes: a page is read and encoded once for all streams that are
// at the same place.
//
// A stream that wants the events after a cursor asks for their page. One of those that ask, the
// leader, reads it; the others wait, and OnPage is called when it is there.
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
  // What a page depends on.
  struct Key {
    std::string board;
    std::string cursor;
    std::optional<std::string> member;
    std::string pattern;  // of the client's token: a restricted client may see less

    bool operator==(const Key&) const = default;
    bool operator<(const Key& other) const {
      return std::tie(board, cursor, member, pattern) <
             std::tie(other.board, other.cursor, other.member, other.pattern);
    }
  };
  struct Page {
    std::string text;   // events as a stream sends them
    std::string next;   // the cursor after them
    bool full = false;  // more events may follow at once
  };
  class Stream {
   public:
    virtual ~Stream() = default;
    // The page that the stream waits for is there, or its leader has left: ask again. Called on any
    // thread: return quickly, and do not call the pages.
    virtual void OnPage() = 0;
  };

  enum class Role : std::uint8_t {
    kHasPage,  // *page is set
    kLeads,    // the stream has to read the page, and to call Publish or Leave
    kWaits,    // OnPage will be called; call Leave if the stream ends before
  };
  Role Ask(const Key& key, Stream* stream, std::shared_ptr<const Page>* page);
  // The leader has read the page.
  void Publish(const Key& key, std::shared_ptr<const Page> page);
  // The stream no longer leads or waits.
  void Leave(const Key& key, Stream* stream);

 private:
  struct Place {
    Stream* leader = nullptr;
    std::vector<Stream*> waiting;
  };

  // Tells the streams that wait at the place, which ends.
  void End(std::map<Key, Place>::iterator place) LAUREL_REQUIRES(mutex_);

  base::Mutex mutex_;
  std::map<Key, Place> places_ LAUREL_GUARDED_BY(mutex_);
  // The newest pages, for streams that come a little later.
  std::deque<std::pair<Key, std::shared_ptr<const Page>>> recent_ LAUREL_GUARDED_BY(mutex_);
  std::size_t recent_bytes_ LAUREL_GUARDED_BY(mutex_) = 0;
};

}  // namespace laurel::server
