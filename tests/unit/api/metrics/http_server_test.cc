// SPDX-License-Identifier: Apache-2.0
#include "api/metrics/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "api/base/handle.h"

namespace rdmaready::metrics {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using SteadyClock = std::chrono::steady_clock;

// Connects to "127.0.0.1:PORT".
UniqueFd ConnectTo(const std::string& address) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ::sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<::sockaddr*>(&to), sizeof(to)), 0);
  return fd;
}

void Say(const UniqueFd& fd, const std::string& text) {
  static_cast<void>(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL));
}

// All that comes until the other end closes, or for `patience`.
struct Heard {
  std::string text{};
  bool closed = false;
};

Heard Hear(const UniqueFd& fd, std::chrono::milliseconds patience = std::chrono::seconds(30)) {
  Heard heard;
  const auto end = SteadyClock::now() + patience;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - SteadyClock::now()).count();
    ::pollfd one{fd.get(), POLLIN, 0};
    if (left <= 0 || ::poll(&one, 1, static_cast<int>(left)) <= 0) return heard;
    char part[4096];
    const ::ssize_t size = ::recv(fd.get(), part, sizeof(part), 0);
    if (size <= 0) {
      heard.closed = true;
      return heard;
    }
    heard.text.append(part, static_cast<std::size_t>(size));
  }
}

std::ptrdiff_t Threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

class HttpServerTest : public testing::Test {
 protected:
  void Start(const HttpLimits& limits = {}, const std::string& target = "ipv4:127.0.0.1:0") {
    auto server =
        HttpServer::Start({.target = target, .path = "/metrics", .limits = limits},
                          [this](const HttpCaller& caller) -> HttpAnswer {
                            ++asked_;
                            return {.content_type = "text/plain", .body = "caller " + caller.address + "\n"};
                          });
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  std::string Ask(const std::string& request) {
    const UniqueFd fd = ConnectTo(server_->address());
    Say(fd, request);
    const Heard heard = Hear(fd);
    EXPECT_TRUE(heard.closed) << "each connection is for one request";
    return heard.text;
  }
  std::string Get() { return Ask("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"); }

  std::atomic<int> asked_ = 0;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersThePageAndClosesTheConnection) {
  Start();
  const std::string answer = Get();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\n\r\ncaller ipv4:127.0.0.1:"));
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  Start();
  const std::string answer = Ask("HEAD /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST_F(HttpServerTest, ListensOnIpv6) {
  Start({}, "ipv6:[::1]:0");
  EXPECT_THAT(server_->address(), StartsWith("[::1]:"));
}

TEST_F(HttpServerTest, SaysWhyItCannotListen) {
  Start();
  const auto second = HttpServer::Start({.target = "ipv4:" + server_->address(), .path = "/metrics"},
                                        [](const HttpCaller&) { return HttpAnswer(); });
  EXPECT_EQ(second.status(), absl::UnavailableError("Address already in use"));
}

TEST_F(HttpServerTest, HasOnePageAndNoOtherMethod) {
  Start();
  EXPECT_THAT(Ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Ask("GET /metrics/../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Ask("POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"),
              StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(Ask("DELETE /metrics HTTP/1.1\r\nHost: a\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
  EXPECT_EQ(asked_, 0);
}

TEST_F(HttpServerTest, TakesNoBodyWithAPage) {
  Start();
  EXPECT_EQ(Ask("GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"), "");
  EXPECT_EQ(asked_, 0);
}

TEST_F(HttpServerTest, RefusesHeadersThatAreTooLarge) {
  Start();
  const std::string large(64 << 10, 'x');
  for (const std::string& request : {"GET /metrics HTTP/1.1\r\nHost: a\r\nX: " + large + "\r\n\r\n",
                                     "GET /" + large + " HTTP/1.1\r\n\r\n"}) {
    const UniqueFd fd = ConnectTo(server_->address());
    Say(fd, request);
    const Heard heard = Hear(fd);
    EXPECT_TRUE(heard.closed);
    EXPECT_TRUE(heard.text.empty() || heard.text.starts_with("HTTP/1.1 4")) << heard.text.substr(0, 100);
  }
  std::string many = "GET /metrics HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 5'000; ++i) many += "A: b\r\n";
  const UniqueFd fd = ConnectTo(server_->address());
  Say(fd, many + "\r\n");
  EXPECT_TRUE(Hear(fd).closed);
  EXPECT_EQ(asked_, 0);
  EXPECT_THAT(Get(), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, OutlivesGarbage) {
  Start({.exchange = std::chrono::milliseconds(500)});
  std::string noise;
  for (int i = 0; i < 4'096; ++i) noise += static_cast<char>((i * 7919) % 251);
  for (const std::string& request :
       {noise, std::string("\r\n\r\n\r\n"), std::string("\0\0\0\n\n", 5), std::string("GET\r\n\r\n"),
        std::string("GET /metrics HTTP/9.9\r\n\r\n"), std::string("\x16\x03\x01\x02\x00\x01\x00", 7)}) {
    const UniqueFd fd = ConnectTo(server_->address());
    Say(fd, request);
    ::shutdown(fd.get(), SHUT_WR);
    EXPECT_TRUE(Hear(fd).closed);
  }
  EXPECT_THAT(Get(), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, HangsUpOnWhoAsksTooSlowlyHoweverBusyHeLooks) {
  Start({.exchange = std::chrono::milliseconds(600)});
  const UniqueFd fd = ConnectTo(server_->address());
  const std::string request =
      "GET /metrics HTTP/1.1\r\nHost: a caller whose name is " + std::string(200, 'w') + "\r\n\r\n";
  Heard heard;
  for (std::size_t i = 0; i + 1 < request.size() && !heard.closed; ++i) {
    Say(fd, request.substr(i, 1));
    heard = Hear(fd, std::chrono::milliseconds(100));
  }
  EXPECT_TRUE(heard.closed) << "before its last letter";
  EXPECT_EQ(asked_, 0);
}

TEST_F(HttpServerTest, ServesOthersAgainAfterAsManyIdleConnectionsAsThereMayBe) {
  Start({.connections = 4, .exchange = std::chrono::milliseconds(400)});
  const std::ptrdiff_t threads = Threads();
  std::vector<UniqueFd> idle;
  for (int i = 0; i < 12; ++i) idle.push_back(ConnectTo(server_->address()));
  const auto begin = SteadyClock::now();
  EXPECT_THAT(Get(), StartsWith("HTTP/1.1 200"));
  EXPECT_LT(SteadyClock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(Threads(), threads) << "all callers share one thread";
}

TEST_F(HttpServerTest, EndsWithCallersStillThere) {
  Start({.exchange = std::chrono::seconds(60)});
  const UniqueFd idle = ConnectTo(server_->address());
  const UniqueFd half = ConnectTo(server_->address());
  Say(half, "GET /met");
  const auto begin = SteadyClock::now();
  server_.reset();
  EXPECT_LT(SteadyClock::now() - begin, std::chrono::seconds(20));
  EXPECT_TRUE(Hear(idle).closed);
}

}  // namespace
}  // namespace rdmaready::metrics
