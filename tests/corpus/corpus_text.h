// How requests and replies are written in a corpus file.
//
// A word of a request stands as it is, or in double quotes if it is empty or holds blanks, quotes,
// backslashes or bytes that do not print. In quotes: \" \\ \r \n \xHH, and \(1025x) for 1025 times
// the byte x.
//
// A reply is written so that its bytes follow from the text:
//
//   +OK  -ERR syntax error  :5  ,1.5  #t  _  (12  $-1  *-1    the line itself; inside an aggregate
//                                                             its text is in quotes
//   "text"                                                    a bulk string
//   ="txt:text"                                               a verbatim string
//   [a b]  {k v}  ~[a b]  >[a b]                              array, map, set, push
//   :?                                                        the number beside the name "bytes"
//   raw "…"                                                   bytes that are no reply of RESP
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace laurel::corpus {

using Words = std::vector<std::string>;

// Throws std::runtime_error if a quote or an escape is broken.
Words ParseWords(std::string_view line);
std::string WordsText(const Words& words);

struct ReplyStyle {
  bool values = true;  // false: types and errors only; every other value is "?"
  // What stands for a bulk string; the string itself for most.
  std::function<std::string(const std::string&)> bulk = [](const std::string& text) {
    return text;
  };
};

// The reply in lines of about 110 columns, without indentation of its own.
std::vector<std::string> ReplyLines(std::string_view bytes, const ReplyStyle& style);

}  // namespace laurel::corpus
