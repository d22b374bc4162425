// ./dev bench http: compares HTTP with RESP and nginx, streams with writers, and measures a mix of
// requests, in one run.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/http/load.h"
#include "bench/http/streams.h"
#include "bench/member_name.h"
#include "bench/option_parser.h"
#include "bench/program.h"
#include "bench/report.h"
#include "bench/server/connection.h"
#include "bench/server/server_process.h"

namespace {

using namespace laurel::bench;

constexpr char kBoard[] = "lb";
constexpr std::size_t kStreams = 2000;
constexpr double kWritesPerSecond = 1000;

struct Options {
  std::string binary = LAUREL_BINARY;
  std::string folder = "build/bench/http";
  std::string only;
  std::uint64_t members = 1'000'000;
  int repeats = 5;
  double seconds = 2;
  double mix_seconds = 30;
  std::vector<std::string> serve;

  [[nodiscard]] bool Wants(std::string_view part) const { return only.empty() || only == part; }
};

std::string MemberOf(std::uint64_t n, std::uint64_t members) {
  return MemberName(n * 0x9e3779b97f4a7c15ULL % members);
}

std::string ScoreOf(std::uint64_t n) { return std::to_string(n * 2654435761ULL % 1'000'000); }

// Starts a server with a filled leaderboard `lb`.
std::unique_ptr<ServerProcess> StartFilled(const Options& options, const std::string& fsync) {
  const std::filesystem::path data = std::filesystem::path(options.folder) / fsync;
  std::filesystem::remove_all(data);
  std::filesystem::create_directories(data);
  std::vector<std::string> arguments = {"--data", data.string(), "--fsync", "off"};
  if (fsync != "off") arguments[3] = fsync;
  arguments.insert(arguments.end(), options.serve.begin(), options.serve.end());
  auto server =
      std::make_unique<ServerProcess>("laurel", ServerKind::kLaurel, options.binary, arguments);
  Connection(server->target()).Ask({"LB.CREATE", kBoard});
  FillBoard(server->target(), kBoard, options.members);
  return server;
}

// Requests ----------------------------------------------------------------------------------------

using Next = std::function<void(std::uint64_t, std::string*)>;

Next HttpTop() {
  return [request = GetRequest("/v1/boards/lb/entries?limit=10")](std::uint64_t, std::string* out) {
    *out = request;
  };
}
Next RespTop() {
  return [request = Encode({"LB.TOP", kBoard, "10"})](std::uint64_t, std::string* out) {
    *out = request;
  };
}
Next HttpSubmit(std::uint64_t members) {
  return [members](std::uint64_t n, std::string* out) {
    *out = PostRequest("/v1/boards/lb/entries", R"({"member":")" + MemberOf(n, members) +
                                                    R"(","score":[")" + ScoreOf(n) + "\"]}");
  };
}
Next RespSubmit(std::uint64_t members) {
  return [members](std::uint64_t n, std::string* out) {
    *out = Encode({"LB.SUBMIT", kBoard, MemberOf(n, members), ScoreOf(n)});
  };
}
Next HttpMix(std::uint64_t members) {
  return
      [members, submit = HttpSubmit(members), top = HttpTop()](std::uint64_t n, std::string* out) {
        if (n % 10 < 5) return submit(n, out);
        if (n % 10 < 8) return top(n, out);
        *out = GetRequest("/v1/boards/lb/entries/" + MemberOf(n, members));
      };
}

LoopResult Measure(const Options& options, const Target& target, Wire wire, const Next& next,
                   std::uint16_t port = 0) {
  LoopLoad load;
  load.target = target;
  load.wire = wire;
  load.port = port;
  load.seconds = options.seconds;
  load.next = next;
  LoopResult result = RunLoop(load);
  if (result.errors > 0) throw Failure("an error was answered: " + result.first_error);
  return result;
}

// nginx -------------------------------------------------------------------------------------------

// Runs nginx with one static file, in one process.
class Nginx {
 public:
  Nginx(const std::string& folder, const std::string& body) {
    namespace fs = std::filesystem;
    const fs::path root = fs::absolute(folder) / "nginx";
    fs::create_directories(root);
    std::ofstream(root / "file.json") << body;
    target_.port = FreePort();
    std::ofstream(root / "nginx.conf")
        << "daemon off; master_process off; worker_processes 1; error_log stderr crit;\npid "
        << (root / "pid").string()
        << ";\nevents { worker_connections 512; }\nhttp { access_log off; "
        << "keepalive_requests 1000000000; types { application/json json; }\n"
        << "client_body_temp_path " << root.string() << "/b; proxy_temp_path " << root.string()
        << "/p; fastcgi_temp_path " << root.string() << "/f; uwsgi_temp_path " << root.string()
        << "/u; scgi_temp_path " << root.string()
        << "/s;\nserver { listen 127.0.0.1:" << target_.port << "; root " << root.string()
        << "; } }\n";
    target_.name = "nginx";
    target_.pid = Spawn({"/usr/sbin/nginx", "-c", (root / "nginx.conf").string()}, 2);
    for (int i = 0; i < 100 && !HasEnded(target_.pid); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      try {
        close(ConnectTo(target_.port));
        return;
      } catch (const Failure&) {
      }
    }
    throw Failure("nginx does not start");
  }
  ~Nginx() {
    kill(target_.pid, SIGTERM);
    waitpid(target_.pid, nullptr, 0);
  }
  Nginx(const Nginx&) = delete;
  Nginx& operator=(const Nginx&) = delete;

