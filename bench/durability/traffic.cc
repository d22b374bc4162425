#include "bench/durability/traffic.h"

#include <algorithm>
#include <deque>
#include <thread>

#include <poll.h>

#include "base/random.h"
#include "bench/member_name.h"
#include "bench/server/connection.h"

namespace laurel::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kWriters = 50;
constexpr auto kProbeInterval = 1ms;
constexpr auto kAskInterval = 10ms;
constexpr int kPollMs = 100;
// Requests sent at the end of a stretch count too, so their replies are awaited.
constexpr auto kLastReplies = 1s;

// Returns the value that about `share` of the values do not exceed. REQUIRES: not empty.
double Percentile(std::vector<double>* values, double share) {
  const auto index = static_cast<std::ptrdiff_t>(share * static_cast<double>(values->size() - 1));
  std::nth_element(values->begin(), values->begin() + index, values->end());
  return (*values)[static_cast<std::size_t>(index)];
}

}  // namespace

Traffic::Traffic(const Target& target, const std::string& board, std::uint64_t members)
    : board_(board),
      members_(members),
      writer_(std::async(std::launch::async, [this, target] { Write(target); })),
      probe_(std::async(std::launch::async, [this, target] { Probe(target); })) {}

Traffic::~Traffic() {
  stops_ = true;
  for (const std::future<void>* thread : {&writer_, &probe_}) {
    if (thread->valid()) thread->wait();
  }
}

Stretch Traffic::Measure(const std::function<bool()>& goes_on) {
  const auto begin = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    begin_ = begin;
    end_ = Clock::time_point::max();
    writes_.clear();
    probes_.clear();
  }
  while (goes_on()) {
    for (std::future<void>* thread : {&writer_, &probe_}) {
      if (thread->wait_for(0s) == std::future_status::ready) thread->get();  // throws
    }
    std::this_thread::sleep_for(kAskInterval);
  }
  const auto end = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    end_ = end;
  }
  std::this_thread::sleep_for(kLastReplies);
  const std::lock_guard lock(mutex_);
  begin_ = Clock::time_point::max();
  if (writes_.empty() || probes_.empty()) throw Failure("nothing was answered in a stretch");
  Stretch stretch;
  stretch.seconds = std::chrono::duration<double>(end - begin).count();
  stretch.writes_per_second = static_cast<double>(writes_.size()) / stretch.seconds;
  stretch.write_p50_ms = Percentile(&writes_, 0.5);
  stretch.write_p99_ms = Percentile(&writes_, 0.99);
  stretch.write_longest_ms = Percentile(&writes_, 1);
  stretch.probe_p99_ms = Percentile(&probes_, 0.99);
  stretch.probe_longest_ms = Percentile(&probes_, 1);
  return stretch;
}

void Traffic::Count(Clock::time_point sent, Latencies* latencies) {
  const std::chrono::duration<double, std::milli> latency = Clock::now() - sent;
  const std::lock_guard lock(mutex_);
  if (sent >= begin_ && sent < end_) latencies->push_back(latency.count());
}

void Traffic::Write(const Target& target) {
  struct Client {
    explicit Client(const Target& at) : connection(at) {}
    Connection connection;
    Clock::time_point sent;
  };
  base::Random random(2);
  const auto send = [&](Client* client) {
    const Command command = {"ZADD", board_, std::to_string(random.Below(members_)),
                             MemberName(random.Below(members_))};
    client->sent = Clock::now();
    client->connection.Send(Encode(command));
  };
  std::deque<Client> clients;
  std::vector<pollfd> events;
  for (std::size_t i = 0; i < kWriters; ++i) {
    Client& client = clients.emplace_back(target);
    events.push_back({client.connection.descriptor(), POLLIN, 0});
    send(&client);
  }
  while (!stops_) {
    poll(events.data(), events.size(), kPollMs);
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].revents == 0) continue;
      clients[i].connection.ReadReply();
      Count(clients[i].sent, &writes_);
      send(&clients[i]);
    }
  }
}

void Traffic::Probe(const Target& target) {
  Connection connection(target);
  const Command questions[] = {{"PING"}, {"ZSCORE", board_, MemberName(0)}};
  for (std::size_t asked = 0; !stops_; ++asked) {
    const auto sent = Clock::now();
    connection.Ask(questions[asked % 2]);
    Count(sent, &probes_);
    std::this_thread::sleep_until(sent + kProbeInterval);
  }
}

}  // namespace laurel::bench
