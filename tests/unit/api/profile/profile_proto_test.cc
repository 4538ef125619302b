// SPDX-License-Identifier: Apache-2.0
#include "api/profile/profile_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "api/profile/load.h"
#include "api/profile/profile_problems.h"

namespace rdmaready {
namespace {

using testing::Contains;
using testing::ElementsAre;

// Every field set to something that is not its default.
Profile Full() {
  Profile profile;
  profile.name = "full";
  profile.summary = "all of it";
  profile.digest = "abc";
  profile.transport = Profile::Transport::kIwarp;
  profile.rdma_priority = 5;
  profile.trust = Profile::Trust::kDscp;
  profile.dscp = 40;
  profile.tos = 162;
  profile.pfc = std::vector<std::uint8_t>{5, 3};
  profile.ets_rdma_percent = 60;
  profile.ets_tolerance_percent = 7;
  profile.ets_classes = {{.priorities = {0, 1, 2}, .percent = 29},
                         {.priorities = {3}, .percent = 10},
                         {.priorities = {5}, .percent = 60},
                         {.priorities = {6, 4}},
                         {.priorities = {7}, .percent = 1}};
  profile.ecn = Profile::Ecn{.min_bytes = 150'000, .max_bytes = 1'500'000, .probability_percent = 100};
  profile.share_priority = true;
  profile.dcbx = Profile::Dcbx::kStatic;
  profile.mtu_bytes = 4200;
  profile.roce_mtu_bytes = 2048;
  profile.min_speed_mbps = 100'000;
  profile.min_memlock_bytes = ~0ULL;
  profile.heartbeat = Profile::Heartbeat{.priority = 7, .percent = 1, .percent_up_to_10g = 2};
  profile.cnp = Profile::Cnp{.dscp = 48, .priority = 6};
  profile.vlan = Profile::Vlan::kTagged;
  profile.vlan_ids = std::vector<std::uint16_t>{711, 712};
  profile.min_ports = 2;
  profile.roles = std::vector<Profile::Role>{};
  for (int role = 1; role <= static_cast<int>(Profile::Role::kNfsClient); ++role)
    profile.roles->push_back(static_cast<Profile::Role>(role));
  profile.ets_at_least = true;
  profile.firmware = {{.driver = "mlx5_core", .min = "16.35.4030"}, {.driver = "ice", .min = "4.20"}};
  profile.gpu_direct = true;
  profile.multi_tenant = true;
  profile.direct_link = true;
  profile.rdma_max_rate_mbps = 40'000;
  profile.cable_metres = 300;
  profile.min_throughput_mbps = 20'000;
  profile.min_worst_mbps = 10'000;
  profile.max_tcp_percent = 80;
  profile.max_outage_ms = 1'500;
  profile.max_latency_us = 30;
  profile.pkeys = std::vector<std::uint16_t>{0x7fff, 1};
  profile.lldp_tlvs = std::vector<Profile::LldpTlv>{};
  for (int tlv = 1; tlv <= static_cast<int>(Profile::LldpTlv::kMaxFrameSize); ++tlv)
    profile.lldp_tlvs->push_back(static_cast<Profile::LldpTlv>(tlv));
  profile.advice = std::vector<Profile::Key>{};
  for (int key = 1; key <= static_cast<int>(Profile::Key::kMinPorts); ++key)
    profile.advice->push_back(static_cast<Profile::Key>(key));
  profile.dcb_set_by = Profile::DcbSetBy::kElsewhere;
  profile.marking = Profile::Marking::kConsumers;
  return profile;
}

TEST(ProfileProto, ComesBackAsItWent) {
  for (const auto transport : {Profile::Transport::kAny, Profile::Transport::kRoceV2,
                               Profile::Transport::kIwarp, Profile::Transport::kInfiniBand}) {
    Profile profile = Full();
    profile.transport = transport;
    const absl::StatusOr<Profile> back = FromProto(ToProto(profile));
    ASSERT_TRUE(back.ok()) << Message(back.status());
    EXPECT_EQ(*back, profile);
  }
  const Profile silent{.name = "silent"};
  EXPECT_EQ(*FromProto(ToProto(silent)), silent);
  for (const std::string& name : BuiltInProfileNames()) {
    EXPECT_EQ(*FromProto(ToProto(*LoadProfile(name))), *LoadProfile(name));
  }
}

TEST(ProfileProto, TellsAnEmptyLosslessListFromNone) {
  const Profile profile{.name = "x", .pfc = std::vector<std::uint8_t>{}};
  const absl::StatusOr<Profile> back = FromProto(ToProto(profile));
  ASSERT_TRUE(back->pfc.has_value());
  EXPECT_TRUE(back->pfc->empty());
}

std::vector<std::string> FieldsOf(const std::vector<ProfileProblem>& problems) {
  std::vector<std::string> fields;
  for (const ProfileProblem& problem : problems) fields.push_back(problem.field);
  return fields;
}

struct BadCase {
  std::string_view name;
  std::string_view field;
  void (*change)(v1::Profile&);
};

TEST(ProfileProto, RefusesWhatIsOutOfRangeAndNamesTheField) {
  const std::vector<BadCase> cases{
      {"no name", "name", [](v1::Profile& p) { p.clear_name(); }},
      {"name with a space", "name", [](v1::Profile& p) { p.set_name("a b"); }},
      {"long name", "name", [](v1::Profile& p) { p.set_name(std::string(65, 'a')); }},
      {"summary of two lines", "summary", [](v1::Profile& p) { p.set_summary("a\nb"); }},
      {"transport of the future", "transport",
       [](v1::Profile& p) { p.set_transport(static_cast<v1::Profile::Transport>(99)); }},
      {"trust of the future", "trust",
       [](v1::Profile& p) { p.set_trust(static_cast<v1::Profile::Trust>(99)); }},
      {"dcbx of the future", "dcbx", [](v1::Profile& p) { p.set_dcbx(static_cast<v1::Profile::Dcbx>(-1)); }},
      {"priority 8", "rdma_priority", [](v1::Profile& p) { p.set_rdma_priority(8); }},
      {"dscp 64", "dscp", [](v1::Profile& p) { p.set_dscp(64); }},
      {"tos 256", "tos", [](v1::Profile& p) { p.set_tos(256); }},
      {"tos of another dscp", "tos", [](v1::Profile& p) { p.set_tos(106); }},
      {"pfc 8", "pfc", [](v1::Profile& p) { p.mutable_pfc()->add_priorities(8); }},
      {"pfc 4 billion", "pfc", [](v1::Profile& p) { p.mutable_pfc()->add_priorities(4'000'000'000U); }},
      {"pfc twice", "pfc", [](v1::Profile& p) { p.mutable_pfc()->add_priorities(3); }},
      {"pfc without the RDMA priority", "pfc", [](v1::Profile& p) { p.set_rdma_priority(1); }},
      {"share 101", "ets.rdma_percent", [](v1::Profile& p) { p.mutable_ets()->set_rdma_percent(101); }},
      {"tolerance 101", "ets.tolerance_percent",
       [](v1::Profile& p) { p.mutable_ets()->set_tolerance_percent(101); }},
      {"tiny mtu", "mtu_bytes", [](v1::Profile& p) { p.set_mtu_bytes(68); }},
      {"huge mtu", "mtu_bytes", [](v1::Profile& p) { p.set_mtu_bytes(65536); }},
      {"odd RoCE mtu", "roce_mtu_bytes", [](v1::Profile& p) { p.set_roce_mtu_bytes(1500); }},
      {"RoCE mtu that does not fit", "roce_mtu_bytes",
       [](v1::Profile& p) {
         p.set_mtu_bytes(1500);
         p.set_roce_mtu_bytes(4096);
       }},
      {"speed 0", "min_speed_mbps", [](v1::Profile& p) { p.set_min_speed_mbps(0); }},
      {"dscp without priority", "dscp",
       [](v1::Profile& p) {
         p.clear_rdma_priority();
         p.clear_pfc();
       }},
      {"trust dscp without dscp", "trust", [](v1::Profile& p) { p.clear_dscp(); }},
      {"share without priority", "ets",
       [](v1::Profile& p) {
         p.clear_rdma_priority();
         p.clear_pfc();
         p.clear_dscp();
         p.set_trust(v1::Profile::TRUST_ANY);
       }},
      {"share for priority 0", "ets",
       [](v1::Profile& p) {
         p.set_rdma_priority(0);
         p.mutable_pfc()->add_priorities(0);
       }},
      {"role of the future", "roles",
       [](v1::Profile& p) { p.mutable_roles()->add_roles(static_cast<v1::Profile::Role>(99)); }},
      {"no role", "roles", [](v1::Profile& p) { p.mutable_roles()->clear_roles(); }},
      {"a role twice", "roles",
       [](v1::Profile& p) {
         p.mutable_roles()->add_roles(v1::Profile::ROLE_SMB_SERVER);
         p.mutable_roles()->add_roles(v1::Profile::ROLE_SMB_SERVER);
       }},
      {"vlan of the future", "vlan", [](v1::Profile& p) { p.set_vlan(static_cast<v1::Profile::Vlan>(9)); }},
      {"heartbeat 8", "heartbeat.priority", [](v1::Profile& p) { p.mutable_heartbeat()->set_priority(8); }},
      {"heartbeat in RDMA's", "heartbeat.priority",
       [](v1::Profile& p) { p.mutable_heartbeat()->set_priority(5); }},
      {"heartbeat that is paused", "heartbeat.priority",
       [](v1::Profile& p) { p.mutable_heartbeat()->set_priority(3); }},
      {"heartbeat 0 %", "heartbeat.percent", [](v1::Profile& p) { p.mutable_heartbeat()->set_percent(0); }},
      {"heartbeat 100 % up to 10G", "heartbeat.percent_up_to_10g",
       [](v1::Profile& p) { p.mutable_heartbeat()->set_percent_up_to_10g(100); }},
      {"heartbeat that leaves nothing", "heartbeat.percent",
       [](v1::Profile& p) { p.mutable_heartbeat()->set_percent(40); }},
      {"heartbeat share without ets", "heartbeat.percent", [](v1::Profile& p) { p.clear_ets(); }},
      {"heartbeat up to 10G alone", "heartbeat.percent_up_to_10g",
       [](v1::Profile& p) { p.mutable_heartbeat()->clear_percent(); }},
      {"cnp dscp 64", "cnp.dscp", [](v1::Profile& p) { p.mutable_cnp()->set_dscp(64); }},
      {"cnp in RDMA's DSCP", "cnp.dscp", [](v1::Profile& p) { p.mutable_cnp()->set_dscp(40); }},
      {"cnp 8", "cnp.priority", [](v1::Profile& p) { p.mutable_cnp()->set_priority(8); }},
      {"cnp that is paused", "cnp.priority", [](v1::Profile& p) { p.mutable_cnp()->set_priority(3); }},
      {"VLAN 0", "vlan_ids", [](v1::Profile& p) { p.mutable_vlan_ids()->add_ids(0); }},
      {"VLAN 4095", "vlan_ids", [](v1::Profile& p) { p.mutable_vlan_ids()->add_ids(4095); }},
      {"VLAN twice", "vlan_ids", [](v1::Profile& p) { p.mutable_vlan_ids()->add_ids(711); }},
      {"no VLAN at all", "vlan_ids", [](v1::Profile& p) { p.mutable_vlan_ids()->clear_ids(); }},
      {"VLAN ids without tags", "vlan_ids", [](v1::Profile& p) { p.set_vlan(v1::Profile::VLAN_ANY); }},
      {"shares of 101", "ets.classes",
       [](v1::Profile& p) { p.mutable_ets()->mutable_classes(0)->set_percent(30); }},
      {"class that RDMA's share is not", "ets.rdma_percent",
       [](v1::Profile& p) { p.mutable_ets()->set_rdma_percent(50); }},
      {"strict class for RDMA", "ets.classes[2].strict",
       [](v1::Profile& p) {
         p.mutable_ets()->mutable_classes(2)->set_strict(true);
         p.mutable_ets()->mutable_classes(2)->clear_percent();
       }},
      {"strict class with a share", "ets.classes[3].percent",
       [](v1::Profile& p) { p.mutable_ets()->mutable_classes(3)->set_percent(1); }},
      {"class of neither kind", "ets.classes[3]",
       [](v1::Profile& p) { p.mutable_ets()->mutable_classes(3)->set_strict(false); }},
      {"class with 0 %", "ets.classes[4].percent",
       [](v1::Profile& p) { p.mutable_ets()->mutable_classes(4)->set_percent(0); }},
      {"class without priorities", "ets.classes[0]",
       [](v1::Profile& p) { p.mutable_ets()->mutable_classes(0)->clear_priorities(); }},
      {"priority 8 in a class", "ets.classes[0].priorities",
       [](v1::Profile& p) { p.mutable_ets()->mutable_classes(0)->add_priorities(8); }},
      {"priority in two classes", "ets.classes[3].priorities",
       [](v1::Profile& p) { p.mutable_ets()->mutable_classes(0)->add_priorities(6); }},
      {"lossless priority in no class", "pfc",
       [](v1::Profile& p) { p.mutable_ets()->mutable_classes(1)->set_priorities(0, 2); }},
      {"priority in no class", "ets.classes",
       [](v1::Profile& p) { p.mutable_ets()->mutable_classes(3)->mutable_priorities()->RemoveLast(); }},
      {"nine classes", "ets.classes",
       [](v1::Profile& p) {
         while (p.ets().classes_size() < 9) p.mutable_ets()->add_classes();
       }},
      {"RDMA's class with others in it", "ets.classes[2].priorities",
       [](v1::Profile& p) {
         p.mutable_ets()->mutable_classes(0)->mutable_priorities()->RemoveLast();
         p.mutable_ets()->mutable_classes(2)->add_priorities(2);
       }},
      {"lossless class with others in it", "ets.classes[1].priorities",
       [](v1::Profile& p) {
         p.mutable_ets()->mutable_classes(0)->mutable_priorities()->RemoveLast();
         p.mutable_ets()->mutable_classes(1)->add_priorities(2);
       }},
      {"heartbeat in everybody's class", "ets.classes[0].priorities",
       [](v1::Profile& p) { p.mutable_heartbeat()->set_priority(1); }},
      {"heartbeat of priority 0", "heartbeat.priority",
       [](v1::Profile& p) { p.mutable_heartbeat()->set_priority(0); }},
      {"heartbeat with another share than its class", "heartbeat.percent",
       [](v1::Profile& p) { p.mutable_heartbeat()->set_percent(2); }},
      {"heartbeat with a share in a strict class", "heartbeat.percent",
       [](v1::Profile& p) { p.mutable_heartbeat()->set_priority(6); }},
      {"cnp in the DSCP of the ToS", "cnp.dscp",
       [](v1::Profile& p) {
         p.clear_dscp();
         p.mutable_cnp()->set_dscp(40);
       }},
      {"ports of another transport", "ports[0].transport",
       [](v1::Profile& p) { p.add_ports()->set_transport(v1::Profile::TRANSPORT_ROCE_V2); }},
      {"ports of another VLAN", "ports[0].vlan", [](v1::Profile& p) { p.add_ports()->set_vlan(713); }},
      {"marking from 0 bytes", "ecn.min_bytes", [](v1::Profile& p) { p.mutable_ecn()->set_min_bytes(0); }},
      {"marking that ends before it begins", "ecn.min_bytes",
       [](v1::Profile& p) { p.mutable_ecn()->set_max_bytes(149'999); }},
      {"marking with 101 %", "ecn.probability_percent",
       [](v1::Profile& p) { p.mutable_ecn()->set_probability_percent(101); }},
      {"protocols that share a lossless priority", "roles", [](v1::Profile& p) { p.clear_share_priority(); }},
      {"firmware of no driver", "firmware[0].driver",
       [](v1::Profile& p) { p.mutable_firmware(0)->clear_driver(); }},
      {"firmware of a driver with a blank", "firmware[1].driver",
       [](v1::Profile& p) { p.mutable_firmware(1)->set_driver("i ce"); }},
      {"firmware of any version", "firmware[0].min",
       [](v1::Profile& p) { p.mutable_firmware(0)->clear_min(); }},
      {"firmware of a version without number", "firmware[1].min",
       [](v1::Profile& p) { p.mutable_firmware(1)->set_min("new"); }},
      {"two floors of one driver", "firmware[1].driver",
       [](v1::Profile& p) { p.mutable_firmware(1)->set_driver("mlx5_core"); }},
      {"partition 0", "pkeys", [](v1::Profile& p) { p.mutable_pkeys()->add_partitions(0); }},
      {"partition with its bit of membership", "pkeys",
       [](v1::Profile& p) { p.mutable_pkeys()->add_partitions(0xffff); }},
      {"partition twice", "pkeys", [](v1::Profile& p) { p.mutable_pkeys()->add_partitions(1); }},
      {"no partition", "pkeys", [](v1::Profile& p) { p.mutable_pkeys()->clear_partitions(); }},
      {"TLV of a newer version", "lldp_tlvs",
       [](v1::Profile& p) { p.mutable_lldp_tlvs()->add_tlvs(static_cast<v1::Profile::Tlv>(99)); }},
      {"a limit of nothing", "rdma_max_rate_mbps", [](v1::Profile& p) { p.set_rdma_max_rate_mbps(0); }},
      {"a cable around the world", "cable_metres", [](v1::Profile& p) { p.set_cable_metres(40'000'000); }},
      {"no throughput", "min_throughput_mbps", [](v1::Profile& p) { p.set_min_throughput_mbps(0); }},
      {"no worst interval", "min_worst_mbps", [](v1::Profile& p) { p.set_min_worst_mbps(0); }},
      {"an outage of no time", "max_outage_ms", [](v1::Profile& p) { p.set_max_outage_ms(0); }},
      {"no share of TCP", "max_tcp_percent", [](v1::Profile& p) { p.set_max_tcp_percent(0); }},
      {"no time at all", "max_latency_us", [](v1::Profile& p) { p.set_max_latency_us(0); }},
      {"TLV twice", "lldp_tlvs", [](v1::Profile& p) { p.mutable_lldp_tlvs()->add_tlvs(v1::Profile::TLV_PFC); }},
      {"key of a newer version", "advice",
       [](v1::Profile& p) { p.mutable_advice()->add_keys(static_cast<v1::Profile::Key>(99)); }},
      {"key twice", "advice", [](v1::Profile& p) { p.mutable_advice()->add_keys(v1::Profile::KEY_ETS); }},
      {"no key", "advice", [](v1::Profile& p) { p.mutable_advice()->clear_keys(); }},
      {"set by a newer version", "dcb_set_by",
       [](v1::Profile& p) { p.set_dcb_set_by(static_cast<v1::Profile::Setter>(9)); }},
      {"marked by a newer version", "marking",
       [](v1::Profile& p) { p.set_marking(static_cast<v1::Profile::Marking>(9)); }},
      {"no TLV", "lldp_tlvs", [](v1::Profile& p) { p.mutable_lldp_tlvs()->clear_tlvs(); }},
      {"no ports", "min_ports", [](v1::Profile& p) { p.set_min_ports(0); }},
      {"65 ports", "min_ports", [](v1::Profile& p) { p.set_min_ports(65); }},
  };
  for (const BadCase& bad : cases) {
    SCOPED_TRACE(bad.name);
    v1::Profile message = ToProto(Full());
    bad.change(message);
    const std::optional<ProfileProblem> problem = FindProblem(message);
    ASSERT_TRUE(problem.has_value());
    EXPECT_THAT(FieldsOf(FindProblems(message)), Contains(bad.field));
    const absl::StatusOr<Profile> profile = FromProto(message);
    EXPECT_EQ(profile.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(Message(profile.status()).find("profile field " + problem->field), 0U);
  }
}

TEST(ProfileProblems, AreAllFoundInOneGo) {
  v1::Profile message;
  message.set_dscp(64);
  message.set_tos(107);
  message.set_mtu_bytes(68);
  message.mutable_cnp()->set_dscp(64);
  EXPECT_THAT(FieldsOf(FindProblems(message)),
              ElementsAre("name", "dscp", "mtu_bytes", "cnp.dscp", "tos", "dscp", "cnp.dscp"));
  EXPECT_TRUE(FindProblems(ToProto(Full())).empty());
}

// A server and a client of one protocol are one consumer, and what is not lossless is nobody's to pause.
TEST(ProfileProblems, OfSharingAreOnlyThoseOfSeveralProtocolsOnALosslessPriority) {
  v1::Profile message = ToProto(Full());
  message.clear_share_priority();
  EXPECT_EQ(FindProblem(message)->other, "pfc");
  message.clear_roles();
  message.mutable_roles()->add_roles(v1::Profile::ROLE_NVME_HOST);
  message.mutable_roles()->add_roles(v1::Profile::ROLE_NVME_TARGET);
  EXPECT_TRUE(FindProblems(message).empty());
  message.mutable_roles()->add_roles(v1::Profile::ROLE_SMB_CLIENT);
  EXPECT_FALSE(FindProblems(message).empty());
  message.clear_pfc();
  EXPECT_THAT(FieldsOf(FindProblems(message)), ElementsAre("cable_metres"));
  message.clear_cable_metres();
  EXPECT_TRUE(FindProblems(message).empty());
}

TEST(ProfileProblems, OfSpeedIsAThroughputThatTheNicDoesNotLetThrough) {
  v1::Profile message = ToProto(Full());
  message.set_min_throughput_mbps(message.rdma_max_rate_mbps());
  EXPECT_TRUE(FindProblems(message).empty());
  message.set_min_throughput_mbps(message.rdma_max_rate_mbps() + 1);
  EXPECT_THAT(FieldsOf(FindProblems(message)), ElementsAre("min_throughput_mbps"));
  EXPECT_EQ(FindProblem(message)->other, "rdma_max_rate_mbps");
}

TEST(ProfileProblems, RefuseAWorstIntervalAboveTheThroughput) {
  v1::Profile message = ToProto(Full());
  message.set_min_worst_mbps(message.min_throughput_mbps());
  EXPECT_TRUE(FindProblems(message).empty());
  message.set_min_worst_mbps(message.min_throughput_mbps() + 1);
  EXPECT_THAT(FieldsOf(FindProblems(message)), ElementsAre("min_worst_mbps"));
  EXPECT_EQ(FindProblem(message)->other, "min_throughput_mbps");
  message.clear_min_throughput_mbps();
  message.set_min_worst_mbps(message.rdma_max_rate_mbps() + 1);
  EXPECT_THAT(FieldsOf(FindProblems(message)), ElementsAre("min_worst_mbps"));
  EXPECT_EQ(FindProblem(message)->other, "rdma_max_rate_mbps");
}

TEST(ProfileProto, TakesTheEdgesOfEveryRange) {
  v1::Profile message;
  message.set_name("edges");
  message.set_rdma_priority(7);
  message.set_dscp(63);
  message.set_tos(255);
  message.mutable_ets()->set_rdma_percent(100);
  message.set_mtu_bytes(65535);
  EXPECT_TRUE(FromProto(message).ok());
  message.mutable_ets()->set_rdma_percent(0);
  message.set_dscp(0);
  message.set_tos(0);
  EXPECT_TRUE(FromProto(message).ok());
}

}  // namespace
}  // namespace rdmaready
