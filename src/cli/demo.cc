#include "cli/demo.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <istream>
#include <limits>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "cli/demo_language.h"
#include "cli/iso_time.h"
#include "cli/table.h"
#include "cli/terminal_text.h"

namespace laurel::cli {
namespace {

constexpr std::size_t kMaxLineBytes = 65536;
constexpr std::uint64_t kDefaultTop = 10;
constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();
constexpr Stamp kMinute = 60'000'000;

constexpr std::string_view kGreeting =
    "Laurel " LAUREL_VERSION
    " demo. The boards live in memory and are gone when you quit.\n"
    "Two are there: `run` keeps each member's best score; `race` orders by laps, then by time.\n"
    "Try:\n"
    "  submit run cy 1200        equal to ann and bob, but later: cy stands behind them\n"
    "  submit run cy 7           not cy's best: nothing changes\n"
    "  rank run cy               all kinds of rank, and the percentile\n"
    "  submit race eve 12 61.5   two fields, the second with three exact decimals\n"
    "  create coins POLICY sum   a board of your own\n"
    "  help                      every command\n"
    "\n";

struct DemoEntry {
  std::string_view member;
  Score score;
  Stamp minutes_ago;
};

std::string JoinScore(const Spec& spec, const Score& score) {
  std::string joined;
  for (const std::string& value : FormatScore(spec, score)) {
    joined += (joined.empty() ? "" : " ") + value;
  }
  return joined;
}

// "accepted, rank 2 (was 4), score 120 (was 100)".
std::string DescribeVerdict(const Spec& spec, const Verdict& verdict) {
  std::string text(StatusName(verdict.status));
  if (verdict.hidden) text += ", hidden";
  if (verdict.rank) {
    text += ", rank " + std::to_string(*verdict.rank);
    if (verdict.previous_rank && verdict.previous_rank != verdict.rank) {
      text += " (was " + std::to_string(*verdict.previous_rank) + ")";
    }
  }
  if (verdict.score) {
    text += ", score " + JoinScore(spec, *verdict.score);
    if (verdict.previous_score && !(*verdict.previous_score == *verdict.score)) {
      text += " (was " + JoinScore(spec, *verdict.previous_score) + ")";
    }
  }
  if (verdict.needs) text += ", needs better than " + JoinScore(spec, *verdict.needs);
  return text;
}

// "66.6666 %".
std::string FormatPercent(const Percentile& percentile) {
  return FormatNumber(static_cast<Int128>(percentile.ten_thousandths), 4) + " %";
}

}  // namespace

struct DemoShell::Command {
  std::string_view name;
  std::string_view arguments;
  std::string_view help;
  std::size_t min_words;  // without the name
  std::size_t max_words;
  Status (DemoShell::*run)(Words words);
};

std::span<const DemoShell::Command> DemoShell::Commands() {
  static constexpr std::array<Command, 16> kCommands = {{
      {"create", "BOARD [FIELDS n f×n] [POLICY p] [TIE t] [CAP n]",
       "a board; f is name[:int|decimal1…9[:desc|asc[:set|sum|max|min]]]", 1, kAnyNumber,
       &DemoShell::Create},
      {"submit", "BOARD MEMBER VALUE…", "write by the board's policy", 3, kAnyNumber,
       &DemoShell::Submit},
      {"set", "BOARD MEMBER VALUE…", "replace the score", 3, kAnyNumber, &DemoShell::Set},
      {"incr", "BOARD MEMBER VALUE…", "add to the score", 3, kAnyNumber, &DemoShell::Increment},
      {"top", "BOARD [n]", "the best n (10)", 1, 2, &DemoShell::Top},
      {"rank", "BOARD MEMBER", "ordinal, competition and dense rank, percentile", 2, 2,
       &DemoShell::Rank},
      {"around", "BOARD MEMBER m", "up to m entries on each side", 3, 3, &DemoShell::Around},
      {"boards", "", "all boards", 0, 0, &DemoShell::List},
      {"describe", "BOARD", "what a board is and holds", 1, 1, &DemoShell::Describe},
      {"remove", "BOARD MEMBER…", "take members off", 2, kAnyNumber, &DemoShell::Remove},
      {"hide", "BOARD MEMBER…", "leave members out of every rank and list", 2, kAnyNumber,
       &DemoShell::Hide},
      {"show", "BOARD MEMBER…", "undo hide", 2, kAnyNumber, &DemoShell::Show},
      {"rename", "BOARD NAME", "a board that has that name already is dropped", 2, 2,
       &DemoShell::Rename},
      {"drop", "BOARD", "remove a board", 1, 1, &DemoShell::Drop},
      {"help", "", "this list", 0, 0, &DemoShell::Help},
      {"quit", "", "leave", 0, 0, &DemoShell::Quit},
  }};
  return kCommands;
}

DemoShell::DemoShell(std::istream& in, std::ostream& out, Prompt prompt, std::function<Stamp()> now)
    : in_(in), out_(out), prompt_(prompt), now_(std::move(now)) {
  FillBoards();
}

void DemoShell::Run() {
  Greet();
  std::string line;
  while (!done_ && ReadLine(&line)) {
    if (const Status status = Execute(line); !status.ok()) {
      out_ << status.error().ToString() << "\n";
    }
  }
}

// The entries are a few minutes old, so that what is submitted now is visibly later.
void DemoShell::FillBoards() {
  const auto fill = [this](Board board, std::span<const DemoEntry> entries) {
    for (const DemoEntry& entry : entries) {
      const Moment moment = TakeMoment();
      Write write;
      write.member = entry.member;
      write.score = entry.score;
      write.at = moment.now - entry.minutes_ago * kMinute;
      (void)board.Apply(write, moment).value();
    }
  };
  Spec run;
  run.policy = Policy::kBest;
  const std::array<DemoEntry, 6> runners = {{{"ann", {1200}, 50},
                                             {"bob", {1200}, 40},
                                             {"cy", {950}, 30},
                                             {"dee", {1875}, 20},
                                             {"小明", {1430}, 15},
                                             {"eve", {700}, 10}}};
  fill(boards_.Create("run", run).value(), runners);

  Spec race;
  race.policy = Policy::kBest;
  race.fields = {Field{"laps", 0, Direction::kDesc, Operator::kSet},
                 Field{"time", 3, Direction::kAsc, Operator::kSet}};
  const std::array<DemoEntry, 4> racers = {{{"ann", {12, 61'250}, 50},
                                            {"bob", {12, 60'875}, 40},
                                            {"cy", {11, 58'004}, 30},
                                            {"dee", {12, 60'876}, 20}}};
  fill(boards_.Create("race", race).value(), racers);
}

void DemoShell::Greet() {
  out_ << kGreeting;
  const Board run = *boards_.Find("run");
  PrintEntries(run.spec(), run.Top(kDefaultTop));
}

// False at the end of the input. A line that is too long is reported and passed over.
bool DemoShell::ReadLine(std::string* line) {
  while (true) {
    if (prompt_ == Prompt::kShown) out_ << "laurel> " << std::flush;
    line->resize(kMaxLineBytes + 1);
    in_.getline(line->data(), static_cast<std::streamsize>(line->size()));
    const auto read = static_cast<std::size_t>(in_.gcount());
    if (in_.eof() || in_.bad()) {
      if (read == 0 && prompt_ == Prompt::kShown) out_ << "\n";
      line->resize(read);
      return read > 0;
    }
    if (!in_.fail()) {
      line->resize(read - 1);  // the line's end was read too
      return true;
    }
    in_.clear();
    in_.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    out_ << ErrorName(ErrorCode::kLimit) << " a line exceeds " << kMaxLineBytes << " bytes\n";
  }
}

Status DemoShell::Execute(std::string_view line) {
  const Result<std::vector<std::string_view>> words = SplitWords(line);
  if (!words.ok()) return words.error();
  if (words->empty()) return Ok{};
  const std::span<const Command> commands = Commands();
  const auto command = std::find_if(commands.begin(), commands.end(), [&words](const Command& c) {
    return c.name == words->front();
  });
  if (command == commands.end()) {
    return Error{ErrorCode::kErr, "unknown command " + Quoted(words->front()) + ", try help"};
  }
  const Words arguments = Words(*words).subspan(1);
  if (arguments.size() < command->min_words || arguments.size() > command->max_words) {
    return Error{ErrorCode::kErr, "usage: " + std::string(command->name) +
                                      (command->arguments.empty() ? "" : " ") +
                                      std::string(command->arguments)};
  }
  return (this->*command->run)(arguments);
}

Status DemoShell::Create(Words words) {
  const Result<Spec> spec = ParseCreateOptions(words.subspan(1));
  if (!spec.ok()) return spec.error();
  const Result<Board> board = boards_.Create(words[0], *spec);
  if (!board.ok()) return board.error();
  out_ << DescribeSpec(board->spec()) << "\n";
  return Ok{};
}

Status DemoShell::Submit(Words words) { return ApplyWrite(WriteMode::kSubmit, words); }
Status DemoShell::Set(Words words) { return ApplyWrite(WriteMode::kSet, words); }
Status DemoShell::Increment(Words words) { return ApplyWrite(WriteMode::kIncrement, words); }

Status DemoShell::Top(Words words) {
  const Result<Board> board = FindBoard(words[0]);
  if (!board.ok()) return board.error();
  const Result<std::uint64_t> n =
      words.size() > 1 ? ParseCount(words[1]) : Result<std::uint64_t>(kDefaultTop);
  if (!n.ok()) return n.error();
  PrintEntries(board->spec(), board->Top(*n));
  return Ok{};
}

Status DemoShell::Rank(Words words) {
  const Result<Board> board = FindBoard(words[0]);
  if (!board.ok()) return board.error();
  const std::string_view member = words[1];
  const std::optional<Entry> entry = board->Get(member);
  if (!entry) {
    out_ << Quoted(member) << " is not on the board\n";
    return Ok{};
  }
  if (!entry->rank) {
    out_ << Quoted(member) << " is hidden, score " << JoinScore(board->spec(), entry->score)
         << "\n";
    return Ok{};
  }
  const Percentile percentile = board->PercentileOf(member).value();
  Table table({{"ordinal", Table::Align::kRight},
               {"competition", Table::Align::kRight},
               {"dense", Table::Align::kRight},
               {"percentile", Table::Align::kRight},
               {"worse", Table::Align::kRight},
               {"equal", Table::Align::kRight},
               {"of", Table::Align::kRight}});
  table.AddRow({std::to_string(*entry->rank),
                std::to_string(board->Get(member, RankKind::kCompetition)->rank.value()),
                std::to_string(board->Get(member, RankKind::kDense)->rank.value()),
                FormatPercent(percentile), std::to_string(percentile.worse),
                std::to_string(percentile.equal), std::to_string(percentile.count)});
  table.Print(out_);
  return Ok{};
}

Status DemoShell::Around(Words words) {
  const Result<Board> board = FindBoard(words[0]);
  if (!board.ok()) return board.error();
  const Result<std::uint64_t> m = ParseCount(words[2]);
  if (!m.ok()) return m.error();
  const std::optional<std::vector<Entry>> entries = board->Around(words[1], *m);
  if (entries) {
    PrintEntries(board->spec(), *entries);
  } else {
    out_ << Quoted(words[1]) << " is absent or hidden\n";
  }
  return Ok{};
}

Status DemoShell::List(Words /*words*/) {
  Table table({{"board"}, {"entries", Table::Align::kRight}, {"spec"}});
  for (const std::string& name : boards_.List()) {
    const Board board = *boards_.Find(name);
    table.AddRow({name, std::to_string(board.size()), DescribeSpec(board.spec())});
  }
  table.Print(out_);
  return Ok{};
}

Status DemoShell::Describe(Words words) {
  const Result<BoardInfo> info = boards_.Describe(words[0]);
  if (!info.ok()) return info.error();
  Table table({{"entries", Table::Align::kRight},
               {"hidden", Table::Align::kRight},
               {"bytes", Table::Align::kRight},
               {"spec"}});
  table.AddRow({std::to_string(info->size), std::to_string(info->hidden),
                std::to_string(info->bytes), DescribeSpec(info->spec)});
  table.Print(out_);
  return Ok{};
}

Status DemoShell::Remove(Words words) {
  Result<Board> board = FindBoard(words[0]);
  if (!board.ok()) return board.error();
  out_ << board->Remove(words.subspan(1)) << " removed\n";
  return Ok{};
}

Status DemoShell::Hide(Words words) {
  Result<Board> board = FindBoard(words[0]);
  if (!board.ok()) return board.error();
  const Result<std::uint64_t> hidden = board->Hide(words.subspan(1));
  if (!hidden.ok()) return hidden.error();
  out_ << *hidden << " hidden\n";
  return Ok{};
}

Status DemoShell::Show(Words words) {
  Result<Board> board = FindBoard(words[0]);
  if (!board.ok()) return board.error();
  const Result<std::uint64_t> shown = board->Show(words.subspan(1));
  if (!shown.ok()) return shown.error();
  out_ << *shown << " shown\n";
  return Ok{};
}

Status DemoShell::Rename(Words words) {
  if (Status status = boards_.Rename(words[0], words[1]); !status.ok()) return status;
  out_ << "renamed\n";
  return Ok{};
}

Status DemoShell::Drop(Words words) {
  if (const Result<Board> board = FindBoard(words[0]); !board.ok()) return board.error();
  boards_.Drop(words[0]);
  out_ << "dropped\n";
  return Ok{};
}

Status DemoShell::Help(Words /*words*/) {
  Table table({{"command"}, {"arguments"}, {"what it does"}});
  for (const Command& command : Commands()) {
    table.AddRow(
        {std::string(command.name), std::string(command.arguments), std::string(command.help)});
  }
  table.Print(out_);
  out_ << "A name with blanks goes into \"double quotes\".\n";
  return Ok{};
}

Status DemoShell::Quit(Words /*words*/) {
  done_ = true;
  return Ok{};
}

Result<Board> DemoShell::FindBoard(std::string_view name) const {
  const std::optional<Board> board = boards_.Find(name);
  if (!board) return Error{ErrorCode::kNoBoard, "no board " + Quoted(name)};
  return *board;
}

Moment DemoShell::TakeMoment() {
  const Stamp now = now_();
  return {now, clock_.Take(now)};
}

Status DemoShell::ApplyWrite(WriteMode mode, Words words) {
  Result<Board> board = FindBoard(words[0]);
  if (!board.ok()) return board.error();
  const Result<Score> score = ParseScore(board->spec(), words.subspan(2));
  if (!score.ok()) return score.error();
  Write write;
  write.member = words[1];
  write.score = *score;
  write.mode = mode;
  const Result<Verdict> verdict = board->Apply(write, TakeMoment());
  if (!verdict.ok()) return verdict.error();
  out_ << DescribeVerdict(board->spec(), *verdict) << "\n";
  return Ok{};
}

void DemoShell::PrintEntries(const Spec& spec, std::span<const Entry> entries) {
  std::vector<Table::Column> columns = {{"rank", Table::Align::kRight}, {"member"}};
  for (const Field& field : spec.fields) columns.push_back({field.name, Table::Align::kRight});
  columns.push_back({"reached"});
  Table table(std::move(columns));
  for (const Entry& entry : entries) {
    std::vector<std::string> cells = {entry.rank ? std::to_string(*entry.rank) : "-", entry.member};
    for (std::string& value : FormatScore(spec, entry.score)) cells.push_back(std::move(value));
    cells.push_back(FormatIsoTime(entry.stamp));
    table.AddRow(cells);
  }
  table.Print(out_);
}

}  // namespace laurel::cli
