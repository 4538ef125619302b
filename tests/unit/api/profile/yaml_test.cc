// SPDX-License-Identifier: Apache-2.0
// Profiles as text: what is read, and what strangers may write.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "api/base/status.h"
#include "api/profile/load.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string ErrorOf(std::string_view yaml) {
  const absl::StatusOr<Profile> profile = ParseProfile(yaml, "p.yaml");
  if (profile.ok()) return "no error";
  EXPECT_EQ(profile.status().code(), absl::StatusCode::kInvalidArgument);
  return Message(profile.status());
}

TEST(Yaml, IsReadInItsNaturalForms) {
  const absl::StatusOr<Profile> profile = ParseProfile(
      "---\n"
      "name: \"quoted\"\n"
      "summary: two words   # a comment\n"
      "transport: 'roce-v2'\n"
      "rdma_priority: 3\n"
      "pfc:\n"
      "  - 3\n"
      "  - 4\n"
      "ets: {rdma_percent: 40, at_least: true, classes: [{priorities: [3, 4], percent: 40}, {priorities: [0, "
      "1, 2, 5, 7],\n"
      "      percent: 60}, {priorities: [6], strict: true}]}\n"
      "ecn: {max_bytes: 1500000}\n"
      "share_priority: true\n"
      "roles: [smb-server, nvme-host]\n"
      "firmware:\n"
      "  - {driver: mlx5_core, min: 16.35.4030}\n"
      "  - {driver: ice, min: '4.20'}\n"
      "gpu_direct: true\n"
      "multi_tenant: true\n"
      "direct_link: true\n"
      "pkeys: [32767, 1]\n"
      "rdma_max_rate_mbps: 40000\n"
      "cable_metres: 300\n"
      "min_throughput_mbps: 20000\n"
      "min_worst_mbps: 10000\n"
      "max_tcp_percent: 80\n"
      "max_outage_ms: 1500\n"
      "max_latency_us: 30\n"
      "lldp_tlvs: [pfc, max-frame-size]\n"
      "advice: [ets, roce-mtu-bytes]\n"
      "dcb_set_by: elsewhere\n"
      "marking: consumers\n",
      "p.yaml");
  ASSERT_TRUE(profile.ok()) << Message(profile.status());
  EXPECT_EQ(profile->name, "quoted");
  EXPECT_EQ(profile->summary, "two words");
  EXPECT_EQ(profile->transport, Profile::Transport::kRoceV2);
  EXPECT_EQ(profile->pfc, (std::vector<std::uint8_t>{3, 4}));
  EXPECT_EQ(profile->ets_rdma_percent, 40);
  EXPECT_EQ(profile->ets_tolerance_percent, 5);
  ASSERT_EQ(profile->ets_classes.size(), 3U);
  EXPECT_EQ(profile->ets_classes[0], (Profile::EtsClass{.priorities = {3, 4}, .percent = 40}));
  EXPECT_EQ(profile->ets_classes[2], (Profile::EtsClass{.priorities = {6}}));
  EXPECT_EQ(profile->ecn, Profile::Ecn{.max_bytes = 1'500'000});
  EXPECT_EQ(profile->roles, (std::vector<Profile::Role>{Profile::Role::kSmbServer, Profile::Role::kNvmeHost}));
  EXPECT_TRUE(profile->ets_at_least);
  EXPECT_EQ(profile->firmware,
            (std::vector<Profile::FirmwareFloor>{{.driver = "mlx5_core", .min = "16.35.4030"},
                                                 {.driver = "ice", .min = "4.20"}}));
  EXPECT_TRUE(profile->gpu_direct);
  EXPECT_TRUE(profile->multi_tenant);
  EXPECT_TRUE(profile->direct_link);
  EXPECT_EQ(profile->rdma_max_rate_mbps, 40'000);
  EXPECT_EQ(profile->cable_metres, 300);
  EXPECT_EQ(profile->min_throughput_mbps, 20'000);
  EXPECT_EQ(profile->min_worst_mbps, 10'000);
  EXPECT_EQ(profile->max_tcp_percent, 80);
  EXPECT_EQ(profile->max_outage_ms, 1'500);
  EXPECT_EQ(profile->max_latency_us, 30);
  EXPECT_EQ(profile->pkeys, (std::vector<std::uint16_t>{32767, 1}));
  EXPECT_EQ(profile->lldp_tlvs,
            (std::vector<Profile::LldpTlv>{Profile::LldpTlv::kPfc, Profile::LldpTlv::kMaxFrameSize}));
  EXPECT_EQ(profile->advice, (std::vector<Profile::Key>{Profile::Key::kEts, Profile::Key::kRoceMtuBytes}));
  EXPECT_EQ(profile->dcb_set_by, Profile::DcbSetBy::kElsewhere);
  EXPECT_EQ(profile->marking, Profile::Marking::kConsumers);
}

struct BadText {
  std::string_view yaml;
  std::string_view error;
};

TEST(Yaml, IsRefusedWithFileLineAndKey) {
  const std::vector<BadText> cases{
      {"name: x\nrdma_prioritie: 3\n",
       "p.yaml:2: unknown key `rdma_prioritie` (did you mean `rdma_priority`?)"},
      {"name: x\npriority: 3\n", "p.yaml:2: unknown key `priority` (did you mean `rdma_priority`?)"},
      {"name: x\nzebra: 3\n", "p.yaml:2: unknown key `zebra`"},
      {"name: x\nets:\n  rdma_percentage: 3\n",
       "p.yaml:3: unknown key `rdma_percentage` in `ets` (did you mean `rdma_percent`?)"},
      {"name: x\ndigest: abc\n", "p.yaml:2: unknown key `digest`"},
      {"name: x\ndscp: 1\ntos: 4\ndscp: 2\n", "p.yaml:4: key `dscp` is there twice, first in line 2"},
      {"name: x\ndscp: high\n", "p.yaml:2: key `dscp` wants a plain decimal number, not `high`"},
      {"name: x\ndscp: \"26\"\n", "p.yaml:2: key `dscp` wants a plain decimal number, not `26`"},
      {"name: x\ndscp: -1\n", "p.yaml:2: key `dscp` wants a plain decimal number, not `-1`"},
      {"name: x\ndscp: 010\n", "p.yaml:2: key `dscp` wants a plain decimal number, not `010`"},
      {"name: x\ndscp: 0x1a\n", "p.yaml:2: key `dscp` wants a plain decimal number, not `0x1a`"},
      {"name: x\ndscp: 2.6\n", "p.yaml:2: key `dscp` wants a plain decimal number, not `2.6`"},
      {"name: x\ndscp: 99999999999999999999999\n", "p.yaml:2: key `dscp` wants a plain decimal number"},
      {"name: x\nmtu_bytes: 4294967296\n", "p.yaml:2: key `mtu_bytes`: 4294967296 is out of range"},
      {"name: x\ndscp: [26]\n", "p.yaml:2: key `dscp` wants a plain decimal number"},
      {"name: x\ndscp:\nrdma_priority: 3\n", "p.yaml:2: key `dscp` has no value"},
      {"name: x\ndscp: ~\n", "p.yaml:2: key `dscp` has no value"},
      {"name: x\n\n\nrdma_priority: 3\ndscp: 64\n", "p.yaml:5: key `dscp`: 64 is not in 0..63"},
      {"name: x\ntrust: DSCP\n", "p.yaml:2: key `trust` wants one of any, dscp, pcp, not `DSCP`"},
      {"name: x\ntrust: [dscp]\n", "p.yaml:2: key `trust` wants one of any, dscp, pcp"},
      {"name: x\npfc: 3\n", "p.yaml:2: key `pfc` wants a list of numbers, like [3]"},
      {"name: x\npfc:\n  priorities: [3]\n", "p.yaml:3: key `pfc` wants a list of numbers, like [3]"},
      {"name: x\nroles: smb-server\n", "p.yaml:2: key `roles` wants a list of words, like [smb-server]"},
      {"name: x\nroles: [smb-sever]\n",
       "p.yaml:2: key `roles` wants one of smb-server, smb-client, nvme-target, nvme-host, iser-target, "
       "iser-initiator, "
       "nfs-server, nfs-client, not `smb-sever`"},
      {"name: x\nfirmware:\n  - {driver: ice}\n", "p.yaml:3: key `firmware[0].min`: a version begins"},
      {"name: x\npkeys: [0]\n", "p.yaml:2: key `pkeys`: 0 is not in 1..32767"},
      {"name: x\nlldp_tlvs: [dcbx]\n", "p.yaml:2: key `lldp_tlvs` wants one of port-vlan, "},
      {"name: x\nroles: [unknown]\n",
       "p.yaml:2: key `roles` wants one of smb-server, smb-client, nvme-target, "},
      {"name: x\npfc: [three]\n", "p.yaml:2: key `pfc` wants a list of numbers, like [3]"},
      {"name: x\npfc: [[3]]\n", "p.yaml:2: key `pfc` wants a list of numbers, like [3]"},
      {"name: x\nrdma_priority: 3\npfc: [3, 3]\n", "p.yaml:3: key `pfc`: priority 3 is there twice"},
      {"name: x\nrdma_priority: 3\npfc: [4]\n", "p.yaml:3: key `pfc`: rdma_priority 3 is not among them"},
      {"name: x\nrdma_priority: 3\ndscp: 26\ntos: 96\n",
       "p.yaml:4: key `tos`: 96 carries DSCP 24, and dscp is 26"},
      {"name: x\nets: 50\n", "p.yaml:2: key `ets` wants a mapping of its own keys"},
      {"name: x\nrdma_priority: 3\nets:\n  rdma_percent: 101\n",
       "p.yaml:4: key `ets.rdma_percent`: 101 is not in 0..100"},
      {"name: [x]\n", "p.yaml:1: key `name` wants text"},
      {"summary: x\n", "p.yaml:1: key `name`: a profile needs a name"},
      {"", "p.yaml:1: the file is empty"},
      {"# only a comment\n", "p.yaml:1: the file is empty"},
      {"- a\n- b\n", "p.yaml:1: not a mapping of keys to values"},
      {"just text\n", "p.yaml:1: not a mapping of keys to values"},
      {"name: x\n---\nname: y\n", "p.yaml:2: a second document: one file holds one profile"},
      {"name: &a x\nsummary: *a\n", "p.yaml:1: anchors (&name) are not used here"},
      {"name: *a\n", "p.yaml:1: "},
      {"name: !!str x\n", "p.yaml:1: tags (!type) are not used here"},
      {"? [a, b]\n: c\n", "p.yaml:1: a key must be plain text"},
      {"name: x\n  dscp: : 3\n", "p.yaml:2: not YAML: "},
      {"name: 'x\n", "p.yaml:"},
      {"name: x\nets: {rdma_percent: 3\n", "p.yaml:"},
      {"name: x\n\x01: 3\n", "p.yaml:2: a control character: not a text file"},
      {"\x7f"
       "ELF\x02",
       "p.yaml:1: a control character: not a text file"},
      {"name: \xff\xfe\n", "p.yaml:1: not UTF-8 text"},
      {"name: \xc3", "p.yaml:1: not UTF-8 text"},
  };
  for (const BadText& bad : cases) {
    SCOPED_TRACE(bad.yaml);
    EXPECT_THAT(ErrorOf(bad.yaml), StartsWith(std::string(bad.error)));
  }
  EXPECT_THAT(ErrorOf(std::string("name: x\0y\n", 10)), StartsWith("p.yaml:1: a control character"));
}

TEST(Yaml, StopsAnAliasBombBeforeItGrows) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'z'; ++c) {
    const char before = static_cast<char>(c - 1);
    bomb += fmt::format("{0}: &{0} [*{1},*{1},*{1},*{1}]\n", c, before);
  }
  EXPECT_THAT(ErrorOf(bomb), HasSubstr("anchors (&name) are not used here"));
}

std::string Repeat(std::string_view part, std::size_t bytes) {
  std::string text;
  while (text.size() + part.size() <= bytes) text += part;
  return text;
}

// Each of these is as large as is let in; none may take long or break the stack.
TEST(Yaml, IsBoundedInTimeWhateverIsWritten) {
  for (const std::string_view part :
       {"[",    "{",   "- ",     "? ", "a: ",         "- - ",        "[[]", "{a: {", "\"", "'",      "|\n ",
        "#\n",  "a\n", "a: b\n", ",",  "[a,",         "&a ",         "*a ", "!a ",   "!!", "--- \n", "...\n",
        "%A\n", "\n",  " ",      "\t", "a: [b, c]\n", "x: |\n  y\n", "\\",  "0",     "-",  ":",      "?"}) {
    SCOPED_TRACE(part);
    const auto started = std::chrono::steady_clock::now();
    EXPECT_NE(ErrorOf(Repeat(part, kMaxYamlBytes)), "no error");
    ErrorOf("name: x\nsummary: " + Repeat(part, kMaxYamlBytes - 64));
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5));
  }
  EXPECT_THAT(ErrorOf(std::string(kMaxYamlBytes + 1, 'a')), HasSubstr("larger than 256 KiB"));
  EXPECT_THAT(ErrorOf("name: x\nets: " + std::string(20, '[') + std::string(20, ']')),
              HasSubstr("nested too deeply"));
}

