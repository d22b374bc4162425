#include "tests/corpus/corpus_file.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/time_text.h"
#include "tests/corpus/corpus_host.h"

namespace laurel::corpus {
namespace {

constexpr std::string_view kIndent = "  ";

Stamp ParseStep(const std::string& text) {
  Stamp count = 0;
  const char* end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc()) throw std::runtime_error("no step: " + text);
  static const std::map<std::string, Stamp> kUnits = {
      {"", 1},           {"us", 1},           {"ms", 1000},          {"s", 1'000'000},
      {"m", 60'000'000}, {"h", 3600'000'000}, {"d", 86'400'000'000}, {"w", 604'800'000'000}};
  return count * kUnits.at(std::string(unit, end));
}

// Whether the text is four hexadecimal numbers separated by '-'.
bool IsCursor(const std::string& text) {
  return std::count(text.begin(), text.end(), '-') == 3 && !text.starts_with('-') &&
         !text.ends_with('-') && text.find("--") == std::string::npos &&
         text.find_first_not_of("0123456789abcdef-") == std::string::npos;
}

// Numbers the cursors that one host has shown.
class Cursors {
 public:
  std::string NameOf(const std::string& text) {
    if (!IsCursor(text)) return text;
    const auto found = std::find(seen_.begin(), seen_.end(), text);
    if (found == seen_.end()) {
      seen_.push_back(text);
      return std::string(kPrefix) + std::to_string(seen_.size());
    }
    return std::string(kPrefix) + std::to_string(found - seen_.begin() + 1);
  }

  Words Replaced(Words words) const {
    for (std::string& word : words) {
      if (word.starts_with(kPrefix)) word = seen_.at(std::stoull(word.substr(kPrefix.size())) - 1);
    }
    return words;
  }

 private:
  static constexpr std::string_view kPrefix = "cursor:";
  std::vector<std::string> seen_;
};

// Plays one file on one host.
class Player {
 public:
  explicit Player(std::unique_ptr<CorpusHost> host) : host_(std::move(host)) {}

  // The lines of the reply; empty if the step has no reply.
  std::vector<std::string> Do(const Step& step) {
    if (step.words.empty()) return {};
    if (step.words[0].starts_with('@')) return Direct(step.words);
    if (in_transaction_) {
      queue_.push_back(cursors_.Replaced(step.words));
      return {};
    }
    const auto reply = host_->Ask(client_, cursors_.Replaced(step.words));
    return reply ? Lines(*reply) : std::vector<std::string>{"waits"};
  }

 private:
  std::vector<std::string> Direct(const Words& words) {
    const std::string& what = words[0];
    const auto word = [&](std::size_t i) { return words.at(i); };
    if (what == "@await") return Lines(host_->Await(word(1)));
    if (what == "@cancel") return Lines(host_->Cancel(word(1), word(2) == "error"));
    if (what == "@exec") {
      in_transaction_ = false;
      return Lines(host_->Exec(client_, std::exchange(queue_, {})));
    }
    if (what == "@client") {
      client_ = word(1);
    } else if (what == "@multi") {
      in_transaction_ = true;
    } else if (what == "@clock") {
      const Result<Stamp> now = base::ParseTime(word(1));
      if (!now.ok()) throw std::runtime_error(now.error().message);
      host_->SetTime(*now);
    } else if (what == "@step") {
      host_->MoveTime(ParseStep(word(1)));
    } else if (what == "@tick") {
      host_->Tick();
    } else if (what == "@restart") {
      const bool saved = words.size() > 1 && words[1] == "saved";
      host_->Restart(saved, Words(words.begin() + (saved ? 2 : 1), words.end()));
    } else if (what == "@mask") {
      masked_ = true;
    } else if (what != "@server") {
      throw std::runtime_error("no such step");
    }
    return {};
  }

  std::vector<std::string> Lines(const std::string& reply) {
    ReplyStyle style;
    style.values = !std::exchange(masked_, false);
    style.bulk = [this](const std::string& text) { return cursors_.NameOf(text); };
    return ReplyLines(reply, style);
  }

  std::unique_ptr<CorpusHost> host_;
  Cursors cursors_;
  std::string client_ = "main";
  bool masked_ = false;
  bool in_transaction_ = false;
  std::vector<Words> queue_;
};

std::vector<std::string> Joined(const std::vector<std::string>& resp2,
                                const std::vector<std::string>& resp3) {
  std::vector<std::string> all;
  const auto add = [&all](std::string_view mark, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) all.push_back(std::string(mark) + line);
  };
  if (resp2 == resp3) {
    add("= ", resp2);
  } else {
    add("2 ", resp2);
    add("3 ", resp3);
  }
  return all;
}

}  // namespace

CorpusFile::CorpusFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with(kIndent) && !steps_.empty()) {
      steps_.back().reply.push_back(line.substr(kIndent.size()));
      continue;
    }
    Step step{number, line, {}, {}};
    if (!line.starts_with('#')) step.words = ParseWords(line);
    steps_.push_back(std::move(step));
  }
}

std::vector<Step> CorpusFile::Play() const {
  const auto make = on_server() ? MakeServerHost : MakeEngineHost;
  Player resp2(make(Protocol::kResp2));
  Player resp3(make(Protocol::kResp3));
  std::vector<Step> played = steps_;
  for (Step& step : played) {
    try {
      step.reply = Joined(resp2.Do(step), resp3.Do(step));
    } catch (const std::exception& error) {
      throw std::runtime_error("line " + std::to_string(step.line_number) + ", " + step.line +
                               ": " + error.what());
    }
  }
  return played;
}

void CorpusFile::Write(const std::filesystem::path& path, const std::vector<Step>& steps) {
  std::ofstream out(path, std::ios::binary);
  for (const Step& step : steps) {
    out << step.line << '\n';
    for (const std::string& line : step.reply) out << kIndent << line << '\n';
  }
}

}  // namespace laurel::corpus
