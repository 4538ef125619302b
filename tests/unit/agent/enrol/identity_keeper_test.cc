// SPDX-License-Identifier: Apache-2.0
// An agent that ends while its certificate is being renewed.
#include "agent/enrol/identity_keeper.h"

#include <arpa/inet.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "agent/enrol/granted.h"
#include "api/pki/authority.h"
#include "api/pki/key.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"

namespace rdmaready::enrol {
namespace {

// Takes connections by its kernel, and never says a word.
class MuteHub {
 public:
  MuteHub() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    ::socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<::sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<::sockaddr*>(&address), &size), 0);
    port_ = ::ntohs(address.sin_port);
  }
  ~MuteHub() { ::close(listener_); }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  const int listener_;
  int port_ = 0;
};

TEST(IdentityKeeperTest, EndsWithinSecondsWhileTheHubDoesNotAnswer) {
  const std::string root = testing::TempDir() + "keeper " + std::to_string(::getpid());
  std::filesystem::create_directories(root);
  ASSERT_TRUE(pki::Authority::Create(root + "/ca", "test").ok());
  const auto ca = pki::Authority::Open(root + "/ca");
  const pki::PrivateKey key = *pki::MakeKey();
  const auto issued = ca->Issue({.kind = pki::Kind::kHost, .name = "node1"}, *key);
  ASSERT_TRUE(issued.ok()) << issued.status();
  std::ifstream lists(root + "/ca/crl.pem");
  v1::HostCertificate answer;
  answer.set_host_id(issued->entry.identity);
  answer.set_certificate_pem(issued->certificate_pem);
  answer.set_roots_pem(*ca->Bundle());
  answer.set_revocations_pem({std::istreambuf_iterator<char>(lists), {}});
  const IdentityFiles files(root + "/state");
  {
    const auto lock = files.Lock();
    ASSERT_TRUE(lock.ok()) << lock.status();
    ASSERT_TRUE(files.Switch(*files.Stage(*JudgeGranted(answer, *key, ""))).ok());
  }
  FakeClock clock;
  clock.SetWall(Clock::WallTime(std::chrono::seconds(files.Read()->not_after_unix_s - 1)));
  const MuteHub hub;
  std::atomic<int> calls = 0;
  auto keeper = IdentityKeeper::Start({.files = files,
                                       .channel =
                                           [&](const TlsFiles&) {
                                             ++calls;
                                             return grpc::CreateChannel(hub.address(),
                                                                        grpc::InsecureChannelCredentials());
                                           },
                                       .clock = &clock});
  ASSERT_TRUE(keeper.ok()) << keeper.status();
  ASSERT_TRUE(Eventually([&] { return calls > 0; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it waits for an answer
  (*keeper)->Stop();
  EXPECT_EQ(calls, 1);
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace rdmaready::enrol
