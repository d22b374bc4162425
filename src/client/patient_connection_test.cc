#include "client/patient_connection.h"

#include <atomic>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/fake_server.h"

namespace laurel::client {
namespace {

using testing::FakeServer;

TEST(PatientConnection, ServerThatFallsSilentIsGivenUpAfterTwoTimeLimits) {
  std::atomic<bool> silent{false};
  FakeServer server([&](int) { return silent ? "" : "+PONG\r\n"; });
  ConnectOptions options = server.Options();
  options.waits.timeout_ms = 20;
  Result<PatientConnection> client = PatientConnection::Open(options);
  // On a busy machine the first answer may take longer than the limit.
  while (!client.ok() || !client->Ask({"PING"}).ok()) client = PatientConnection::Open(options);
  silent = true;
  const int before = server.connections();
  const Result<RespValue> reply = client->Ask({"PING"});
  ASSERT_FALSE(reply.ok());
  EXPECT_NE(reply.error().message.find("no answer for"), std::string::npos);
  EXPECT_LE(server.connections() - before, 1);
  client = Error{ErrorCode::kErr, ""};  // closed before the server ends
}

TEST(PatientConnection, StopEndsAWaitForASilentServer) {
  std::atomic<bool> stop{false};
  FakeServer server([&](int) {
    stop = true;
    return "";
  });
  ConnectOptions options = server.Options();
  options.waits.timeout_ms = 3'600'000;
  options.waits.stop = &stop;
  Result<PatientConnection> client = PatientConnection::Open(options);
  ASSERT_TRUE(client.ok());
  const Result<RespValue> reply = client->Ask({"PING"});
  ASSERT_FALSE(reply.ok());
  EXPECT_NE(reply.error().message.find("stopped by a signal"), std::string::npos);
  client = Error{ErrorCode::kErr, ""};
}

TEST(PatientConnection, ErrorThatAsksForALoginSaysWhatGivesIt) {
  FakeServer server([](int) { return "-NOAUTH Authentication required.\r\n"; });
  ConnectOptions options = server.Options();
  options.login_hint = "set LAUREL_TOKEN";
  Result<PatientConnection> client = PatientConnection::Open(options);
  ASSERT_TRUE(client.ok());
  std::string raw;
  for (const std::string& message :
       {client->Ask({"PING"}).error().message, client->AskRaw({"PING"}, &raw).error().message}) {
    EXPECT_TRUE(message.ends_with("NOAUTH Authentication required. (set LAUREL_TOKEN)")) << message;
  }
  client = Error{ErrorCode::kErr, ""};
}

}  // namespace
}  // namespace laurel::client