  [[nodiscard]] const Target& target() const { return target_; }

 private:
  Target target_;
};

// Returns the bytes of the body of the page with the top ten.
std::string TopBody(const Target& target) {
  LoopLoad load;
  std::string body;
  const int descriptor = ConnectTo(target.http_port);
  const std::string request = GetRequest("/v1/boards/lb/entries?limit=10");
  send(descriptor, request.data(), request.size(), MSG_NOSIGNAL);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  char buffer[16384];
  const ssize_t bytes = recv(descriptor, buffer, sizeof(buffer), 0);
  close(descriptor);
  if (bytes > 0) body.assign(buffer, static_cast<std::size_t>(bytes));
  return body.substr(body.find("\r\n\r\n") + 4);
}

// Parts -------------------------------------------------------------------------------------------

// The medians of CPU per request and of the rate, from contestants that run alternately.
struct Medians {
  double cpu_us = 0;
  double rate = 0;
  double p99_us = 0;
};
std::vector<Medians> Alternate(int repeats, const std::vector<std::function<LoopResult()>>& runs) {
  std::vector<std::vector<double>> cpu(runs.size());
  std::vector<std::vector<double>> rate(runs.size());
  std::vector<std::vector<double>> p99(runs.size());
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const LoopResult result = runs[i]();
      cpu[i].push_back(result.CpuMicros());
      rate[i].push_back(result.Rate());
      p99[i].push_back(result.At(0.99));
    }
  }
  std::vector<Medians> medians;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    medians.push_back({Median(cpu[i]), Median(rate[i]), Median(p99[i])});
  }
  return medians;
}

void AddCpu(const std::string& name, const Medians& ours, const Medians& rival, double bar,
            Report* report) {
  Figure figure{name, ours.cpu_us, rival.cpu_us, "us server CPU per request", AtMost(bar)};
  figure.details = {{"requests/s", ours.rate, rival.rate}, {"p99 us", ours.p99_us, rival.p99_us}};
  report->Add(figure);
}

