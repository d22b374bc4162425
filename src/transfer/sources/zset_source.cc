#include "transfer/sources/zset_source.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "base/integer.h"
#include "base/text.h"
#include "laurel/score.h"
#include "wire/reply_cursor.h"

namespace laurel::transfer {
namespace {

constexpr std::string_view kScanCount = "1000";
constexpr std::int64_t kMostKeys = 100'000'000;  // if the server does not report the number

bool IsInteger(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<std::vector<std::string>> FindKeys(client::PatientConnection* server,
                                          const std::string& pattern, const std::string& type) {
  std::set<std::string> keys;
  std::string cursor = "0";
  const Result<client::RespValue> size = server->Ask({"DBSIZE"});
  const std::int64_t entries = size.ok() ? std::max<std::int64_t>(size->integer, 0) : kMostKeys;
  client::ScanGuard guard(server->address(), static_cast<std::uint64_t>(entries));
  do {
    const Result<client::RespValue> page = server->Ask(
        {"SCAN", cursor, "MATCH", pattern, "COUNT", std::string(kScanCount), "TYPE", type});
    if (!page.ok()) return page.error();
    if (page->elements.size() != 2) return Err(server->address() + ": SCAN answers no page");
    cursor = page->elements[0].text;
    const Status taken = guard.Take(cursor, page->elements[1].elements.size());
    if (!taken.ok()) return taken.error();
    for (const client::RespValue& key : page->elements[1].elements) keys.insert(key.text);
  } while (cursor != "0");
  return std::vector<std::string>(keys.begin(), keys.end());
}

Result<std::unique_ptr<ZsetReader>> ZsetReader::Open(client::PatientConnection* server,
                                                     ZsetSourceOptions options, Rejects* rejects) {
  std::string refusal;
  const Result<client::RespValue> size = server->Ask({"ZCARD", options.key}, &refusal);
  if (refusal.starts_with("WRONGTYPE")) {
    return Err(server->address() + ": " + base::Quote(options.key) + " is no sorted set");
  }
  if (!size.ok()) return size.error();
  if (size->integer == 0 && !options.may_be_absent) {
    return Err(server->address() + ": there is no sorted set " + base::Quote(options.key));
  }
  const auto entries = static_cast<std::uint64_t>(std::max<std::int64_t>(size->integer, 0));
  std::unique_ptr<ZsetReader> reader(new ZsetReader(server, std::move(options), rejects, entries));
  reader->AskForPage();
  return reader;
}

void ZsetReader::AskForPage() {
  const std::string_view words[] = {"ZSCAN", options_.key, cursor_, "COUNT", kScanCount};
  (*server_)->Queue(words);
  // An error appears when the page is awaited.
  (void)(*server_)->Flush().ok();
}

Result<bool> ZsetReader::AwaitPage() {
  const Result<std::string_view> reply = (*server_)->Next();
  const bool loading =
      reply.ok() && wire::IsErrorReply(*reply) && wire::CodeOfError(*reply) == "LOADING";
  if (!reply.ok() || loading) {
    const Error reason = loading ? server_->Refused(*reply) : reply.error();
    if (const Status again = server_->Reconnect(reason); !again.ok()) return again.error();
    AskForPage();
    return false;
  }
  if (wire::IsErrorReply(*reply)) return server_->Refused(*reply);
  server_->Progressed();
  page_.assign(*reply);
  return true;
}

Status ZsetReader::TakePage() {
  const auto strange = [this] { return Err(server_->address() + ": ZSCAN answers no page"); };
  wire::ReplyCursor cursor(page_);
  if (cursor.next_type() != '*' || cursor.EnterArray() != 2) return strange();
  const std::optional<std::string_view> place = client::TextOfReply(cursor.Next());
  if (!place || cursor.next_type() != '*') return strange();
  cursor_ = *place;
  last_page_ = *place == "0";
  pairs_.clear();
  next_ = 0;
  const std::size_t values = cursor.EnterArray();
  if (values % 2 != 0) {
    return Err(server_->address() + ": ZSCAN answers a member without a score");
  }
  if (const Status taken = guard_.Take(cursor_, values / 2); !taken.ok()) return taken;
  for (std::size_t left = values / 2; left > 0; --left) {
    const std::optional<std::string_view> member = client::TextOfReply(cursor.Next());
    const std::optional<std::string_view> score = client::TextOfReply(cursor.Next());
    if (!member || !score) return strange();
    pairs_.emplace_back(*member, *score);
  }
  return Ok{};
}

Status ZsetReader::ReadPage() {
  for (;;) {
    if (server_->stopped()) return Err("stopped by a signal");
    const Result<bool> arrived = AwaitPage();
    if (!arrived.ok()) return arrived.error();
    if (*arrived) break;
  }
  if (const Status taken = TakePage(); !taken.ok()) return taken;
  if (!last_page_) AskForPage();
  return Ok{};
}

Status ZsetReader::ReadAll() {
  while (!last_page_) {
    if (const Status read = ReadPage(); !read.ok()) return read;
    for (const auto& [member, score] : pairs_) {
      const Result<double> number = ParseDouble(score);
      if (!number.ok()) return number.error();
      held_.push_back({*number, std::string(member), std::string(score)});
    }
  }
  std::sort(held_.begin(), held_.end(), [](const Held& a, const Held& b) {
    return std::tie(a.number, a.member) > std::tie(b.number, b.member);
  });
  if (options_.order == EqualRows::kMemberAscending) std::reverse(held_.begin(), held_.end());
  pairs_.clear();
  for (const Held& held : held_) pairs_.emplace_back(held.member, held.score);
  next_ = 0;
  return Ok{};
}

Status ZsetReader::Decode(std::string_view member, std::string_view score, Row* row) {
  const Result<std::string_view> unwrapped = members_.Unwrap(member);
  if (!unwrapped.ok()) return unwrapped.error();
  member = *unwrapped;
  row->member = member;
  row->at = std::nullopt;
  if (is_plain_ && IsInteger(score)) {
    value_view_ = score;
    return Ok{};
  }
  const Result<double> number = ParseDouble(score);
  if (!number.ok()) return number.error();
  if (is_plain_) {
    // Servers before 7.2 return 0.1 as 0.10000000000000001.
    value_ = FormatDouble(*number);
    value_view_ = value_;
    return Ok{};
  }
  const Result<DecodedEntry> decoded = options_.codec.Decode(*number, member);
  if (!decoded.ok()) return decoded.error();
  if (!decoded->exact) {
    ++figures_.inexact;
    figures_.max_at_error_us = std::max(figures_.max_at_error_us, decoded->at_error_us);
  }
  row->member = decoded->member;
  row->at = decoded->at;
  value_.resize(base::kMaxIntegerText);
  const auto end = std::to_chars(value_.data(), value_.data() + value_.size(), decoded->value).ptr;
  value_view_ = std::string_view(value_.data(), static_cast<std::size_t>(end - value_.data()));
  return Ok{};
}

Result<bool> ZsetReader::Next(Row* row) {
  for (;;) {
    if (next_ == pairs_.size()) {
      if (last_page_) return false;
      if (const Status read = options_.order ? ReadAll() : ReadPage(); !read.ok()) {
        return read.error();
      }
      continue;
    }
    const auto& [member, score] = pairs_[next_++];
    if (options_.drop_repeats && !seen_.emplace(member).second) continue;
    ++progress_.done_bytes;
    *row = Row();
    const Status decoded = Decode(member, score, row);
    if (decoded.ok()) {
      row->values = {&value_view_, 1};
      if (!row->at) row->at = options_.untimed_at;
      return true;
    }
    const std::string shown = std::string(member) + " " + std::string(score);
    const Status rejected = rejects_->Add({0, decoded.error().ToString(), shown});
    if (!rejected.ok()) return rejected.error();
  }
}

}  // namespace laurel::transfer
