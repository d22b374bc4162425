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

TEST(PatientConnection, MovedRequestsGoToTheNodeThatHasTheSlot) {
  FakeServer owner([](int) { return "+PONG\r\n"; });
  const std::string moved = "-MOVED 1 127.0.0.1:" + owner.Options().address.port + "\r\n";
  FakeServer other([&](int) { return moved; });
  Result<PatientConnection> client = PatientConnection::Open(other.Options());
  ASSERT_TRUE(client.ok());
  EXPECT_EQ(client->Ask({"PING"})->text, "PONG");
  EXPECT_EQ(client->Ask({"PING"})->text, "PONG");
  EXPECT_EQ(client->address(), owner.Options().address.Text());
  EXPECT_EQ(other.connections(), 1);
  client = Error{ErrorCode::kErr, ""};
}

TEST(PatientConnection, RequestsThatAreAskedElsewhereAreSentThereOnce) {
  FakeServer target([](int) { return "+OK\r\n"; });
  const std::string ask = "-ASK 1 127.0.0.1:" + target.Options().address.port + "\r\n";
  FakeServer source([&](int request) { return request == 0 ? ask : "+PONG\r\n"; });
  Result<PatientConnection> client = PatientConnection::Open(source.Options());
  ASSERT_TRUE(client.ok());
  EXPECT_EQ(client->Ask({"PING"})->text, "OK");
  EXPECT_EQ(client->Ask({"PING"})->text, "PONG");
  EXPECT_EQ(target.connections(), 1);
  client = Error{ErrorCode::kErr, ""};
}

TEST(PatientConnection, RedirectionsAreCountedAnewAfterEachAnswer) {
  constexpr int kRequests = 20;  // more than the redirections in a row that are followed
  FakeServer target([](int) { return "+OK\r\n"; });
  const std::string ask = "-ASK 1 127.0.0.1:" + target.Options().address.port + "\r\n";
  FakeServer source([&](int) { return ask; });
  Result<PatientConnection> client = PatientConnection::Open(source.Options());
  ASSERT_TRUE(client.ok());
  for (int i = 0; i < kRequests; ++i) EXPECT_EQ(client->Ask({"PING"})->text, "OK");
  client = Error{ErrorCode::kErr, ""};
}

TEST(PatientConnection, RedirectionsWithoutEndAreAnError) {
  std::string moved;
  FakeServer server([&](int) { return moved; });
  moved = "-MOVED 1 :" + server.Options().address.port + "\r\n";
  Result<PatientConnection> client = PatientConnection::Open(server.Options());
  ASSERT_TRUE(client.ok());
  const Result<RespValue> reply = client->Ask({"PING"});
  ASSERT_FALSE(reply.ok());
  EXPECT_NE(reply.error().message.find("MOVED"), std::string::npos);
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