void RunCpu(const Options& options, Report* report) {
  std::printf("\nServer CPU per request, 50 clients, one request at a time each, fsync off\n");
  const auto server = StartFilled(options, "off");
  const Target& target = server->target();
  std::optional<Nginx> nginx;
  if (std::filesystem::exists("/usr/sbin/nginx")) nginx.emplace(options.folder, TopBody(target));
  std::vector<std::function<LoopResult()>> runs = {
      [&] { return Measure(options, target, Wire::kHttp, HttpTop()); },
      [&] { return Measure(options, target, Wire::kResp, RespTop()); },
      [&] { return Measure(options, target, Wire::kHttp, HttpSubmit(options.members)); },
      [&] { return Measure(options, target, Wire::kResp, RespSubmit(options.members)); }};
  if (nginx) {
    runs.push_back([&] {
      const auto get = [request = GetRequest("/file.json")](std::uint64_t, std::string* out) {
        *out = request;
      };
      return Measure(options, nginx->target(), Wire::kHttp, get, nginx->target().port);
    });
  }
  const std::vector<Medians> medians = Alternate(options.repeats, runs);
  AddCpu("get_top10_beside_resp", medians[0], medians[1], 1.7, report);
  AddCpu("post_submit_beside_resp", medians[2], medians[3], 1.7, report);
  if (!nginx) {
    std::printf("  nginx is not installed: nothing beside it\n");
    return;
  }
  AddCpu("get_top10_beside_nginx", medians[0], medians[4], 1.5, report);
  AddCpu("post_submit_beside_nginx", medians[2], medians[4], 1.5, report);
}

void RunDurable(const Options& options, Report* report) {
  std::printf("\nPOST submit under fsync always, rival LB.SUBMIT over RESP\n");
  const auto server = StartFilled(options, "always");
  const std::vector<Medians> medians = Alternate(
      options.repeats,
      {[&] { return Measure(options, server->target(), Wire::kHttp, HttpSubmit(options.members)); },
       [&] {
         return Measure(options, server->target(), Wire::kResp, RespSubmit(options.members));
       }});
  Figure figure{"post_submit_always", medians[0].rate, medians[1].rate, "requests/s", AtLeast(0.8)};
  figure.details = {{"p99 us", medians[0].p99_us, medians[1].p99_us},
                    {"server CPU us", medians[0].cpu_us, medians[1].cpu_us}};
  report->Add(figure);
}

