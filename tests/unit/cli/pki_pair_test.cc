// SPDX-License-Identifier: Apache-2.0
#include "cli/command/pki_pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/base/status.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PkiPairTest : public testing::Test {
 protected:
  PkiPairTest() {
    std::filesystem::remove_all(directory_);
    EXPECT_TRUE(pki::Authority::Create(Path("ca"), "site").ok());
  }
  ~PkiPairTest() override { std::filesystem::remove_all(directory_); }

  std::string Path(const std::string& name) const { return directory_ + "/" + name; }

  PairOrder Order(const std::string& first, const std::string& second) const {
    return {.hosts = {first, second}, .operator_name = "anna", .out = Path("a pair")};
  }

  absl::StatusOr<PairFiles> Issue(const PairOrder& order) const {
    const absl::StatusOr<pki::Authority> ca = pki::Authority::Open(Path("ca"));
    if (!ca.ok()) return ca.status();
    return IssuePair(*ca, order);
  }

  std::size_t Issued() const { return pki::Authority::Open(Path("ca"))->Entries()->size(); }

  std::string Text(const std::string& path) const {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  const std::string directory_ = testing::TempDir() + "pki pair " + std::to_string(::getpid());
};

TEST_F(PkiPairTest, PrintsCommandsThatAShellTakesAsTheyAre) {
  const absl::StatusOr<PairFiles> pair = Issue(Order("node1", "fd00::2"));
  ASSERT_TRUE(pair.ok()) << pair.status();
  const std::string out = "'" + Path("a pair");
  EXPECT_THAT(
      pair->commands,
      ElementsAre(
          "scp " + out + "/node1'/* root@node1:/etc/rdmaready/",
          HasSubstr("ssh root@node1 'cd /etc/rdmaready && chgrp rdmaready agent.key && chmod 640 agent.key"),
          "scp " + out + "/fd00::2'/* root@[fd00::2]:/etc/rdmaready/",
          HasSubstr("cat tls.yaml >> agent.yaml && systemctl restart rdmaready-agent'"),
          "rdmaready check node1 fd00::2 --level peer --tls-ca " + out + "/ca.pem' --tls-cert " + out +
              "/anna.pem' --tls-key " + out + "/anna.key'"));
  EXPECT_THAT(Text(Path("a pair/node1/tls.yaml")), HasSubstr("listen: 0.0.0.0:7471\n"));
  EXPECT_THAT(Text(Path("a pair/fd00::2/tls.yaml")), HasSubstr("listen: '[::]:7471'\n"));
}

TEST_F(PkiPairTest, LetsTheOperatorTestAndTheTwoHostsBeAgents) {
  const absl::StatusOr<PairFiles> pair = Issue(Order("node1", "node2"));
  ASSERT_TRUE(pair.ok()) << pair.status();
  ASSERT_EQ(pair->entries.size(), 3U);
  const std::string roles =
      "# The pair node1 and node2, by the identities in their certificates.\n"
      "test: [\"URI:rdmaready:operator/anna\"]\nagent: [\"URI:rdmaready:host/" +
      pair->entries[1].identity + "\", \"URI:rdmaready:host/" + pair->entries[2].identity + "\"]\n";
  EXPECT_EQ(Text(Path("a pair/node1/roles.yaml")), roles);
  EXPECT_EQ(Text(Path("a pair/node2/roles.yaml")), roles);
}

TEST_F(PkiPairTest, IssuesNothingWhereOneOfItsFilesIsThere) {
  for (const char* name : {"anna.key", "node1/roles.yaml", "node2/agent.pem", "node2/tls.yaml"}) {
    const std::string there = Path("a pair/") + name;
    std::filesystem::create_directories(std::filesystem::path(there).parent_path());
    std::ofstream(there) << "mine";
    const absl::Status status = Issue(Order("node1", "node2")).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists) << name;
    EXPECT_THAT(Message(status), HasSubstr(there + " is there already"));
    EXPECT_EQ(Text(there), "mine");
    std::filesystem::remove_all(Path("a pair"));
  }
  EXPECT_EQ(Issued(), 0U);
}

TEST_F(PkiPairTest, IssuesNothingForNamesThatNoCertificateHas) {
  for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
           {"node1", "NODE1"}, {"../x", "node2"}, {"node1", "a b"}, {"node1", ""}}) {
    EXPECT_EQ(Issue(Order(first, second)).status().code(), absl::StatusCode::kInvalidArgument)
        << first << second;
  }
  PairOrder order = Order("node1", "node2");
  order.operator_name = "x/y";
  EXPECT_EQ(Issue(order).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Issued(), 0U);
  EXPECT_FALSE(std::filesystem::exists(Path("a pair")));
}

}  // namespace
}  // namespace rdmaready
