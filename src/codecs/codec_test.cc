// Making codecs: names, parameters, their texts and errors, descriptions.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/time_text.h"
#include "laurel/codecs.h"

namespace laurel {
namespace {

using Texts = std::vector<std::pair<std::string_view, std::string_view>>;

// Makes a codec from options as on a command line.
Result<Codec> Make(std::string_view name, const Texts& options) {
  CodecParameters parameters;
  for (const auto& [option, text] : options) {
    const Status status = SetCodecParameter(option, text, &parameters);
    if (!status) return status.error();
  }
  return Codec::Make(name, parameters);
}

std::string ErrorOf(std::string_view name, const Texts& options) {
  const Result<Codec> codec = Make(name, options);
  return codec ? "none" : codec.error().ToString();
}

TEST(CodecTables, EveryOptionBelongsToACodecAndEveryUsageNamesIt) {
  std::set<std::string_view> taken;
  for (const CodecInfo& info : Codecs()) {
    EXPECT_FALSE(info.score.empty()) << info.name;
    EXPECT_EQ(info.usage.empty(), info.options.empty()) << info.name;
    for (const std::string_view option : info.options) {
      taken.insert(option);
      EXPECT_NE(info.usage.find("--" + std::string(option)), std::string_view::npos) << info.name;
    }
  }
  std::set<std::string_view> listed;
  for (const CodecOption& option : CodecOptions()) {
    EXPECT_TRUE(listed.insert(option.name).second) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
    for (const CodecInfo& info : Codecs()) {
      const bool is_taken = std::count(info.options.begin(), info.options.end(), option.name) > 0;
      EXPECT_EQ(option.help.find(info.name) != std::string_view::npos, is_taken)
          << option.name << ", " << info.name;
    }
  }
  EXPECT_EQ(taken, listed);
}

TEST(CodecTables, CodecsWithoutNeededParametersAreMadeFromTheirDefaults) {
  std::vector<std::string_view> made;
  for (const CodecInfo& info : Codecs()) {
    const Result<Codec> codec = Codec::Make(info.name, {});
    if (!codec) continue;
    made.push_back(codec->name());
    EXPECT_EQ(&codec->info(), &info);
    EXPECT_EQ(codec->Encode(1, 1'700'000'000'000'000, "a").ok(), info.encodes) << info.name;
  }
  EXPECT_EQ(made, (std::vector<std::string_view>{"plain", "scaled-time", "decimal-time",
                                                 "member-time", "divisor"}));
}

TEST(CodecParameters, TextsAreThoseOfTheCommandLine) {
  CodecParameters parameters;
  for (const auto& [option, text] : Texts{{"start", "1762500000"},
                                          {"end", "2026-11-15T13:00:00.250Z"},
                                          {"width", "6"},
                                          {"unit", "ms"},
                                          {"digits", "13"},
                                          {"epoch", "1500000000123ms"},
                                          {"base", "1"},
                                          {"window", "365d"},
                                          {"time-bits", "41"}}) {
    EXPECT_TRUE(SetCodecParameter(option, text, &parameters)) << option;
  }
  CodecParameters expected;
  expected.start = 1'762'500'000'000'000;
  expected.end = base::ParseTime("2026-11-15T13:00:00.25Z").value();
  expected.width = 6;
  expected.unit = CodecUnit::kMillisecond;
  expected.digits = 13;
  expected.epoch = 1'500'000'000'123'000;
  expected.base = 1'000'000;
  expected.window_us = 365LL * 86'400 * 1'000'000;
  expected.time_bits = 41;
  EXPECT_EQ(parameters, expected);
}

TEST(CodecParameters, WrongTextsNameTheOptionAndChangeNothing) {
  CodecParameters parameters;
  const auto error = [&parameters](std::string_view option, std::string_view text) {
    const Status status = SetCodecParameter(option, text, &parameters);
    return status ? std::string("none") : status.error().ToString();
  };
  EXPECT_EQ(error("widht", "6"), "ERR no codec takes 'widht': did you mean 'width'?");
  EXPECT_EQ(error("colour", "6"), "ERR no codec takes 'colour'");
  for (const char* text : {"", "6x", "x", "6.0", "99999999999", " 6"}) {
    EXPECT_EQ(error("digits", text),
              "ERR --digits: '" + std::string(text) + "' is not a whole number");
  }
  EXPECT_EQ(error("unit", "d"), "ERR --unit: 'd' is not a unit: ms, s, m or h");
  EXPECT_TRUE(error("end", "tomorrow").starts_with("BADTIME --end: "));
  EXPECT_TRUE(error("window", "10").starts_with("ERR --window: "));
  EXPECT_EQ(parameters, CodecParameters{});
}

TEST(CodecMake, UnknownNamesAreErrorsWithASuggestion) {
  EXPECT_EQ(ErrorOf("scaled_time", {}), "ERR no codec 'scaled_time': did you mean 'scaled-time'?");
  EXPECT_EQ(ErrorOf("", {}), "ERR no codec ''");
  EXPECT_EQ(ErrorOf("zset", {}), "ERR no codec 'zset'");
}

TEST(CodecMake, MissingParametersAreNamed) {
  const std::string usage = "--start TIME --end TIME | [--end TIME] --width N  [--unit s|ms]";
  EXPECT_EQ(ErrorOf("decimal-countdown", {}), "ERR decimal-countdown needs " + usage);
  EXPECT_EQ(ErrorOf("decimal-countdown", {{"end", "5"}}), "ERR decimal-countdown needs " + usage);
  EXPECT_EQ(ErrorOf("decimal-countdown", {{"start", "5"}}),
            "ERR --start of decimal-countdown needs --end");
  EXPECT_EQ(ErrorOf("bit-fields", {}), "ERR bit-fields needs --end");
}

TEST(CodecMake, ParametersOfOtherCodecsAreErrors) {
  EXPECT_EQ(ErrorOf("plain", {{"width", "6"}}),
            "ERR plain does not take --width, it takes no parameters");
  EXPECT_EQ(ErrorOf("bit-fields", {{"end", "5"}, {"unit", "s"}}),
            "ERR bit-fields does not take --unit, it takes --end TIME [--time-bits N]");
  // Every codec with every option.
  for (const CodecInfo& info : Codecs()) {
    for (const CodecOption& option : CodecOptions()) {
      const std::string_view text = option.value == "TIME"       ? "5"
                                    : option.value == "DURATION" ? "5s"
                                    : option.value == "N"        ? "5"
                                                                 : "s";
      const bool is_taken = std::count(info.options.begin(), info.options.end(), option.name) > 0;
      const bool is_refused =
          ErrorOf(info.name, {{option.name, text}}).find("does not take") != std::string::npos;
      EXPECT_EQ(is_refused, !is_taken) << info.name << " --" << option.name;
    }
  }
}

TEST(CodecMake, ParametersAreCheckedAtTheirEdges) {
  const auto expect = [](std::string_view name, const Texts& good, const Texts& bad,
                         const std::string& error) {
    EXPECT_EQ(ErrorOf(name, good), "none");
    EXPECT_EQ(ErrorOf(name, bad), "ERR " + error);
  };
  const std::string_view year_9999 = "9999-12-31T23:59:59Z";
  expect("scaled-time", {{"digits", "1"}}, {{"digits", "0"}},
         "--digits of scaled-time is 1 to 15, not 0");
  expect("scaled-time", {{"digits", "15"}, {"epoch", year_9999}}, {{"digits", "16"}},
         "--digits of scaled-time is 1 to 15, not 16");
  expect("scaled-time", {{"epoch", "1ms"}, {"unit", "ms"}}, {{"epoch", "1ms"}},
         "--epoch of scaled-time is a whole number of s");
  expect("scaled-time", {{"epoch", "1"}, {"unit", "h"}}, {{"epoch", "1us"}, {"unit", "ms"}},
         "--epoch of scaled-time is a whole number of ms");
  expect("bit-fields", {{"end", "5"}, {"time-bits", "1"}}, {{"end", "5"}, {"time-bits", "0"}},
         "--time-bits of bit-fields is 1 to 52, not 0");
  expect("bit-fields", {{"end", year_9999}, {"time-bits", "52"}},
         {{"end", "5"}, {"time-bits", "53"}}, "--time-bits of bit-fields is 1 to 52, not 53");
  expect("bit-fields", {{"end", "5ms"}}, {{"end", "5us"}},
         "--end of bit-fields is a whole number of ms");
  expect("decimal-countdown", {{"width", "15"}}, {{"width", "16"}},
         "--width of decimal-countdown is 1 to 15, not 16");
  expect("decimal-countdown", {{"start", "4"}, {"end", "5"}}, {{"start", "5"}, {"end", "5"}},
         "--start of decimal-countdown is before --end");
  expect("decimal-countdown", {{"start", "0"}, {"end", "100000"}, {"width", "6"}},
         {{"start", "0"}, {"end", "100000"}, {"width", "5"}},
         "--width of decimal-countdown is 6 to 15, not 5");
  expect("decimal-countdown", {{"width", "6"}, {"unit", "ms"}}, {{"width", "6"}, {"unit", "m"}},
         "--unit of decimal-countdown is s or ms");
  expect("member-time", {{"window", "1s"}}, {{"window", "0"}},
         "--window of member-time is at least 1s, in whole seconds");
  expect("member-time", {{"window", "2s"}}, {{"window", "1500ms"}},
         "--window of member-time is at least 1s, in whole seconds");
  expect("member-time", {{"base", year_9999}, {"window", "1s"}},
         {{"base", year_9999}, {"window", "2s"}}, "--window of member-time ends by 9999");
}

TEST(CodecMake, TimesThatAreNotThoseOfTheCommandLineAreErrors) {
  CodecParameters parameters;
  for (const Stamp time :
       {Stamp{-1'000'000}, base::kMaxTime + 1, Stamp{INT64_MIN}, Stamp{INT64_MAX}}) {
    parameters.end = time;
    EXPECT_EQ(Codec::Make("bit-fields", parameters).error().message,
              "--end of bit-fields is from 1970 to 9999");
  }
}

TEST(CodecMake, LengthOfTheEventSetsTheWidth) {
  const auto greatest = [](std::string_view end, std::string_view unit) {
    return Make("decimal-countdown", {{"start", "0"}, {"end", end}, {"unit", unit}})
        .value()
        .range()
        .greatest_value;
  };
  const auto width = [](int digits) {
    CodecParameters parameters;
    parameters.width = digits;
    return Codec::Make("decimal-countdown", parameters).value().range().greatest_value;
  };
  EXPECT_EQ(greatest("9", "s"), width(1));
  EXPECT_EQ(greatest("10", "s"), width(2));
  EXPECT_EQ(greatest("99999", "s"), width(5));
  EXPECT_EQ(greatest("100000", "s"), width(6));
  EXPECT_EQ(greatest("864000", "s"), width(6));
  EXPECT_EQ(greatest("864000", "ms"), width(9));
}

TEST(CodecDescribe, IsOneLineWithRangeAndResolution) {
  EXPECT_EQ(Make("plain", {}).value().Describe(),
            "plain: exact for values -9007199254740991 to 9007199254740991, no times");
  EXPECT_EQ(Make("scaled-time", {}).value().Describe(),
            "scaled-time: exact for values -900720 to 900719, times 1970-01-01T00:00:00Z to "
            "2286-11-20T17:46:39Z in steps of 1s");
  EXPECT_EQ(Make("decimal-countdown",
                 {{"start", "2022-11-26T00:00:00Z"}, {"end", "2022-12-06T00:00:00Z"}})
                .value()
                .Describe(),
            "decimal-countdown: exact for values 0 to 8589934591 (added up by a script: to "
            "4294967295), times 2022-11-24T10:13:21Z to 2022-12-06T00:00:00Z in steps of 1s");
  EXPECT_EQ(Make("bit-fields", {{"end", "2023-03-05T23:59:59.5Z"}}).value().Describe(),
            "bit-fields: exact for values -524288 to 524287, times 2022-08-19T03:48:50.317000Z to "
            "2023-03-05T23:59:59.500000Z in steps of 1ms");
}

}  // namespace
}  // namespace laurel
