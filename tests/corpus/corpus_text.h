// The text of requests and replies in a corpus file.
//
// A word of a request is plain, or in double quotes if it is empty or contains blanks, quotes,
// backslashes or unprintable bytes. In quotes: \" \\ \r \n \xHH, and \(1025x) for 1025 times the
// byte x.
//
// The text of a reply determines its bytes:
//
//   +OK  -ERR syntax error  :5  ,1.5  #t  _  (12  $-1  *-1    the line itself; inside an aggregate
//                                                             its text is in quotes
//   "text"                                                    a bulk string
//   ="txt:text"                                               a verbatim string
//   [a b]  {k v}  ~[a b]  >[a b]                              array, map, set, push
//   :?                                                        the number after the name "bytes"
//   raw "…"                                                   bytes that are not a RESP reply
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
  // The text to write for a bulk string.
  std::function<std::string(const std::string&)> bulk = [](const std::string& text) {
    return text;
  };
};

// The reply in lines of about 110 columns, without an outer indentation.
std::vector<std::string> ReplyLines(std::string_view bytes, const ReplyStyle& style);

}  // namespace laurel::corpus
