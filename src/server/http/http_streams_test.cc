// Streams of changes on a connection whose engine and client the test plays.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/http/http_session.h"
#include "server/net/connection_list.h"
#include "tests/support/played_connection.h"

namespace laurel::server {
namespace {

class NoDocuments final : public HttpDocuments {
 public:
  [[nodiscard]] std::string Metrics() const override { return {}; }
  [[nodiscard]] std::string ServerJson(const engine::Access& /*access*/) const override {
    return {};
  }
};

class ChangesStream : public ::testing::Test {
 protected:
  ChangesStream() {
    engine_.keeps = true;
    network_.engine = &engine_;
    auto transport = std::make_unique<PlayedTransport>();
    transport_ = transport.get();
    connection_ = std::make_shared<Connection>(&network_, &loop_, &list_, std::move(transport), 7);
    connection_->Converse(std::make_unique<HttpSession>(&service_, connection_.get()));
    list_.Add(connection_);
    connection_->Start();
  }

  // A connection that waits for its batch uses what the loop outlives.
  void TearDown() override { loop_.ready.clear(); }

  // Sends the request for the stream; the engine gets the question for the first page.
  void Open() {
    transport_->Receive(
        "GET /v1/boards/lb/changes?from=0 HTTP/1.1\r\nHost: localhost\r\n"
        "Authorization: Bearer secret\r\nAccept: text/event-stream\r\n\r\n");
    loop_.ExecuteBatch(&engine_);
  }
  // Answers the question with this many events of 10 bytes.
  void Answer(std::size_t events, const std::string& next, bool full = false) {
    std::unique_ptr<wire::Events> page = engine_.answer->NewEvents();
    for (std::size_t i = 0; i < events; ++i) {
      page->Begin(next + std::to_string(i), "put");
      page->values().Map(1);
      page->values().Bulk("n");
      page->values().Bulk("00");
    }
    engine_.answer->ShowEvents(std::move(page), {next, events, /*gap=*/false, full});
    End();
  }
  void Fail(const Error& error) {
    engine_.answer->Refused(error, wire::kNoWord);
    End();
  }
  void End() {
    engine_.kept->Done();
    loop_.RunPosted();
  }
  void Stop() {
    network_.stopping = true;
    connection_->Shut(Connection::When::kWhenIdle);
    loop_.RunPosted();
  }
  // Ends the token; the connection learns it when its loop runs next.
  void EndToken() {
    tokens_.Replace({Token{"other", HashToken("other"), wire::Role::kRead}});
    connection_->CheckToken();
  }
  [[nodiscard]] std::string Body() const {
    return transport_->sent.substr(transport_->sent.find("\r\n\r\n") + 4);
  }
  void ExpectStreamThatEnds(const std::string& reason) const {
    EXPECT_TRUE(transport_->sent.starts_with("HTTP/1.1 200 OK\r\n")) << transport_->sent;
    EXPECT_TRUE(transport_->sent.ends_with("event: end\ndata: {\"reason\":\"" + reason + "\"}\n\n"))
        << transport_->sent;
    EXPECT_TRUE(transport_->closed);
  }

