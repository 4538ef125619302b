// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "agent/helper/listener/verbs.h"
#include "agent/helper/reader/questions.h"
#include "api/model/rights.h"
#include "collectors/firewall/firewall.h"
#include "collectors/lldp/lldp_agents.h"
#include "collectors/lldp/lldpad_messages.h"
#include "collectors/nic/congestion.h"
#include "collectors/nic/devlink.h"
#include "collectors/nic/pci.h"
#include "collectors/rdma/mad.h"
#include "collectors/system/boot_files.h"
#include "collectors/system/dcb_keepers.h"
#include "collectors/system/storage.h"

namespace rdmaready::helper {
namespace {

constexpr const char* kAddress = "0000:3b:00.0";

// What the collectors ask, one of each kind that takes a right or is closed to the agent.
std::vector<Question> Privileged() {
  return {NftListRequest(NftList::kTables),
          NftListRequest(NftList::kChains),
          NftListRequest(NftList::kRules),
          NftElementsRequest(2, "filter", "storage ports"),
          FileQuestion{kIptablesNames},
          FileQuestion{kIp6tablesNames},
          DevlinkSwitchRequest(23, kAddress),
          FileQuestion{PciConfigPath(kAddress), 256},
          FileQuestion{PciConfigPath(kAddress), 4096},
          RdmaCmQuestion{"mlx5_0", 1},
          MadRequest{"mlx5_0", 1, 0xffff, PortInfoRequest(1)},
          MadRequest{"mlx5_0", 2, 7, PortCountersRequest(2)},
          MadRequest{"mlx5_0", 2, 7, PortCountersExtendedRequest(2)},
          DirectoryQuestion{Mlx5CongestionFolder(kAddress)},
          FileQuestion{Mlx5CongestionFolder(kAddress) + "/np_cnp_dscp"},
          LldpadQuestion{LldpadModeQuestion("eth0")},
          LldpadQuestion{LldpadTlvsQuestion("enp1s0f0np0", LldpadTlvs::kOwn)},
          LldpadQuestion{LldpadTlvsQuestion("enp1s0f0np0", LldpadTlvs::kNeighbour)},
          FileQuestion{kLldpadPidFile},
          LinesQuestion{kLldpadSettings, {kLldpadWords}},
          LinesQuestion{"/etc/ksmbd/ksmbd.conf", KsmbdWords()},
          LinesQuestion{"/usr/local/etc/ksmbd/ksmbd.conf", KsmbdWords()},
          LinesQuestion{MarkingFiles()[0].path, MarkingFiles()[0].words},
          DirectoryQuestion{"/etc/NetworkManager/system-connections"},
          LinesQuestion{"/etc/NetworkManager/system-connections/rail 1.nmconnection", DcbWords()},
          LinesQuestion{"/etc/systemd/system/roce@.service", WordsOf(BootWords::kTos)},
          LinesQuestion{"/etc/infiniband/post-start-hook.sh", WordsOf(BootWords::kTosHook)},
          LinesQuestion{"/etc/crontab", DcbWords()},
          ClockQuestion()};
}

TEST(ReaderVerbs, EachQuestionThatIsClosedToTheAgentHasOneThatBuildsIt) {
  std::set<std::string_view> used;
  for (const Question& question : Privileged()) {
    const std::optional<VerbCall> call = VerbFor(question);
    const std::string what = std::visit([](const auto& kind) { return kind.What(); }, question);
    ASSERT_TRUE(call) << what;
    used.insert(call->verb);
    const std::vector<Verb> verbs = ReaderVerbs();
    EXPECT_TRUE(DecodeQuestion(QuestionBody(call->verb, call->arguments), verbs).ok()) << what;
  }
  for (const ReaderQuestion& row : ReaderQuestions()) EXPECT_TRUE(used.contains(row.verb)) << row.verb;
}

TEST(ReaderVerbs, EachThatTakesARightHasItsRowInTheTableOfRights) {
  std::set<std::string_view> features;
  for (const ReaderQuestion& row : ReaderQuestions()) {
    if (row.feature == kNoRight) continue;
    features.insert(row.feature);
    EXPECT_TRUE(std::ranges::any_of(kRights, [&row](const Right& right) {
      return right.feature == row.feature && right.daemon == Daemon::kReader;
    })) << row.feature;
  }
  for (const Right& right : kRights) {
    if (right.daemon != Daemon::kReader) continue;
    EXPECT_TRUE(features.contains(right.feature)) << right.feature;
  }
}

TEST(ReaderVerbs, NothingElseIsAskedByThem) {
  std::vector<std::byte> set_link = PortInfoRequest(1);
  set_link[3] = std::byte{0x02};  // SubnSet
  NetlinkRequest new_table = NftListRequest(NftList::kTables);
  new_table.type = 0x0a00;  // NFT_MSG_NEWTABLE
  NetlinkRequest dump_switches = DevlinkSwitchRequest(23, kAddress);
  dump_switches.dump = true;
  for (const Question& question : std::vector<Question>{
           FileQuestion{"/etc/shadow"}, FileQuestion{"/sys/bus/pci/devices/../../../../etc/shadow/config", 256},
           FileQuestion{"/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/../../x"},
           FileQuestion{PciConfigPath(kAddress)}, DirectoryQuestion{"/root"},
           LinesQuestion{"/etc/shadow", {"root"}}, LinesQuestion{"/etc/ksmbd/ksmbd.conf", {"password"}},
           LinesQuestion{"/etc/crontab", {"a"}}, LinesQuestion{"/etc/modprobe.d/../shadow", DcbWords()},
           RdmaCmQuestion{"../../x", 1}, RdmaCmQuestion{"mlx5_0", 0}, LldpadQuestion{"M00000001C2"},
           MadRequest{"mlx5_0", 1, 0xffff, set_link}, new_table, dump_switches, MemlockQuestion()}) {
    EXPECT_FALSE(VerbFor(question)) << std::visit([](const auto& kind) { return kind.What(); }, question);
  }
}

TEST(ReaderVerbs, ArgumentsThatLeadElsewhereAreRefused) {
  const std::vector<Verb> verbs = ReaderVerbs();
  for (const auto& [verb, arguments] : std::vector<std::pair<std::string, Json>>{
           {"pci-configuration", {{"address", "../../x"}, {"octets", 256}}},
           {"pci-configuration", {{"address", kAddress}, {"octets", 1 << 30}}},
           {"rdma-cm-defaults", {{"device", "../rdma_cm"}, {"port", 1}}},
           {"rdma-cm-defaults", {{"device", "mlx5_0"}, {"port", 0}}},
           {"rdma-cm-defaults", {{"device", ""}, {"port", 1}}},
           {"boot-file", {{"folder", 0}, {"name", "../shadow"}, {"about", "dcb"}}},
           {"boot-file", {{"folder", 0}, {"name", ".."}, {"about", "dcb"}}},
           {"boot-file", {{"folder", 99}, {"name", "x"}, {"about", "dcb"}}},
           {"boot-file", {{"folder", 0}, {"name", "x"}, {"about", ""}}},
           {"boot-folder", {{"folder", -1}}},
           {"settings", {{"of", "shadow"}}},
           {"settings", {{"of", "ksmbd"}, {"words", {"password"}}}},
           {"congestion", {{"address", kAddress}, {"name", "../x"}}},
           {"lldpad", {{"netdev", "a b"}, {"about", "mode"}}},
           {"management-datagram", {{"device", "mlx5_0"}, {"port", 1}, {"lid", 1}, {"attribute", "set"}}},
           {"nft-elements", {{"family", 2}, {"table", ""}, {"set", "x"}}},
           {"nft-list", {{"list", "everything"}}}}) {
    EXPECT_EQ(DecodeQuestion(QuestionBody(verb, arguments), verbs).status().code(),
              absl::StatusCode::kInvalidArgument)
        << verb << Text(arguments);
  }
}

TEST(ReaderVerbs, AskThisHostAndSayWhatItAnswers) {
  const std::vector<Verb> verbs = ReaderVerbs();
  const absl::StatusOr<Work> work =
      DecodeQuestion(QuestionBody("pci-configuration", {{"address", "ffff:ff:1f.7"}, {"octets", 256}}), verbs);
  ASSERT_TRUE(work.ok()) << work.status();
  const absl::StatusOr<Json> answer = (*work)({}, [](std::string_view) {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(Text(*answer), testing::HasSubstr("not-found"));
}

TEST(ListenerVerbs, HearOnNetdevsThatAreNamedForABoundedTime) {
  const std::vector<Verb> verbs = ListenerVerbs();
  const auto decoded = [&verbs](std::string_view verb, const Json& arguments) {
    return DecodeQuestion(QuestionBody(verb, arguments), verbs).status().code();
  };
  EXPECT_EQ(decoded("lldp", {{"netdevs", {"eth0", "eth1"}}, {"longest_ms", 35'000}}), absl::StatusCode::kOk);
  EXPECT_EQ(decoded("dcb-writes", {{"longest_ms", 1000}}), absl::StatusCode::kOk);
  for (const Json& arguments :
       {Json{{"netdevs", Json::array()}, {"longest_ms", 1}},
        Json{{"netdevs", {"eth0"}}, {"longest_ms", 3'600'001}}, Json{{"netdevs", {"a/b"}}, {"longest_ms", 1}},
        Json{{"netdevs", {"sixteen-letters-"}}, {"longest_ms", 1}},
        Json{{"netdevs", std::vector<std::string>(1025, "eth0")}, {"longest_ms", 1}}, Json{{"longest_ms", 1}},
        Json{{"netdevs", {"eth0"}}, {"longest_ms", -1}}}) {
    EXPECT_EQ(decoded("lldp", arguments), absl::StatusCode::kInvalidArgument) << Text(arguments).substr(0, 80);
  }
  EXPECT_EQ(decoded("dcb-writes", {{"longest_ms", 4'000'000'000U}}), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rdmaready::helper