TEST(Yaml, SurvivesDamagedProfiles) {
  std::mt19937 random(11);
  const std::string good(BuiltInProfileText("virtual-fabric"));
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (int change = 0; change < 4; ++change) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text[at] = static_cast<char>(random() % 256);
      } else {
        text.erase(at, random() % 20);
      }
      if (text.empty()) break;
    }
    const absl::StatusOr<Profile> profile = ParseProfile(text, "p.yaml");
    if (profile.ok()) continue;
    EXPECT_THAT(Message(profile.status()), StartsWith("p.yaml:"));
  }
}

TEST(ClosestWord, GuessesWhatWasMeant) {
  const std::vector<std::string> words{"transport", "rdma_priority", "dscp", "tos"};
  EXPECT_EQ(ClosestWord("trasnport", words), "transport");
  EXPECT_EQ(ClosestWord("dcsp", words), "dscp");
  EXPECT_EQ(ClosestWord("priority", words), "rdma_priority");
  EXPECT_EQ(ClosestWord("xy", words), "");
  const std::vector<std::string> keys{"tos", "pfc", "ets", "ecn", "vlan", "roles"};
  EXPECT_EQ(ClosestWord("tso", keys), "tos");  // two letters swapped are one mistake
  EXPECT_EQ(ClosestWord("vlna", keys), "vlan");
  EXPECT_EQ(ClosestWord("pfcs", keys), "pfc");
  EXPECT_EQ(ClosestWord("foo", keys), "");    // tos: two of three letters are others
  EXPECT_EQ(ClosestWord("tools", keys), "");  // tos and two letters
  EXPECT_EQ(ClosestWord("plan", keys), "vlan");
  EXPECT_EQ(ClosestWord("role", keys), "roles");
  EXPECT_EQ(ClosestWord("rolse", keys), "roles");
  EXPECT_EQ(ClosestWord("", words), "");
  EXPECT_EQ(ClosestWord(std::string(100'000, 'x'), words), "");
}

}  // namespace
}  // namespace rdmaready