  Config config_;
  TokenStore tokens_{{Token{"one", HashToken("secret"), wire::Role::kRead}}};
  Network network_{&config_};
  PlayedEngine engine_;
  PlayedLoop loop_;
  ConnectionList list_;
  Settings settings_{config_};
  SlowLog slow_log_;
  RefusedLogins refused_logins_{&network_.counters};
  NoDocuments documents_;
  AccessLog access_log_;
  AuditLog audit_log_;
  HttpService service_{.config = config_,
                       .tokens = tokens_,
                       .network = network_,
                       .connections = list_,
                       .settings = settings_,
                       .slow_log = slow_log_,
                       .refused_logins = refused_logins_,
                       .documents = documents_,
                       .access_log = access_log_,
                       .audit_log = audit_log_};
  PlayedTransport* transport_ = nullptr;
  std::shared_ptr<Connection> connection_;
};

TEST_F(ChangesStream, EventsFollowTheHead) {
  Open();
  EXPECT_EQ(transport_->sent, "");
  Answer(2, "c");
  EXPECT_TRUE(transport_->sent.starts_with("HTTP/1.1 200 OK\r\n")) << transport_->sent;
  EXPECT_EQ(Body(),
            "id: c0\nevent: put\ndata: {\"n\":\"00\"}\n\n"
            "id: c1\nevent: put\ndata: {\"n\":\"00\"}\n\n");
}

TEST_F(ChangesStream, ErrorBeforeTheHeadIsAnAnswer) {
  Open();
  Fail({ErrorCode::kNoBoard, "no board 'lb'"});
  EXPECT_TRUE(transport_->sent.starts_with("HTTP/1.1 404 ")) << transport_->sent;
  EXPECT_EQ(transport_->sent.find("event:"), std::string::npos) << transport_->sent;
}

TEST_F(ChangesStream, ErrorAfterTheHeadEndsTheStream) {
  Open();
  Answer(1, "c", /*full=*/true);
  loop_.ExecuteBatch(&engine_);
  Fail({ErrorCode::kNoBoard, "no board 'lb'"});
  ExpectStreamThatEnds("NOBOARD no board 'lb'");
}

TEST_F(ChangesStream, TokenThatEndsBeforeTheHeadIsAnAnswer) {
  Open();
  EndToken();
  loop_.RunPosted();
  EXPECT_EQ(transport_->sent, "");
  Answer(1, "c");
  EXPECT_TRUE(transport_->sent.starts_with("HTTP/1.1 401 ")) << transport_->sent;
  EXPECT_NE(transport_->sent.find("Connection: close\r\n"), std::string::npos);
  EXPECT_EQ(transport_->sent.find("event:"), std::string::npos) << transport_->sent;
  EXPECT_TRUE(transport_->closed);
}

TEST_F(ChangesStream, StopBeforeTheHeadIsTheOnlyEvent) {
  Open();
  Stop();
  EXPECT_EQ(transport_->sent, "");
  Answer(1, "c");
  ExpectStreamThatEnds("the server stops");
  EXPECT_TRUE(Body().starts_with("retry: ")) << Body();
}

TEST_F(ChangesStream, StreamThatBeginsWhileTheServerStopsEnds) {
  network_.stopping = true;
  Open();
  Answer(0, "c");
  ExpectStreamThatEnds("the server stops");
}

TEST_F(ChangesStream, PageThatComesAfterTheEndIsNotSent) {
  Open();
  Answer(1, "c", /*full=*/true);
  loop_.ExecuteBatch(&engine_);
  EndToken();
  Answer(1, "d");
  ExpectStreamThatEnds("the token has ended");
  EXPECT_EQ(Body().find("id: d"), std::string::npos) << Body();
}

TEST_F(ChangesStream, TokenThatEndsBeforeTheRequestArrivesIsAnAnswer) {
  EndToken();
  loop_.RunPosted();
  EXPECT_FALSE(transport_->closed);
  Open();
  loop_.RunTimer();  // a refused login is answered after a delay
  EXPECT_TRUE(transport_->sent.starts_with("HTTP/1.1 401 ")) << transport_->sent;
}

TEST_F(ChangesStream, TokensThatAppearEndAStreamWithoutOne) {
  tokens_.Replace({});
  connection_->CheckToken();
  loop_.RunPosted();
  Open();
  Answer(1, "c", /*full=*/true);
  tokens_.Replace({Token{"one", HashToken("secret"), wire::Role::kRead}});
  loop_.ExecuteBatch(&engine_);
  Answer(1, "d", /*full=*/true);
  EXPECT_EQ(Body().find("HTTP/1.1"), std::string::npos) << Body();
  connection_->CheckToken();
  loop_.RunPosted();
  loop_.ExecuteBatch(&engine_);
  Answer(1, "e");
  ExpectStreamThatEnds("the token has ended");
}

TEST_F(ChangesStream, FullPageIsFollowedAtOnceAndTheNewestRests) {
  Open();
  Answer(3, "c", /*full=*/true);
  EXPECT_EQ(loop_.ready.size(), 1U);
  loop_.ExecuteBatch(&engine_);
  Answer(3, "d");
  EXPECT_TRUE(loop_.ready.empty());
  loop_.RunTimer();  // the timer
  EXPECT_EQ(loop_.ready.size(), 1U);
}

TEST_F(ChangesStream, NextPageIsReadWhenTheClientHasTakenTheLast) {
  Open();
  transport_->room = 500;
  Answer(1000, "c", /*full=*/true);
  EXPECT_TRUE(loop_.ready.empty());
  transport_->MakeRoom(10'000);
  EXPECT_TRUE(loop_.ready.empty());
  transport_->MakeRoom(1 << 20);
  EXPECT_EQ(loop_.ready.size(), 1U);
}

}  // namespace
}  // namespace laurel::server
