#include "bench/server/load.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace laurel::bench {
namespace {

constexpr int kClients = 50;
// redis-benchmark retries for ever to reach a closed port.
constexpr auto kLongestRun = std::chrono::minutes(5);

// Columns of redis-benchmark --csv: test, rps, then latencies in ms: avg, min, p50, p95, p99, max.
constexpr std::size_t kRateColumn = 1;
constexpr std::size_t kP50Column = 4;
constexpr std::size_t kP99Column = 6;
constexpr std::size_t kColumns = 8;

std::vector<std::string> CommandLine(const Target& target, const Load& load,
                                     std::uint64_t requests) {
  std::vector<std::string> line = {"redis-benchmark",
                                   "-h",
                                   "127.0.0.1",
                                   "-p",
                                   std::to_string(target.port),
                                   "-c",
                                   std::to_string(kClients),
                                   "-P",
                                   std::to_string(load.pipeline),
                                   "-n",
                                   std::to_string(requests),
                                   "-r",
                                   std::to_string(load.random_below),
                                   "--csv"};
  if (load.client_threads > 0) {
    line.insert(line.end(), {"--threads", std::to_string(load.client_threads)});
  }
  if (load.resp3) line.push_back("-3");
  static int runs = 0;
  const std::string run = std::to_string(++runs);
  for (std::string argument : load.command) {
    const std::size_t at = argument.find(kRun);
    if (at != std::string::npos) argument.replace(at, sizeof(kRun) - 1, run);
    line.push_back(argument);
  }
  return line;
}

// Returns the fields of the last line with a test's result; empty if there is none.
std::vector<std::string> CsvRow(const std::string& output) {
  std::vector<std::string> row;
  for (std::size_t start = 0; start < output.size();) {
    const std::size_t end = std::min(output.find('\n', start), output.size());
    const std::string line = output.substr(start, end - start);
    start = end + 1;
    if (!line.starts_with('"') || line.starts_with("\"test\"")) continue;
    row.clear();
    for (std::size_t at = 1; at < line.size();) {
      const std::size_t close = std::min(line.find('"', at), line.size());
      row.push_back(line.substr(at, close - at));
      at = close + 3;  // past `","`
    }
  }
  return row;
}

// Returns the error text of redis-benchmark, without the table around it.
std::string Complaint(const std::string& output) {
  std::string complaint;
  for (std::size_t start = 0; start < output.size();) {
    const std::size_t end = std::min(output.find('\n', start), output.size());
    if (end > start && output[start] != '"') {
      complaint += (complaint.empty() ? "" : "; ") + output.substr(start, end - start);
    }
    start = end + 1;
  }
  return complaint;
}

}  // namespace

std::string LoadProgramVersion() {
  try {
    return VersionOf("redis-benchmark");
  } catch (const Failure&) {
    throw Failure("redis-benchmark is not in PATH (Debian package redis-tools)");
  }
}

LoadResult RunLoad(const Target& target, const Load& load, std::uint64_t requests) {
  const auto limit = std::chrono::steady_clock::now() + kLongestRun;
  const auto watch = [&] {
    if (HasEnded(target.pid)) throw Failure(target.name + " died under " + load.command[0]);
    if (std::chrono::steady_clock::now() > limit) {
      throw Failure("redis-benchmark does not come back from " + load.command[0] + " on " +
                    target.name);
    }
  };
  watch();
  const double server_cpu_before = CpuSeconds(target.pid);
  const Finished finished = RunProgram(CommandLine(target, load, requests), watch);
  watch();
  const std::vector<std::string> row = CsvRow(finished.output);
  if (finished.wait_status != 0 || row.size() != kColumns) {
    throw Failure("redis-benchmark with " + load.command[0] + " on " + target.name +
                  " ended with " + DescribeEnd(finished.wait_status) + ": " +
                  Complaint(finished.output));
  }
  const double server_cpu = CpuSeconds(target.pid) - server_cpu_before;
  LoadResult result;
  result.requests_per_second = std::atof(row[kRateColumn].c_str());
  result.p50_ms = std::atof(row[kP50Column].c_str());
  result.p99_ms = std::atof(row[kP99Column].c_str());
  result.client_cpu_percent = 100 * finished.cpu_seconds / finished.wall_seconds;
  result.client_cpu_us = 1e6 * finished.cpu_seconds / static_cast<double>(requests);
  result.server_cpu_us = 1e6 * server_cpu / static_cast<double>(requests);
  return result;
}

Command Sample(const Load& load) {
  Command command = load.command;
  for (std::string& argument : command) {
    for (std::size_t at = 0; (at = argument.find(kRandom)) != std::string::npos;) {
      argument.replace(at, sizeof(kRandom) - 1, "000000000000");
    }
  }
  return command;
}

}  // namespace laurel::bench
