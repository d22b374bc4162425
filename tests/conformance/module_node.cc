#include "tests/conformance/module_node.h"

namespace laurel::conformance {
namespace {

constexpr int kReplyTimeoutMs = 60'000;

black_box::ServerProcess StartServer(const Words& options) {
  Words all = {"--enable-debug-command", "yes", "--repl-diskless-sync-delay", "0"};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), {"--loadmodule", LAUREL_MODULE});
  return black_box::ServerProcess::Redis(all);
}

}  // namespace

ModuleNode::ModuleNode(const Words& options)
    : server_(StartServer(options)), client_(server_.port(), kReplyTimeoutMs) {
  Do({"HELLO", "3"});
}

resp::Value ModuleNode::Do(const Words& words) {
  resp::Value reply = client_.Command(words);
  if (reply.type == '-') throw std::runtime_error(resp::Quoted(words) + ": " + reply.text);
  return reply;
}

std::string ModuleNode::Info(std::string_view section, std::string_view field) {
  const std::string text = "\r\n" + Do({"INFO", std::string(section)}).text;
  const std::string before = "\r\n" + std::string(field) + ":";
  const std::size_t found = text.find(before);
  if (found == std::string::npos) throw std::runtime_error("INFO has no " + std::string(field));
  const std::size_t begin = found + before.size();
  return text.substr(begin, text.find("\r\n", begin) - begin);
}

std::string ModuleNode::Digest(const std::string& board) {
  return Do({"DEBUG", "DIGEST-VALUE", board}).ToString();
}

void ModuleNode::AwaitSweep() {
  Await("the sweep", [&] { return Info("laurel", "laurel_sweep_due") == "0"; });
}

void ModuleNode::AwaitJobs() {
  Await("a save or rewrite", [&] {
    return Info("persistence", "rdb_bgsave_in_progress") == "0" &&
           Info("persistence", "aof_rewrite_in_progress") == "0" &&
           Info("persistence", "aof_rewrite_scheduled") == "0";
  });
}

void ModuleNode::Follow(const ModuleNode& primary) {
  Do({"REPLICAOF", "127.0.0.1", primary.port_text()});
  AwaitLink();
}

void ModuleNode::AwaitLink() {
  Await("the link to the primary", [&] {
    return Info("replication", "role") == "slave" &&
           Info("replication", "master_link_status") == "up";
  });
}

void ModuleNode::AwaitAllOf(ModuleNode* primary) {
  const long long sent = std::stoll(primary->Info("replication", "master_repl_offset"));
  Await("replication", [&] {
    return Info("replication", "master_link_status") == "up" &&
           std::stoll(Info("replication", "slave_repl_offset")) >= sent;
  });
}

}  // namespace laurel::conformance
