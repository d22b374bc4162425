# cmake -D SOURCE=FILE.json -D TARGET=FILE.cc -D HEADER=PATH.h -D FUNCTION=NAMESPACE::NAME -P EmbedJson.cmake
#
# Writes a C++ source that defines the function, which HEADER declares: it returns the JSON of SOURCE as a
# std::string_view, without the blanks between its tokens. Needs CMake alone.

file(READ ${SOURCE} text)
# A string with its escapes, or what stands between strings; then blanks, which go.
string(REGEX REPLACE "(\"([^\"\\\\]|\\\\.)*\"|[^\" \n]+)[ \n]*" "\\1" text "${text}")
string(HEX "${text}" digits)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${digits}")
# Characters one by one, because clang warns of string literals above 64 KiB.
file(WRITE ${TARGET} "#include \"${HEADER}\"

constexpr char kText[] = {${bytes}};

std::string_view ${FUNCTION}() { return {kText, sizeof kText}; }
")
