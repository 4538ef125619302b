// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/helped_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>

#include "agent/helper/answers.h"
#include "agent/helper/listener/verbs.h"
#include "agent/helper/peer.h"
#include "agent/helper/reader/questions.h"
#include "agent/helper/server.h"
#include "collectors/firewall/firewall.h"
#include "collectors/nic/pci.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready::helper {
namespace {

using testing::HasSubstr;

absl::Status Refused() { return ErrnoStatus(EPERM, "list by nf_tables netlink command 1"); }

// A helper in this process that answers what a test says.
class HelpedHostTest : public testing::Test {
 protected:
  HelpedHostTest() { std::filesystem::create_directories(directory_); }
  ~HelpedHostTest() override {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(told_.get(), &one, sizeof(one)), 8);
    if (served_.valid()) served_.wait();
    server_.reset();
    std::filesystem::remove_all(directory_);
  }

  void Serve(const std::string& helper, std::vector<Verb> verbs) {
    absl::StatusOr<UniqueFd> listener = ListenOn(directory_ + "/" + helper + ".sock");
    ASSERT_TRUE(listener.ok()) << listener.status();
    server_ = std::make_unique<HelperServer>(*std::move(listener), std::move(verbs),
                                             ServeOptions{.program = helper, .asker = ::geteuid()});
    served_ = std::async(std::launch::async, [this] { return server_->Run(told_.get()); });
  }
  // Answers each question to `verb` with this.
  void ServeAnswer(const std::string& helper, std::string_view verb, absl::StatusOr<Json> answer) {
    Serve(helper, {{verb, [this, answer](Arguments& arguments) -> absl::StatusOr<Work> {
                      for (const char* name : {"list", "address", "octets", "netdevs", "longest_ms"})
                        arguments.Ignore(name);
                      ++asked_;
                      return Work([answer](const std::stop_token&, const Progress&) { return answer; });
                    }}});
  }

  const std::string directory_ = testing::TempDir() + "helped " + std::to_string(::getpid());
  std::shared_ptr<FakeHost> own_ = std::make_shared<FakeHost>();
  const std::shared_ptr<HostReader> host_ = HelpedHost(own_, directory_);
  const UniqueFd told_{::eventfd(0, EFD_CLOEXEC)};
  std::unique_ptr<HelperServer> server_;
  std::future<ServeEnd> served_;
  std::atomic<int> asked_ = 0;
};

const NetlinkRequest kTables = NftListRequest(NftList::kTables);

TEST_F(HelpedHostTest, WhatThisHostAnswersIsAskedOfNobodyElse) {
  own_->Answer(kTables, std::vector<NetlinkMessage>{{.type = 1, .payload = {}}});
  ServeAnswer("reader", "nft-list", absl::InternalError("asked"));
  EXPECT_TRUE(host_->Netlink(kTables).ok());
  EXPECT_EQ(asked_, 0);
}

TEST_F(HelpedHostTest, WhatIsNotPermittedIsAskedOfTheReader) {
  own_->Answer(kTables, Refused());
  const Question question = kTables;
  const Answer answer =
      AnswerOf<NetlinkRequest>(std::vector<NetlinkMessage>{{.type = 7, .payload = {std::byte{1}}}});
  ServeAnswer("reader", "nft-list", WriteAnswerFiles(std::span(&question, 1), std::span(&answer, 1)));
  const auto got = host_->Netlink(kTables);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(*got, (std::vector<NetlinkMessage>{{.type = 7, .payload = {std::byte{1}}}}));
}

TEST_F(HelpedHostTest, WithoutTheReaderItIsSaidWhoCould) {
  own_->Answer(kTables, Refused());
  EXPECT_EQ(host_->Netlink(kTables).status(),
            absl::PermissionDeniedError(
                "list by nf_tables netlink command 1: Operation not permitted; rdmaready-reader is not "
                "running (systemctl enable --now rdmaready-reader.socket)"));
}