// Writes at a steady rate, each of which changes the top, and returns the latencies in µs, sorted.
std::vector<double> WriteSteadily(const Target& target, double seconds) {
  using Clock = std::chrono::steady_clock;
  Connection connection(target);
  std::vector<double> latencies;
  const auto began = Clock::now();
  for (std::uint64_t n = 0;; ++n) {
    const auto due = began + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(n / kWritesPerSecond));
    if (due - began > std::chrono::duration<double>(seconds)) break;
    std::this_thread::sleep_until(due);
    const auto sent = Clock::now();
    connection.Ask(
        {"LB.SET", kBoard, "leader" + std::to_string(n % 10), std::to_string(2'000'000'000 + n)});
    latencies.push_back(std::chrono::duration<double, std::micro>(Clock::now() - sent).count());
  }
  std::sort(latencies.begin(), latencies.end());
  return latencies;
}

void RunStreams(const Options& options, Report* report) {
  std::printf(
      "\n%zu streams of the top 10, %.0f writes/s; rival the same streams on an idle board\n",
      kStreams, kWritesPerSecond);
  const auto server = StartFilled(options, "off");
  const Target& target = server->target();
  Connection(target).Ask({"LB.CREATE", "idle"});
  Connection(target).Ask({"LB.SUBMIT", "idle", "ann", "1"});
  const double seconds = options.seconds * 5;
  std::vector<double> busy;
  std::vector<double> idle;
  double bytes = 0;
  double gap = 0;
  double events = 0;
  for (int repeat = 0; repeat < std::max(1, options.repeats / 2); ++repeat) {
    for (const bool is_busy : {false, true}) {
      const double before = ResidentBytes(target.pid);
      Streams streams(target, is_busy ? "/v1/boards/lb/live?top=10" : "/v1/boards/idle/live?top=10",
                      kStreams);
      if (!is_busy && bytes == 0) bytes = (ResidentBytes(target.pid) - before) / kStreams;
      streams.RestartGaps();
      const std::uint64_t events_before = streams.events();
      const std::vector<double> latencies = WriteSteadily(target, seconds);
      (is_busy ? busy : idle).push_back(latencies[latencies.size() * 99 / 100]);
      if (!is_busy) continue;
      gap = std::max(gap, streams.LongestGapSeconds());
      events = static_cast<double>(streams.events() - events_before) / seconds;
      bytes = std::max(bytes, (ResidentBytes(target.pid) - before) / kStreams);
    }
  }
  Figure figure{"streams_write_p99", Median(busy), Median(idle), "us", AtMost(1.5)};
  figure.details = {{"or at most 5000 us", Median(busy)}, {"events/s", events}};
  report->Add(figure);
  report->Add({"stream_bytes", bytes, 16.0 * 1024, "resident bytes per stream", AtMost(1)});
  report->Add({"stream_behind", gap, 1.0, "s, longest time without an event", AtMost(1)});
}

void RunMix(const Options& options, Report* report) {
  std::printf("\n50 %% submit, 30 %% top 10, 20 %% get; 200 clients, fsync always, %.0f s\n",
              options.mix_seconds);
  const auto server = StartFilled(options, "always");
  LoopLoad load;
  load.target = server->target();
  load.clients = 200;
  load.seconds = options.mix_seconds;
  load.next = HttpMix(options.members);
  const LoopResult result = RunLoop(load);
  if (result.errors > 0) std::printf("  the first error: %s\n", result.first_error.c_str());
  report->Add({"mix_rate", result.Rate(), 1000.0, "requests/s", AtLeast(1)});
  report->Add({"mix_mean", result.Mean() / 1000, 500.0, "ms", AtMost(1)});
  report->Add({"mix_p99", result.At(0.99) / 1000, 1000.0, "ms", AtMost(1)});
  Figure errors{"mix_errors", static_cast<double>(result.errors), std::nullopt, "errors"};
  errors.details = {{"requests", static_cast<double>(result.requests)},
                    {"resident MiB", ResidentBytes(server->target().pid) / (1 << 20)},
                    {"longest ms", result.At(1) / 1000}};
  report->Add(errors);
}

OptionParser OptionsInto(Options* options) {
  OptionParser parser;
  parser.AddChoice("--only", "PART",
                   "one part alone: cpu (beside RESP and, if it is installed, nginx), durable,\n"
                   "streams, mix",
                   {"cpu", "durable", "streams", "mix"}, &options->only);
  parser.AddFlag("--quick", "3 runs of half a second per figure, a mix of 5 s", [options] {
    options->repeats = 3;
    options->seconds = 0.5;
    options->mix_seconds = 5;
  });
  parser.AddNumber("--repeats", "N", "runs per figure, of which the median counts (5)",
                   &options->repeats);
  parser.AddNumber("--seconds", "S", "how long each run takes (2)", &options->seconds);
  parser.AddNumber("--mix-seconds", "S", "how long the mix takes (30)", &options->mix_seconds);
  parser.AddNumber("--members", "N", "members of the board (1000000)", &options->members);
  parser.AddText("--folder", "DIR", "where the server keeps its data (build/bench/http)",
                 &options->folder);
  parser.AddText("--binary", "PATH", "another Laurel in our place", &options->binary);
  return parser;
}

void Run(const Options& options, Report* report) {
  std::printf("HTTP on: %s\n", DescribeMachine().c_str());
  std::printf("load: a closed loop in one thread, %llu members; medians of %d runs of %.3g s\n",
              static_cast<unsigned long long>(options.members), options.repeats, options.seconds);
  if (options.Wants("cpu")) RunCpu(options, report);
  if (options.Wants("durable")) RunDurable(options, report);
  if (options.Wants("streams")) RunStreams(options, report);
  if (options.Wants("mix")) RunMix(options, report);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return RunBench("http", OptionsInto(&options), argc, argv,
                  [&options](Report* report) { Run(options, report); });
}
