// Replies as text for failure messages, and the comparison of two replies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/entry.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel::model {

// The bytes in quotes. Escapes unprintable bytes; truncates long text and appends its length.
std::string Quoted(std::string_view bytes);

std::string Render(bool value);
std::string Render(std::uint64_t value);
std::string Render(const std::string& value);
std::string Render(Ok);
std::string Render(const Score& score);  // as raw int64 values, which distinguish -0, 0 and NaN
std::string Render(const Entry& entry);
std::string Render(const AmongEntry& entry);
std::string Render(const Verdict& verdict);
std::string Render(const Percentile& percentile);
std::string Render(const HistogramBucket& bucket);
std::string Render(const ScoreBound& bound);
std::string Render(const LexBound& bound);
std::string Render(const Write& write);
std::string Render(const Spec& spec);
std::string Render(RankKind kind);
std::string Render(std::string_view member);

// Declared first, because the templates call each other.
template <typename T>
std::string Render(const std::optional<T>& value);
template <typename T>
std::string Render(const std::vector<T>& list);
template <typename T>
std::string Render(const Result<T>& result);

template <typename T>
std::string Render(const std::optional<T>& value) {
  return value ? Render(*value) : "none";
}

template <typename T>
std::string Render(const std::vector<T>& list) {
  std::string text = std::to_string(list.size()) + " [";
  for (const T& item : list) text.append("\n    ").append(Render(item));
  return text + "]";
}

template <typename T>
std::string Render(const Result<T>& result) {
  return result ? Render(*result) : std::string("error ").append(result.error().ToString());
}

// Whether the reply of the board under test equals that of the model.
template <typename T>
bool SameReply(const T& board, const T& model) {
  return board == model;
}

inline bool SameReply(Ok, Ok) { return true; }

// The model's message lists all codes that are right. No code is a substring of another.
inline bool SameReply(const Error& board, const Error& model) {
  return model.message.find(ErrorName(board.code)) != std::string::npos;
}

template <typename T>
bool SameReply(const Result<T>& board, const Result<T>& model) {
  if (board.ok() != model.ok()) return false;
  return board.ok() ? SameReply(*board, *model) : SameReply(board.error(), model.error());
}

template <typename T>
bool SameReply(const std::vector<Result<T>>& board, const std::vector<Result<T>>& model) {
  if (board.size() != model.size()) return false;
  for (std::size_t i = 0; i < board.size(); ++i) {
    if (!SameReply(board[i], model[i])) return false;
  }
  return true;
}

}  // namespace laurel::model
