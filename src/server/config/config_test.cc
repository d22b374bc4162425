#include "server/config/config.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "laurel/limits.h"
#include "server/config/option_table.h"

namespace laurel::server {
namespace {

namespace fs = std::filesystem;

using Arguments = std::vector<std::string_view>;

const std::string kHash = "sha256:" + std::string(64, 'a');
const std::string kOtherHash = "sha256:" + std::string(64, 'b');

Config Accept(const Arguments& arguments) {
  Result<ServeOptions> options = ParseServeOptions(arguments);
  if (!options.ok()) {
    ADD_FAILURE() << options.error().ToString();
    return {};
  }
  EXPECT_FALSE(options->help);
  return options->config;
}

// The error message, which must be one line.
std::string Refusal(const Arguments& arguments) {
  const Result<ServeOptions> options = ParseServeOptions(arguments);
  if (options.ok()) return "accepted";
  EXPECT_EQ(options.error().code, ErrorCode::kErr);
  const std::string& message = options.error().message;
  EXPECT_TRUE(std::none_of(message.begin(), message.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20;
  })) << message;
  return message;
}

// A temporary file that exists as long as the object.
class File {
 public:
  explicit File(std::string_view text)
      : path_(testing::TempDir() + "laurel_config_test_" + std::to_string(++files) + ".toml") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~File() { fs::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  inline static int files = 0;
  std::string path_;
};

Config AcceptFile(std::string_view text) {
  const File file(text);
  return Accept({"--config", file.path()});
}

// The error message after "path:".
std::string FileRefusal(std::string_view text) {
  const File file(text);
  const std::string message = Refusal({"--config", file.path()});
  EXPECT_TRUE(message.starts_with(file.path() + ":")) << message;
  return message.substr(std::min(message.size(), file.path().size() + 1));
}

// Flags ------------------------------------------------------------------------------------------

TEST(Flags, NoFlagsGiveTheDefaults) { EXPECT_EQ(Accept({}), Config()); }

TEST(Flags, SetEveryKindOfValue) {
  const Config config = Accept({"--bind", "::1", "--port=0", "--threads", "4", "--data", "/srv/l",
                                "--max-memory", "2gb", "--idle-timeout", "5m", "--log-level=debug",
                                "--slowlog-slower-than", "500us", "--insecure"});
  Config expected;
  expected.bind = "::1";
  expected.port = 0;
  expected.threads = 4;
  expected.data = "/srv/l";
  expected.max_memory = 2ULL << 30;
  expected.idle_timeout_ms = 300'000;
  expected.log_level = "debug";
  expected.slowlog_slower_than_us = 500;
  expected.insecure = true;
  EXPECT_EQ(config, expected);
}

TEST(Flags, TakeTheNextArgumentEvenIfItLooksLikeAFlag) {
  EXPECT_EQ(Accept({"--data", "--insecure"}).data, "--insecure");
  EXPECT_EQ(Accept({"--log-file", ""}).log_file, "");
  EXPECT_EQ(Accept({"--data=a=b"}).data, "a=b");
  EXPECT_EQ(Refusal({"--threads", "-1"}), "--threads: expected a number from 0 to 64, got '-1'");
}

TEST(Flags, AMissingValueIsAnError) {
  EXPECT_EQ(Refusal({"--insecure", "--port"}), "--port: expected a value");
  EXPECT_EQ(Refusal({"--config"}), "--config: expected a value");
  EXPECT_EQ(Refusal({"--template"}), "--template: expected a value");
  EXPECT_EQ(Refusal({"--log-file=", "--port", "1"}),
            "--log-file: expected a value behind '='; an empty one is written --log-file ''");
}

TEST(Flags, AnUnknownFlagIsAnErrorWithTheNearestName) {
  EXPECT_EQ(Refusal({"--prot", "1"}), "unknown option '--prot'; did you mean '--port'?");
  EXPECT_EQ(Refusal({"--max_memory=1gb"}),
            "unknown option '--max_memory'; did you mean '--max-memory'?");
  EXPECT_EQ(Refusal({"--hlep"}), "unknown option '--hlep'; did you mean '--help'?");
  EXPECT_EQ(Refusal({"--requirepass", "x"}), "unknown option '--requirepass'");
  EXPECT_EQ(Refusal({"-p", "1"}), "unknown option '-p'");
  EXPECT_EQ(Refusal({"-port", "1"}), "unknown option '-port'; did you mean '--port'?");
  EXPECT_EQ(Refusal({"7600"}), "unexpected argument '7600'");
  EXPECT_EQ(Refusal({"--", "--port"}), "unknown option '--'");
  EXPECT_EQ(Refusal({"--bad\r\nflag"}), "unknown option '--bad\\x0d\\x0aflag'");
}

TEST(Flags, AScalarGivenTwiceIsAnError) {
  EXPECT_EQ(Refusal({"--port", "1", "--port", "1"}), "--port: is given 2 times; expected once");
  EXPECT_EQ(Refusal({"--insecure", "--insecure"}), "--insecure: is given 2 times; expected once");
  EXPECT_EQ(Refusal({"--config", "a", "--config", "b"}),
            "--config: is given 2 times; expected once");
}

TEST(Flags, ASwitchTakesTrueOrFalseAfterAnEqualsSign) {
  EXPECT_TRUE(Accept({"--insecure=true"}).insecure);
  EXPECT_FALSE(Accept({"--insecure=false"}).insecure);
  EXPECT_EQ(Refusal({"--insecure=maybe"}), "--insecure: expected true or false, got 'maybe'");
  EXPECT_EQ(Refusal({"--insecure", "true"}), "unexpected argument 'true'");
}

TEST(Flags, HelpReturnsItsText) {
  for (const std::string_view flag : {"--help", "-h"}) {
    const Result<ServeOptions> options = ParseServeOptions(Arguments{"--port", "x", flag});
    ASSERT_TRUE(options.ok()) << options.error().ToString();
    ASSERT_TRUE(options->help);
    EXPECT_EQ(*options->help, ServeHelp());
  }
}

// Values -----------------------------------------------------------------------------------------

TEST(Values, NumbersAreAcceptedUpToTheirLimits) {
  EXPECT_EQ(Accept({"--port", "0"}).port, 0);
  EXPECT_EQ(Accept({"--port", "65535"}).port, 65'535);
  EXPECT_EQ(Refusal({"--port", "65536"}), "--port: expected a number from 0 to 65535, got '65536'");
  EXPECT_EQ(Accept({"--threads", "64"}).threads, 64U);
  EXPECT_EQ(Refusal({"--threads", "65"}), "--threads: expected a number from 0 to 64, got '65'");
  EXPECT_EQ(Accept({"--max-clients", "1"}).max_clients, 1U);
  EXPECT_EQ(Refusal({"--max-clients", "0"}),
            "--max-clients: expected a number from 1 to 1000000, got '0'");
  for (const std::string_view text :
       {"", " 1", "1 ", "+1", "0x1", "1.0", "1e3", "port", "99999999999999999999999"}) {
    EXPECT_TRUE(Refusal({"--port", text}).starts_with("--port: expected a number")) << text;
  }
}

TEST(Values, SizesAreBytesOrHaveAUnit) {
  const auto size = [](std::string_view text) { return Accept({"--max-memory", text}).max_memory; };
  EXPECT_EQ(size("0"), 0U);
  EXPECT_EQ(size("1048576"), 1'048'576U);
  EXPECT_EQ(size("2048kb"), 2'097'152U);
  EXPECT_EQ(size("64mb"), 67'108'864U);
  EXPECT_EQ(size("64MB"), 67'108'864U);
  EXPECT_EQ(size("1gb"), 1'073'741'824U);
  EXPECT_EQ(size("1tb"), 1'099'511'627'776U);
  for (const std::string_view text : {"", "mb", "64xb", "64 mb", "-1mb", "1.5gb", "64m", "64mib",
                                      "1048575", "99999999999gb", "18446744073709551616"}) {
    EXPECT_TRUE(Refusal({"--max-memory", text})
                    .starts_with("--max-memory: expected 0 or a size from 1mb to 1024tb"))
        << text;
  }
  EXPECT_EQ(Refusal({"--max-reply", "0"}),
            "--max-reply: expected a size from 64kb to 4gb, in bytes or such as 512kb, 64mb, 1gb, "
            "got '0'");
}

TEST(Values, DurationsHaveAUnitAndFitTheirMember) {
  const auto idle = [](std::string_view text) {
    return Accept({"--idle-timeout", text}).idle_timeout_ms;
  };
  EXPECT_EQ(idle("0"), 0);
  EXPECT_EQ(idle("500ms"), 500);
  EXPECT_EQ(idle("90s"), 90'000);
  EXPECT_EQ(idle("15m"), 900'000);
  EXPECT_EQ(idle("12h"), 43'200'000);
  EXPECT_EQ(idle("1000d"), 86'400'000'000);
  for (const std::string_view text : {"", "90", "s", "1.5s", "-1s", "1001d", "500us", "1500us"}) {
    EXPECT_TRUE(Refusal({"--idle-timeout", text})
                    .starts_with("--idle-timeout: expected a duration of whole milliseconds"))
        << text;
  }
}

TEST(Values, TextsAreChecked) {
  EXPECT_EQ(Refusal({"--bind", "example.org"}),
            "--bind: expected an IPv4 or IPv6 address or localhost, got 'example.org'");
  EXPECT_EQ(Refusal({"--bind", ""}),
            "--bind: expected an IPv4 or IPv6 address or localhost, got ''");
  EXPECT_EQ(Refusal({"--log-level", "loud"}),
            "--log-level: expected one of debug, info, warning and error, got 'loud'");
  EXPECT_TRUE(Refusal({"--data", ""}).starts_with("--data: expected a path"));
  EXPECT_TRUE(Refusal({"--log-file", "a\nb"}).starts_with("--log-file: expected a path"));
  EXPECT_EQ(Accept({"--data", std::string(4095, 'd')}).data.size(), 4095U);
  EXPECT_TRUE(Refusal({"--data", std::string(4096, 'd')}).starts_with("--data: expected a path"));
}

TEST(Values, TheWordNoneTurnsHttpOff) {
  EXPECT_EQ(Accept({}).http_port, 7680);
  EXPECT_EQ(Accept({"--http-port", "none"}).http_port, std::nullopt);
  EXPECT_EQ(Accept({"--http-port", "65535"}).http_port, 65'535);
  EXPECT_EQ(AcceptFile("http-port = \"none\"\n").http_port, std::nullopt);
  EXPECT_EQ(AcceptFile("http-port = 0\n").http_port, 0);
  EXPECT_EQ(Refusal({"--http-port", "off"}),
            "--http-port: expected a number from 0 to 65535, or none, got 'off'");
  EXPECT_EQ(Refusal({"--port", "none"}), "--port: expected a number from 0 to 65535, got 'none'");
  EXPECT_EQ(Refusal({"--http-tls-port", "none"}),
            "--http-tls-port: expected a number from 0 to 65535, got 'none'");
}

TEST(Values, BoundsOfHttpAreAcceptedUpToTheirLimits) {
  EXPECT_EQ(Accept({"--max-body", "1kb"}).max_body, 1U << 10);
  EXPECT_EQ(Accept({"--max-body", "64mb"}).max_body, 64U << 20);
  EXPECT_TRUE(Refusal({"--max-body", "1023"}).starts_with("--max-body: expected a size from 1kb"));
  EXPECT_NE(Refusal({"--max-body", "67108865"}), "accepted");
  EXPECT_EQ(Accept({"--max-streams", "0"}).max_streams, 0U);
  EXPECT_EQ(Accept({"--max-streams", "1000000"}).max_streams, 1'000'000U);
  EXPECT_NE(Refusal({"--max-streams", "1000001"}), "accepted");
  EXPECT_EQ(Accept({"--drain", "0"}).drain_ms, 0);
  EXPECT_EQ(Accept({"--drain", "1m"}).drain_ms, 60'000);
}

TEST(Values, AnonymousClientsMayOnlyRead) {
  EXPECT_EQ(Accept({}).anonymous, "");
  EXPECT_EQ(Accept({"--anonymous", "read:rank:*"}).anonymous, "rank:*");
  EXPECT_EQ(AcceptFile("anonymous = \"read:*\"\n").anonymous, "*");
  const std::string longest = "read:" + std::string(kMaxBoardNameBytes, 'p');
  EXPECT_EQ(Accept({"--anonymous", longest}).anonymous.size(), kMaxBoardNameBytes);
  for (const std::string& text : {std::string("submit:*"), std::string("*"), std::string("read:"),
                                  std::string("read"), std::string("read:a\nb"), longest + "p"}) {
    EXPECT_TRUE(Refusal({"--anonymous", text}).starts_with("--anonymous: expected read: and a"))
        << text;
  }
}

TEST(Values, EmptyTextTurnsOffTheAnonymousReadsOfTheFile) {
  const File file("anonymous = \"read:*\"\n");
  EXPECT_EQ(Accept({"--config", file.path(), "--anonymous", ""}).anonymous, "");
}

// Lists ------------------------------------------------------------------------------------------

std::vector<AddressRange> Ranges(const std::vector<std::string_view>& texts) {
  std::vector<AddressRange> ranges;
  for (const std::string_view text : texts) ranges.push_back(AddressRange::Parse(text).value());
  return ranges;
}

TEST(Texts, AFlagMayBeRepeatedAndTheFileHasAnArray) {
  Config expected;
  expected.http_hosts = {"a.example", "b.example"};
  expected.cors_origins = {"https://a.example", "*"};
  expected.trusted_proxies = Ranges({"10.0.0.0/8", "fd00::1"});
  EXPECT_EQ(Accept({"--http-hosts", "A.example", "--http-hosts", "b.example", "--cors-origins",
                    "https://a.example:443", "--cors-origins", "*", "--trusted-proxies",
                    "10.0.0.0/8", "--trusted-proxies", "fd00::1"}),
            expected);
  EXPECT_EQ(AcceptFile("http-hosts = [\"A.example\", \"b.example\"]\n"
                       "cors-origins = [\"https://a.example:443\", \"*\"]\n"
                       "trusted-proxies = [\"10.0.0.0/8\", \"fd00::1\"]\n"),
            expected);
  EXPECT_EQ(AcceptFile("http-hosts = []\n"), Config());
}

TEST(Texts, FlagsReplaceTheListOfTheFile) {
  const File file("http-hosts = [\"a\", \"b\"]\ncors-origins = [\"*\"]\n");
  const Config config = Accept({"--http-hosts", "c", "--config", file.path()});
  EXPECT_EQ(config.http_hosts, std::vector<std::string>{"c"});
  EXPECT_EQ(config.cors_origins, std::vector<std::string>{"*"});
}

TEST(Texts, BadItemsAreRefused) {
  EXPECT_EQ(Refusal({"--http-hosts", "a:80"}),
            "--http-hosts: expected a host name without a port, got 'a:80'");
  EXPECT_EQ(Refusal({"--cors-origins", "game.example"}),
            "--cors-origins: expected an origin such as https://game.example or "
            "http://127.0.0.1:3000, or '*', got 'game.example'");
  EXPECT_EQ(Refusal({"--trusted-proxies", "10.0.0.1/8"}),
            "--trusted-proxies: expected an address or a network such as 10.0.0.0/8 or fd00::/8, "
            "with no bits set behind the prefix, got '10.0.0.1/8'");
  EXPECT_EQ(FileRefusal("http-hosts = \"a\"\n"),
            "1:14: http-hosts: expected an array of strings, got a string");
  EXPECT_EQ(FileRefusal("http-hosts = [\"a\", 1]\n"),
            "1:20: http-hosts: expected a host name without a port, got an integer '1'");
  EXPECT_EQ(FileRefusal("http-hosts = [\"a\", \"\"]\n"),
            "1:20: http-hosts: expected a host name without a port, got ''");
}

TEST(Texts, TheNumberOfItemsIsBounded) {
  std::string items;
  for (std::size_t i = 0; i < kMaxTexts; ++i) items += "\"h" + std::to_string(i) + "\",";
  EXPECT_EQ(AcceptFile("http-hosts = [" + items + "]\n").http_hosts.size(), kMaxTexts);
  EXPECT_TRUE(FileRefusal("http-hosts = [" + items + "\"x\"]\n")
                  .ends_with("http-hosts: expected at most 1000 of them"));
}

TEST(Templates, AFlagIsAPatternWithAnOptionalSpec) {
  const Config config =
      Accept({"--template", "rank:*=FIELDS 1 score:int", "--template=*", "--template", "[a,b]",
              "--template", "x=", "--template", "y=FIELDS 1 a=b"});
  const std::vector<TemplateOption> expected = {
      {"rank:*", "FIELDS 1 score:int"}, {"*", ""}, {"[a,b]", ""}, {"x", ""}, {"y", "FIELDS 1 a=b"}};
  EXPECT_EQ(config.templates, expected);
}

TEST(Templates, BadPatternsAreRefused) {
  EXPECT_TRUE(Refusal({"--template", ""}).starts_with("--template: expected a pattern"));
  EXPECT_TRUE(Refusal({"--template", "=x"}).starts_with("--template: expected a pattern"));
  EXPECT_EQ(Refusal({"--template", "a*", "--template", "a*=CAP 3"}),
            "--template: two templates have the pattern 'a*'");
  EXPECT_EQ(Accept({"--template", std::string(kMaxBoardNameBytes, 'p')}).templates.size(), 1U);
  EXPECT_NE(Refusal({"--template", std::string(kMaxBoardNameBytes + 1, 'p')}), "accepted");
  EXPECT_EQ(Refusal({"--template", "arena@*"}),
            "--template: pattern 'arena@*': a template's pattern has no '@': the name of a "
            "leaderboard has none");
}

TEST(Templates, OptionsWithoutAnEqualsSignAreRefused) {
  EXPECT_EQ(Refusal({"--template", "rank:* POLICY best"}),
            "--template: 'rank:* POLICY best' has no '=' in front of its options; did you mean "
            "'rank:*=POLICY best'?");
  EXPECT_EQ(FileRefusal("[[template]]\npattern = \"rank:* cap 5\"\n"),
            "1:1: template: pattern 'rank:* cap 5' has options in it; did you mean pattern = "
            "\"rank:*\" and spec = \"cap 5\"?");
  EXPECT_EQ(Accept({"--template", "the ends", "--template", "a POLICY b=CAP 5"}).templates.size(),
            2U);
}

TEST(Tokens, AFlagHasNameRoleHashAndOptionalBoardsWithColons) {
  const Config config = Accept(
      {"--token", "game:submit:" + kHash + ":rank:*:x", "--token", "root:admin:" + kOtherHash});
  ASSERT_EQ(config.tokens.size(), 2U);
  EXPECT_EQ(config.tokens[0].name, "game");
  EXPECT_EQ(config.tokens[0].role, wire::Role::kSubmit);
  EXPECT_EQ(FormatTokenHash(config.tokens[0].hash), kHash);
  EXPECT_EQ(config.tokens[0].boards, "rank:*:x");
  EXPECT_EQ(config.tokens[1].boards, "*");
}

TEST(Tokens, BadTokensAreRefused) {
  for (const std::string& flag :
       {std::string(), std::string("a"), std::string("a:read"), std::string("a:read:sha256")}) {
    EXPECT_TRUE(Refusal({"--token", flag}).starts_with("--token: expected NAME:ROLE:sha256:HASH"))
        << flag;
  }
  EXPECT_TRUE(Refusal({"--token", "a:read:md5:00"}).starts_with("--token: expected a hash"));
  EXPECT_TRUE(Refusal({"--token", "a:boss:" + kHash}).starts_with("--token: expected a role"));
  EXPECT_TRUE(Refusal({"--token", ":read:" + kHash}).starts_with("--token: expected a token name"));
  EXPECT_TRUE(
      Refusal({"--token", "a:read:" + kHash + ":"}).starts_with("--token: expected a pattern"));
  EXPECT_EQ(Refusal({"--token", "a:read:" + kHash, "--token", "a:read:" + kOtherHash}),
            "--token: two tokens are called 'a'");
  EXPECT_EQ(Refusal({"--token", "a:read:" + kHash, "--token", "b:read:" + kHash}),
            "--token: tokens 'a' and 'b' have the same hash");
}

TEST(Tokens, TheNumberOfTokensIsBounded) {
  std::string text;
  const auto add = [&text](std::size_t i) {
    const std::string hex = std::to_string(10'000 + i);
    text += "[[token]]\nname = \"t" + std::to_string(i) +
            "\"\nrole = \"read\"\nhash = \"sha256:" + std::string(64 - hex.size(), '0') + hex +
            "\"\n";
  };
  for (std::size_t i = 0; i < kMaxTokens; ++i) add(i);
  EXPECT_EQ(AcceptFile(text).tokens.size(), kMaxTokens);
  add(kMaxTokens);
  EXPECT_NE(FileRefusal(text).find("token: expected at most 1000 tokens"), std::string::npos);
}

// The file ---------------------------------------------------------------------------------------

TEST(ConfigFile, SetsEveryKindOfValue) {
  const Config config = AcceptFile(
      "port = 0\n"
      "bind = \"127.0.0.2\"\n"
      "max-memory = \"2gb\"\n"
      "max-request = 1048576\n"
      "idle-timeout = \"5m\"\n"
      "stall-timeout = 0\n"
      "insecure = true\n"
      "[[template]]\n"
      "pattern = \"rank:*\"\n"
      "spec = \"CAP 10\"\n"
      "[[template]]\n"
      "pattern = \"*\"\n"
      "[[token]]\n"
      "name = \"game\"\n"
      "role = \"submit\"\n"
      "hash = \"" +
      kHash +
      "\"\n"
      "boards = \"rank:*\"\n");
  Config expected;
  expected.port = 0;
  expected.bind = "127.0.0.2";
  expected.max_memory = 2ULL << 30;
  expected.max_request = 1 << 20;
  expected.idle_timeout_ms = 300'000;
  expected.stall_timeout_ms = 0;
  expected.insecure = true;
  expected.templates = {{"rank:*", "CAP 10"}, {"*", ""}};
  const Result<TokenHash> hash = ParseTokenHash(kHash);
  ASSERT_TRUE(hash.ok());
  expected.tokens = {{"game", *hash, wire::Role::kSubmit, "rank:*"}};
  EXPECT_EQ(config, expected);
}

TEST(ConfigFile, FlagsOverrideItAndListFlagsReplaceItsLists) {
  const File file(
      "port = 1\nthreads = 2\ninsecure = true\ntemplate = [{pattern = \"a\"}, {pattern = "
      "\"b\"}]\n");
  const Config config =
      Accept({"--template", "c", "--port", "3", "--insecure=false", "--config", file.path()});
  EXPECT_EQ(config.port, 3);
  EXPECT_EQ(config.threads, 2U);
  EXPECT_FALSE(config.insecure);
  EXPECT_EQ(config.templates, (std::vector<TemplateOption>{{"c", ""}}));
}

TEST(ConfigFile, ABadValueNamesLineColumnKeyValueAndWhatIsExpected) {
  EXPECT_EQ(FileRefusal("threads = 1\nport = 70000\n"),
            "2:8: port: expected a number from 0 to 65535, got '70000'");
  EXPECT_EQ(FileRefusal("port = -1\n"), "1:8: port: expected a number from 0 to 65535, got '-1'");
  EXPECT_EQ(FileRefusal("port = \"7600\"\n"),
            "1:8: port: expected a number from 0 to 65535, got a string '7600'");
  EXPECT_EQ(FileRefusal("port = 1.5\n"),
            "1:8: port: expected a number from 0 to 65535, got a number with a point");
  EXPECT_EQ(FileRefusal("insecure = \"yes\"\n"),
            "1:12: insecure: expected true or false, got a string 'yes'");
  EXPECT_EQ(FileRefusal("bind = true\n"),
            "1:8: bind: expected an IPv4 or IPv6 address or localhost, got a boolean 'true'");
  EXPECT_EQ(FileRefusal("\n\n  log-level = \"loud\"\n"),
            "3:15: log-level: expected one of debug, info, warning and error, got 'loud'");
  EXPECT_TRUE(FileRefusal("[port]\nx = 1\n").starts_with("1:1: port: expected a number"));
  EXPECT_TRUE(FileRefusal("idle-timeout = 90\n").ends_with("12h, 30d, got '90'"));
  EXPECT_TRUE(FileRefusal("data = 2026-11-15\n").ends_with("got a date or time"));
  EXPECT_TRUE(FileRefusal("data = \"a\\u0000b\"\n").ends_with("got 'a\\x00b'"));
}

TEST(ConfigFile, AnUnknownKeyNamesThePlaceAndTheNearestName) {
  EXPECT_EQ(FileRefusal("port = 1\n max-memroy = 1\n"),
            "2:2: unknown key 'max-memroy'; did you mean 'max-memory'?");
  EXPECT_EQ(FileRefusal("templates = []\n"),
            "1:1: unknown key 'templates'; did you mean 'template'?");
  EXPECT_EQ(FileRefusal("requirepass = \"x\"\n"), "1:1: unknown key 'requirepass'");
  EXPECT_EQ(FileRefusal("config = \"x\"\n"), "1:1: unknown key 'config'");
  EXPECT_EQ(FileRefusal("help = true\n"), "1:1: unknown key 'help'");
  EXPECT_EQ(FileRefusal("[[template]]\npatern = \"x\"\n"),
            "2:1: template: unknown key 'patern'; did you mean 'pattern'?");
}

TEST(ConfigFile, BadListsNameThePlace) {
  EXPECT_EQ(FileRefusal("template = \"a\"\n"),
            "1:12: template: expected [[template]] tables with pattern and spec, got a string");
  EXPECT_EQ(FileRefusal("template = [\"a\"]\n"),
            "1:13: template: expected [[template]] tables with pattern and spec, got a string");
  EXPECT_EQ(FileRefusal("[token]\nname = \"x\"\n"),
            "1:1: token: expected [[token]] tables with name, role, hash and boards, got a table");
  EXPECT_EQ(FileRefusal("port = 1\n[[template]]\nspec = \"\"\n"),
            "2:1: template: 'pattern' is missing; expected tables with pattern and spec");
  EXPECT_EQ(FileRefusal("[[template]]\npattern = 1\n"),
            "2:11: template: pattern: expected a string, got an integer");
  EXPECT_EQ(FileRefusal("[[token]]\nname = \"a\"\nrole = \"boss\"\nhash = \"" + kHash + "\"\n"),
            "1:1: token: expected a role, one of read, submit, write and admin, got 'boss'");
}

TEST(ConfigFile, BadTomlNamesThePlace) {
  EXPECT_TRUE(FileRefusal("port = 1\nport = 2\n").starts_with("2:"));
  EXPECT_TRUE(FileRefusal("threads = 1\nport = \n").starts_with("2:"));
  EXPECT_TRUE(FileRefusal("port 1\n").starts_with("1:"));
  EXPECT_TRUE(FileRefusal("data = \"a\nb\"\n").starts_with("1:"));
  EXPECT_TRUE(FileRefusal("data = \"\xff\"\n").starts_with("1:"));
  EXPECT_TRUE(FileRefusal("[[template]\n").starts_with("1:"));
  EXPECT_TRUE(FileRefusal("port = 1\n[#\n").starts_with("2:"));
  EXPECT_TRUE(FileRefusal("template = " + std::string(100'000, '[')).starts_with("1:"));
}

TEST(ConfigFile, AFileThatCannotBeReadIsAnError) {
  const std::string missing = testing::TempDir() + "laurel_no_such_file.toml";
  EXPECT_EQ(Refusal({"--config", missing}),
            "--config: cannot read '" + missing + "': No such file or directory");
  EXPECT_TRUE(Refusal({"--config", testing::TempDir()}).ends_with(": Is a directory"));
  EXPECT_TRUE(Refusal({"--config", ""}).starts_with("--config: cannot read ''"));
}

TEST(ConfigFile, IsAcceptedUpToItsMaximumSize) {
  const std::string line = "port = 1\n#";
  EXPECT_EQ(AcceptFile(line + std::string(kMaxConfigFileBytes - line.size(), 'x')).port, 1);
  const File large(line + std::string(kMaxConfigFileBytes - line.size() + 1, 'x'));
  EXPECT_TRUE(Refusal({"--config", large.path()}).ends_with(" is larger than 1mb"));
}

// Checks across options --------------------------------------------------------------------------

TEST(Access, OnlyLoopbackNeedsNoTokens) {
  for (const std::string_view address : {"127.0.0.1", "127.255.255.254", "::1", "localhost"}) {
    EXPECT_EQ(Accept({"--bind", address}).bind, address);
  }
  for (const std::string_view address :
       {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "::ffff:127.0.0.1", "fe80::1"}) {
    const std::string message = Refusal({"--bind", address});
    EXPECT_TRUE(message.starts_with("bind: '" + std::string(address) + "' is reached")) << message;
    EXPECT_NE(message.find("laurel token"), std::string::npos);
    EXPECT_NE(message.find("--insecure"), std::string::npos);
    EXPECT_EQ(Accept({"--bind", address, "--insecure"}).bind, address);
    EXPECT_EQ(Accept({"--bind", address, "--token", "a:read:" + kHash}).bind, address);
  }
}

TEST(Tls, PortCertificateAndKeyMustBeGivenTogether) {
  const Config config = Accept(
      {"--tls-port", "0", "--tls-cert", "c.pem", "--tls-key", "k.pem", "--tls-ca", "ca.pem"});
  EXPECT_EQ(config.tls_port, 0);
  EXPECT_EQ(config.tls_cert, "c.pem");
  EXPECT_EQ(config.tls_key, "k.pem");
  EXPECT_EQ(config.tls_ca, "ca.pem");
  EXPECT_EQ(Accept({}).tls_port, std::nullopt);
  EXPECT_EQ(Refusal({"--tls-port", "1", "--tls-cert", "c"}),
            "tls-cert is given without tls-key; expected both");
  EXPECT_EQ(Refusal({"--tls-port", "1", "--tls-key", "k"}),
            "tls-key is given without tls-cert; expected both");
  EXPECT_EQ(Refusal({"--tls-port", "1"}),
            "tls-port is given without tls-cert and tls-key; expected all three");
  EXPECT_EQ(Refusal({"--tls-cert", "c", "--tls-key", "k"}),
            "tls-cert and tls-key are given without tls-port or http-tls-port; expected a port");
  EXPECT_EQ(Refusal({"--tls-ca", "c"}),
            "tls-ca is given without tls-cert and tls-key; expected them and a port too");
}

TEST(Tls, ACertificateMayServeHttpAlone) {
  const Config config = Accept({"--http-tls-port", "0", "--tls-cert", "c", "--tls-key", "k"});
  EXPECT_EQ(config.http_tls_port, 0);
  EXPECT_EQ(config.tls_port, std::nullopt);
  EXPECT_EQ(Refusal({"--http-tls-port", "1"}),
            "http-tls-port is given without tls-cert and tls-key; expected all three");
}

TEST(Ports, GivenPortsMustDiffer) {
  EXPECT_EQ(Refusal({"--tls-port", "7600", "--tls-cert", "c", "--tls-key", "k"}),
            "tls-port and port are both 7600; expected two different ports");
  EXPECT_EQ(Refusal({"--port", "7680"}),
            "http-port and port are both 7680; expected two different ports");
  EXPECT_EQ(
      Refusal({"--http-port", "7", "--http-tls-port", "7", "--tls-cert", "c", "--tls-key", "k"}),
      "http-tls-port and http-port are both 7; expected two different ports");
  const Config config = Accept({"--port", "0", "--http-port", "0", "--tls-port", "0",
                                "--http-tls-port", "0", "--tls-cert", "c", "--tls-key", "k"});
  EXPECT_EQ(config.http_port, 0);
  EXPECT_EQ(Accept({"--port", "7680", "--http-port", "none"}).port, 7680);
}

TEST(Limits, RelationsBetweenLimitsAreEnforced) {
  EXPECT_EQ(Refusal({"--max-output", "1mb"}),
            "max-reply is 268435456 bytes; expected at most max-output, which is 1048576 bytes");
  EXPECT_EQ(Accept({"--max-output", "1mb", "--max-reply", "1mb"}).max_output, 1U << 20);
  EXPECT_TRUE(Refusal({"--max-output", "2gb"}).starts_with("max-output is 2147483648 bytes"));
  EXPECT_TRUE(Refusal({"--max-request", "2gb"}).starts_with("max-request is 2147483648 bytes"));
  EXPECT_EQ(Refusal({"--max-buffers", "1mb", "--max-output", "1mb", "--max-reply", "1mb",
                     "--max-request", "1mb", "--max-body", "2mb"}),
            "max-body is 2097152 bytes; expected at most max-buffers, which is 1048576 bytes");
}

TEST(DifferentOptions, NamesEveryOptionWithAnotherValue) {
  EXPECT_TRUE(DifferentOptions(Config(), Config()).empty());
  Config config;
  const Status read = ReadConfigText(
      "port = 1\nbind = \"::1\"\nfsync = \"off\"\nhttp-port = \"none\"\nmax-body = \"2kb\"\n"
      "drain = \"1s\"\ninsecure = true\nhttp-hosts = [\"a\"]\nanonymous = \"read:a\"\n"
      "[[template]]\npattern = \"a\"\n[[token]]\nname = \"a\"\nrole = \"read\"\nhash = \"" +
          kHash + "\"\n",
      "f", &config);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  EXPECT_EQ(
      DifferentOptions(Config(), config),
      (std::vector<std::string_view>{"bind", "port", "drain", "http-port", "max-body", "anonymous",
                                     "http-hosts", "token", "insecure", "fsync", "template"}));
  EXPECT_TRUE(DifferentOptions(config, config).empty());
}

TEST(ServeOptions, NameTheFile) {
  const File file("port = 1\n");
  const Result<ServeOptions> options = ParseServeOptions(Arguments{"--config", file.path()});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->config_path, file.path());
  EXPECT_EQ(ParseServeOptions(Arguments{})->config_path, std::nullopt);
}

// The table and the texts generated from it ------------------------------------------------------

TEST(OptionTable, NamesAreUniqueAndHelpIsSentences) {
  std::set<std::string_view> names = {kConfigFlag.name, kHelpFlag.name};
  for (const Option& option : OptionTable()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_TRUE(option.help.ends_with('.')) << option.name;
    EXPECT_EQ(option.value_name.empty(), option.IsSwitch()) << option.name;
    const bool shown = DefaultText(option) || option.AsList() != nullptr || !option.example.empty();
    EXPECT_TRUE(shown) << option.name << " has neither default nor example";
  }
}

TEST(OptionTable, EveryOptionIsAFlagAndAKey) {
  for (const Option& option : OptionTable()) {
    if (option.AsList() != nullptr) continue;  // the tests of Templates and Tokens cover lists
    const std::string flag = "--" + std::string(option.name);
    const std::string value = DefaultText(option).value_or(std::string(option.example));
    Config config;
    const Status read = ReadConfigText(std::string(option.name) + " = " + value, "f", &config);
    EXPECT_TRUE(read.ok()) << read.error().ToString();
    const Result<ServeOptions> given = ParseServeOptions(Arguments{flag + "=\x01"});
    ASSERT_FALSE(given.ok()) << flag;
    EXPECT_TRUE(given.error().message.starts_with(flag + ": expected ")) << given.error().message;
  }
}

TEST(ServeHelp, ExplainsEveryOption) {
  const std::string help = ServeHelp();
  for (const Option& option : OptionTable()) {
    EXPECT_NE(help.find("\n  --" + std::string(option.name)), std::string::npos) << option.name;
  }
  EXPECT_NE(help.find("\n  --config FILE\n"), std::string::npos);
  EXPECT_NE(help.find("(default: 7600)"), std::string::npos);
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

// The default file with the '#' before keys and tables removed.
std::string Uncommented(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool setting = line.size() > 1 && line[0] == '#' && line[1] != ' ';
    result += line.substr(setting ? 1 : 0) + "\n";
  }
  return result;
}

TEST(DefaultConfigFile, ParsesToTheDefaults) {
  EXPECT_EQ(AcceptFile(DefaultConfigFile()), Config());
}

TEST(DefaultConfigFile, UncommentedHoldsTheDefaultsAndTheExamples) {
  Config config;
  const Status read = ReadConfigText(Uncommented(DefaultConfigFile()), "default", &config);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  EXPECT_EQ(config.tls_port, 7601);
  EXPECT_EQ(config.tls_cert, "server.crt");
  EXPECT_EQ(config.log_file, "laurel.log");
  EXPECT_EQ(config.http_tls_port, 7681);
  EXPECT_EQ(config.http_hosts, std::vector<std::string>{"scores.game.example"});
  EXPECT_EQ(config.cors_origins, std::vector<std::string>{"https://game.example"});
  EXPECT_EQ(config.trusted_proxies, Ranges({"10.0.0.0/8", "fd00::1"}));
  EXPECT_EQ(config.anonymous, "public:*");
  EXPECT_EQ(config.tokens.size(), 1U);
  EXPECT_EQ(config.templates.size(), 1U);
  const Config defaults;
  config.tls_port = defaults.tls_port;
  config.http_tls_port = defaults.http_tls_port;
  config.tls_cert = config.tls_key = config.tls_ca = config.log_file = "";
  config.access_log = config.audit_log = config.anonymous = "";
  config.http_hosts.clear();
  config.cors_origins.clear();
  config.trusted_proxies.clear();
  config.tokens.clear();
  config.templates.clear();
  EXPECT_EQ(config, defaults);
}

}  // namespace
}  // namespace laurel::server
