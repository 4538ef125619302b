// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/profile/load.h"
#include "api/profile/profile_proto.h"

namespace rdmaready {
namespace {

using google::protobuf::FieldDescriptor;

constexpr char kLossless[] =
    "name: ours\n"
    "transport: roce-v2\n"
    "rdma_priority: 3\n"
    "trust: dscp\n"
    "dscp: 26\n"
    "tos: 104\n"
    "pfc: [3]\n"
    "ets: {rdma_percent: 50, tolerance_percent: 3, at_least: true}\n"
    "dcbx: static\n"
    "mtu_bytes: 9000\n"
    "roce_mtu_bytes: 4096\n"
    "min_speed_mbps: 25000\n"
    "rdma_max_rate_mbps: 40000\n"
    "cable_metres: 300\n"
    "min_throughput_mbps: 20000\n"
    "min_worst_mbps: 10000\n"
    "max_tcp_percent: 80\n"
    "max_outage_ms: 1500\n"
    "max_latency_us: 30\n"
    "min_memlock_bytes: 1048576\n"
    "heartbeat: {priority: 7, percent: 1, percent_up_to_10g: 2}\n"
    "cnp: {dscp: 48, priority: 6}\n"
    "vlan: tagged\n"
    "vlan_ids: [711, 712]\n"
    "min_ports: 2\n"
    "roles: [smb-client, nvme-host]\n"
    "ecn: {min_bytes: 150000, max_bytes: 1500000, probability_percent: 100}\n"
    "share_priority: true\n"
    "firmware: [{driver: ice, min: \"4.20\"}]\n"
    "gpu_direct: true\n"
    "multi_tenant: true\n"
    "pkeys: [32767]\n"
    "lldp_tlvs: [pfc]\n"
    "ports: [{device: \"mlx5_*\", netdev: \"ens*\", driver: mlx5_core, pci: \"0000:3b:*\", transport: "
    "roce-v2,\n"
    "         subnet: 10.1.0.0/16, vlan: 711}]\n"
    "ports_expected: true\n"
    "direct_link: true\n"
    "advice: [tos]\n"
    "dcb_set_by: elsewhere\n"
    "marking: consumers\n";

std::string DigestOfText(const std::string& yaml, std::string_view file_name = "ours.yaml") {
  const absl::StatusOr<Profile> profile = ParseProfile(yaml, file_name);
  EXPECT_TRUE(profile.ok()) << profile.status();
  return profile.ok() ? *ProfileContentDigest(*profile) : "";
}

// The message without each of the fields that it has, one at a time.
void EachWithoutOne(const google::protobuf::Message& whole, std::vector<std::string>& contents) {
  std::vector<const FieldDescriptor*> fields;
  whole.GetReflection()->ListFields(whole, &fields);
  for (const FieldDescriptor* field : fields) {
    const std::unique_ptr<google::protobuf::Message> less(whole.New());
    less->CopyFrom(whole);
    less->GetReflection()->ClearField(less.get(), field);
    contents.push_back(less->SerializeAsString());
  }
}

TEST(ProfileContentDigest, IsThatOfTheContentAndNotOfTheText) {
  const std::string digest = DigestOfText(kLossless);
  EXPECT_EQ(digest.size(), 64U);
  EXPECT_EQ(DigestOfText("# for the storage hosts\n" + std::string(kLossless) + "# end\n"), digest);
  EXPECT_EQ(DigestOfText(kLossless, "/etc/rdmaready/other.yaml"), digest);
  EXPECT_EQ(DigestOfText(std::string(kLossless) + "summary: what we want\n"), digest);
  EXPECT_EQ(DigestOfText(std::string(kLossless) +
                         "waivers: [{check: pfc.delay, reason: old, who: Ann, until: 2099-01-01}]\n"),
            digest);
}

TEST(ProfileContentDigest, IsOfWhatAnExtendedProfileComesTo) {
  const std::string whole = DigestOfText("name: a\nrdma_priority: 3\npfc: [3]\ndcbx: static\n");
  EXPECT_EQ(DigestOfText("dcbx: static\npfc: [3]\nrdma_priority: 3\nname: a\n"), whole);
  EXPECT_NE(DigestOfText("name: a\nextends: smb-direct-roce\n"), whole);
}

TEST(ProfileContentDigest, OfBuiltInProfilesAreDifferent) {
  std::set<std::string> digests;
  for (const std::string& name : BuiltInProfileNames())
    digests.insert(*ProfileContentDigest(*LoadProfile(name)));
  EXPECT_EQ(digests.size(), BuiltInProfileNames().size());
}

// The text above has every field that a profile has: with each of them left out, the content is another one.
TEST(ProfileContentDigest, EveryFieldThatDemandsSomethingChangesIt) {
  const v1::Profile content = ContentOf(*ParseProfile(kLossless, "ours.yaml"));
  const std::set<std::string> left_out{"digest", "summary", "waivers"};
  for (int i = 0; i < content.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = content.GetDescriptor()->field(i);
    const bool there = field->is_repeated() ? content.GetReflection()->FieldSize(content, field) > 0
                                            : content.GetReflection()->HasField(content, field);
    EXPECT_EQ(there, !left_out.contains(field->name())) << field->name() << ": is it in the test's text?";
  }
  std::vector<std::string> contents{content.SerializeAsString()};
  EachWithoutOne(content, contents);
  EXPECT_EQ(std::set<std::string>(contents.begin(), contents.end()).size(), contents.size());
  std::vector<std::string> parts;
  for (const google::protobuf::Message* part : std::initializer_list<const google::protobuf::Message*>{
           &content.ets(), &content.heartbeat(), &content.cnp(), &content.ecn(), &content.ports(0),
           &content.firmware(0)})
    EachWithoutOne(*part, parts);
  EXPECT_EQ(parts.size(), 3U + 3U + 2U + 3U + 7U + 2U);
}

TEST(ProfileContentDigest, OneChangedValueChangesIt) {
  constexpr std::array<std::array<std::string_view, 2>, 12> kChanges{
      {{"rdma_percent: 50", "rdma_percent: 49"},
       {"tolerance_percent: 3", "tolerance_percent: 4"},
       {"at_least: true", "at_least: false"},
       {"name: ours", "name: theirs"},
       {"mtu_bytes: 9000", "mtu_bytes: 9001"},
       {"percent: 1,", "percent: 2,"},
       {"priority: 6}", "priority: 5}"},
       {"min: \"4.20\"", "min: \"4.21\""},
       {"ens*", "en*"},
       {"vlan: 711}", "vlan: 712}"},
       {"[smb-client, nvme-host]", "[smb-client]"},
       {"advice: [tos]", "advice: [pfc]"}}};
  std::set<std::string> digests{DigestOfText(kLossless)};
  for (const auto& [from, to] : kChanges) {
    std::string changed = kLossless;
    const std::size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    digests.insert(DigestOfText(changed.replace(at, from.size(), to)));
  }
  EXPECT_EQ(digests.size(), kChanges.size() + 1);
}

}  // namespace
}  // namespace rdmaready
