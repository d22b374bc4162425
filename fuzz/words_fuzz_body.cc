#include "fuzz/words_fuzz_body.h"

#include <functional>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text.h"
#include "fuzz/command_shapes.h"
#include "fuzz/fuzz_input.h"
#include "leaderboard/operation.h"
#include "wire/command_table.h"
#include "wire/leaderboard_words.h"
#include "wire/spec_arguments.h"

namespace laurel::fuzz {
namespace {

using leaderboard::InstanceSelector;

constexpr std::size_t kMostRequests = 50;  // per input

const std::vector<wire::CommandId>& Commands() {
  static const std::vector<wire::CommandId> commands = [] {
    std::vector<wire::CommandId> found = {wire::CommandId::kLbCreate, wire::CommandId::kLbChanges};
    for (const wire::CommandInfo& command : wire::CommandTable()) {
      if (wire::IsOperation(command.id)) found.push_back(command.id);
    }
    return found;
  }();
  return commands;
}

// Checks that an operation refers only to its request.
class References {
 public:
  References(std::span<const std::string_view> words, const Spec* altered)
      : words_(words), altered_(altered) {}

  template <typename Operation>
  [[nodiscard]] bool Hold(const Operation& operation) const {
    bool hold = true;
    const auto check = [&](const auto& part) { hold = hold && Inside(part); };
    if constexpr (requires { operation.member; }) check(operation.member);
    if constexpr (requires { operation.members; }) check(operation.members);
    if constexpr (requires { operation.words; }) check(operation.words);
    if constexpr (requires { operation.writes; }) hold = hold && operation.writes.empty();
    if constexpr (requires { operation.id; }) check(operation.id);
    if constexpr (requires { operation.meta; }) check(operation.meta);
    if constexpr (requires { operation.instance; }) check(operation.instance);
    if constexpr (requires { operation.options; }) check(operation.options.instance);
    if constexpr (requires { operation.spec; }) hold = hold && operation.spec == altered_;
    if constexpr (requires { operation.bounds; }) {
      check(operation.bounds.min);
      check(operation.bounds.max);
    }
    if constexpr (requires { operation.values; }) {
      check(operation.values.texts);
      hold = hold && operation.values.score == nullptr;
    }
    return hold;
  }

  [[nodiscard]] bool Inside(std::string_view text) const {
    if (text.data() == nullptr) return text.empty();
    for (const std::string_view word : words_) {
      // Compares addresses, not values.
      if (std::less_equal<>()(word.data(), text.data()) &&
          std::less_equal<>()(text.data() + text.size(), word.data() + word.size())) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool Inside(std::span<const std::string_view> list) const {
    return list.empty() ||
           (std::less_equal<>()(words_.data(), list.data()) &&
            std::less_equal<>()(list.data() + list.size(), words_.data() + words_.size()));
  }
  [[nodiscard]] bool Inside(const std::optional<std::string_view>& text) const {
    return !text || Inside(*text);
  }
  [[nodiscard]] bool Inside(const std::optional<InstanceSelector>& instance) const {
    return !instance || (Inside(instance->text) && Inside(instance->label));
  }

 private:
  std::span<const std::string_view> words_;
  const Spec* altered_;
};

class Grammar {
 public:
  Grammar(std::span<const std::uint8_t> bytes, AcceptedWords* accepted)
      : input_(bytes), accepted_(*accepted) {}

  std::string Run() {
    for (std::size_t i = 0; i < kMostRequests && !input_.empty(); ++i) {
      const wire::CommandId id = Commands()[input_.Below(Commands().size())];
      const std::vector<std::string> texts = MakeArguments(id, &input_);
      const std::vector<std::string_view> words(texts.begin(), texts.end());
      const wire::CommandInfo* command = wire::LookUp(words).command;
      if (command == nullptr || command->id != id) continue;
      std::string failure = Ask(*command, words);
      if (failure.empty()) continue;
      for (const std::string& text : texts) failure += " " + base::Quote(text);
      return failure;
    }
    return "";
  }

 private:
  std::string Ask(const wire::CommandInfo& command, std::span<const std::string_view> words) {
    if (command.id == wire::CommandId::kLbCreate) return Declare(words);
    std::optional<InstanceSelector> named;
    const std::size_t at = words[1].find('@');
    if (at != std::string_view::npos) named = leaderboard::ParseSelector(words[1].substr(at + 1));
    if (command.id == wire::CommandId::kLbChanges) {
      wire::ChangesArguments wanted;
      const Status status = wire::ParseChanges(words, named, &wanted);
      const References references(words, nullptr);
      const bool inside = references.Inside(wanted.cursor) && references.Inside(wanted.member) &&
                          references.Inside(wanted.instance);
      return Judge(command.id, status, inside);
    }
    const Status status = wire::ParseOperation(command, words, spec_, named, &parsed_);
    wire::ParsedOperation fresh;
    const Status again = wire::ParseOperation(command, words, spec_, named, &fresh);
    if (TextOf(status) != TextOf(again)) return "the same words, another answer:";
    const References references(words, &parsed_.altered.spec);
    const auto holds = [&](const auto& operation) { return references.Hold(operation); };
    const bool inside =
        !status.ok() || (parsed_.read() != nullptr ? std::visit(holds, *parsed_.read())
                                                   : std::visit(holds, *parsed_.write()));
    return Judge(command.id, status, inside);
  }

  // The last accepted LB.CREATE determines the spec of later requests.
  std::string Declare(std::span<const std::string_view> words) {
    wire::SpecArguments wanted;
    const Status status = wire::ParseSpecArguments(words.subspan(2), &wanted);
    if (status.ok()) spec_ = wanted.spec;
    if (status.ok() && !CheckSpec(spec_).ok()) return "a spec that is none:";
    return Judge(wire::CommandId::kLbCreate, status, true);
  }

  std::string Judge(wire::CommandId id, const Status& status, bool inside) {
    if (!status.ok()) {
      const std::string text = TextOf(status);
      const bool one_line = !status.error().message.empty() &&
                            text.find_first_of("\r\n") == std::string::npos && text.size() < 2048;
      return one_line ? "" : "an error that is not one line:";
    }
    ++accepted_[static_cast<std::size_t>(id)];
    return inside ? "" : "an operation refers to something else:";
  }

  static std::string TextOf(const Status& status) {
    return status.ok() ? "" : status.error().ToString();
  }

  FuzzInput input_;
  AcceptedWords& accepted_;
  Spec spec_;
  wire::ParsedOperation parsed_;
};

}  // namespace

std::string RunWords(std::span<const std::uint8_t> bytes, AcceptedWords* accepted) {
  return Grammar(bytes, accepted).Run();
}

}  // namespace laurel::fuzz