TEST_F(HelpedHostTest, WhatNoHelperReadsStaysAsItIs) {
  own_->files["/etc/shadow"] = ErrnoStatus(EACCES, "open /etc/shadow");
  ServeAnswer("reader", "nft-list", absl::InternalError("asked"));
  EXPECT_EQ(host_->ReadFile("/etc/shadow").status(), ErrnoStatus(EACCES, "open /etc/shadow"));
  EXPECT_EQ(asked_, 0);
}

TEST_F(HelpedHostTest, TheReadersErrorIsTheAnswer) {
  own_->Answer(kTables, Refused());
  const Question question = kTables;
  const Answer answer = ErrnoStatus(ENOMEM, "list by nf_tables netlink command 1");
  ServeAnswer("reader", "nft-list", WriteAnswerFiles(std::span(&question, 1), std::span(&answer, 1)));
  EXPECT_EQ(host_->Netlink(kTables).status(), ErrnoStatus(ENOMEM, "list by nf_tables netlink command 1"));
}

TEST_F(HelpedHostTest, AnAnswerToSomethingElseIsNotBelieved) {
  own_->Answer(kTables, Refused());
  const Question question = NftListRequest(NftList::kRules);
  const Answer answer = AnswerOf<NetlinkRequest>(std::vector<NetlinkMessage>{});
  ServeAnswer("reader", "nft-list", WriteAnswerFiles(std::span(&question, 1), std::span(&answer, 1)));
  const absl::Status got = host_->Netlink(kTables).status();
  EXPECT_EQ(got.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(got.message()), HasSubstr("rdmaready-reader answers nonsense"));
}

TEST_F(HelpedHostTest, FewerOctetsThanWereAskedForAreRead) {
  const FileQuestion config{PciConfigPath("0000:3b:00.0"), 256};
  own_->files[config.path] = std::string(64, 'x');
  const Question question = config;
  const Answer answer = AnswerOf<FileQuestion>(std::string(256, 'y'));
  ServeAnswer("reader", "pci-configuration", WriteAnswerFiles(std::span(&question, 1), std::span(&answer, 1)));
  EXPECT_EQ(*host_->Ask(config), std::string(256, 'y'));
}

TEST_F(HelpedHostTest, FewerOctetsThanWereAskedForAreDeniedWithoutTheReader) {
  const FileQuestion config{PciConfigPath("0000:3b:00.0"), 256};
  own_->files[config.path] = std::string(64, 'x');
  const absl::Status got = host_->Ask(config).status();
  EXPECT_EQ(got.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(got.message()), HasSubstr("rdmaready-reader is not running"));
}

TEST_F(HelpedHostTest, LldpIsHeardByTheListenerOnAllNetdevsAtOnce) {
  std::vector<Question> questions{LldpQuestion{"eth0", {}}, LldpQuestion{"eth1", {}}};
  for (const char* netdev : {"eth0", "eth1"}) own_->lldp[netdev] = ErrnoStatus(EPERM, "listen");
  const std::vector<Answer> heard{AnswerOf<LldpQuestion>(LldpFrames{.listened_ms = 5}),
                                  AnswerOf<LldpQuestion>(ErrnoStatus(ENODEV, "listen for LLDP on eth1"))};
  ServeAnswer("listener", kHearLldp, WriteAnswerFiles(questions, heard));
  const std::vector<Answer> got = host_->AskTogether(questions);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(AnswerTo<LldpQuestion>(got[0])->listened_ms, 5U);
  EXPECT_EQ(got[1].status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(asked_, 1);
}

TEST_F(HelpedHostTest, WithoutTheListenerItIsSaidWhoCouldHear) {
  own_->lldp["eth0"] = ErrnoStatus(EPERM, "listen for LLDP on eth0");
  const std::vector<Question> questions{LldpQuestion{"eth0", {}}};
  const std::vector<Answer> got = host_->AskTogether(questions);
  EXPECT_EQ(got.front().status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(got.front().status().message()),
              HasSubstr("listen for LLDP on eth0: Operation not permitted; rdmaready-listener is not running"));
}

}  // namespace
}  // namespace rdmaready::helper
