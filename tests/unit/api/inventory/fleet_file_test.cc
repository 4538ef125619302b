// SPDX-License-Identifier: Apache-2.0
#include "api/inventory/fleet_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "api/inventory/inventory.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kFleet =
    "profile: smb-direct-roce\n"                                    // 1
    "hosts: [\"gw[1-2]:7472\"]\n"                                   // 2
    "racks: {r9: [gw1:7472, node004]}\n"                            // 3
    "groups:\n"                                                     // 4
    "  storage:\n"                                                  // 5
    "    profile: nvidia-lossless\n"                                // 6
    "    hosts: [\"node[001-004]\"]\n"                              // 7
    "    racks: {r1: [\"node[001-002]\"], r2: [node003, late1]}\n"  // 8
    "    children: [archive]\n"                                     // 9
    "  archive:\n"                                                  // 10
    "    hosts: [old1]\n"                                           // 11
    "  compute:\n"                                                  // 12
    "    profile: [my.yaml, /abs/other.yaml]\n"                     // 13
    "    hosts: [gpu1]\n";                                          // 14

absl::StatusOr<Inventory> Fleet(const std::string& text, const InventoryPart& part = {},
                                const std::string& file = "a b/f.yaml") {
  return ParseInventory(text, file, part);
}

std::string FleetRefusal(const std::string& text, const InventoryPart& part = {}) {
  const auto read = Fleet(text, part, "f.yaml");
  EXPECT_FALSE(read.ok()) << text;
  return Message(read.status());
}

// "NAME GROUP RACK PROFILES" of each host.
std::vector<std::string> Rows(const absl::StatusOr<Inventory>& inventory) {
  EXPECT_TRUE(inventory.ok()) << Message(inventory.status());
  std::vector<std::string> rows;
  if (!inventory.ok()) return rows;
  for (const ListedHost& host : inventory->hosts) {
    std::string profiles = "-";
    if (host.judging) profiles = fmt::format("{}", fmt::join(inventory->judgings[*host.judging].profiles, "+"));
    rows.push_back(fmt::format("{} {} {} {}", host.name, host.group.empty() ? "-" : host.group,
                               host.rack.empty() ? "-" : host.rack, profiles));
  }
  return rows;
}

TEST(FleetFile, SaysOfEachHostWhereItIsAndByWhatItIsJudged) {
  const auto fleet = Fleet(kFleet);
  EXPECT_THAT(Rows(fleet),
              ElementsAre("gw1:7472 - r9 smb-direct-roce", "gw2:7472 - - smb-direct-roce",
                          "node004 storage r9 nvidia-lossless", "node001 storage r1 nvidia-lossless",
                          "node002 storage r1 nvidia-lossless", "node003 storage r2 nvidia-lossless",
                          "late1 storage r2 nvidia-lossless", "old1 archive - nvidia-lossless",
                          "gpu1 compute - a b/my.yaml+/abs/other.yaml"));
  EXPECT_EQ(fleet->hosts[2].place, "a b/f.yaml:3: ");
  EXPECT_EQ(fleet->hosts[4].place, "a b/f.yaml:7: ");
  EXPECT_EQ(fleet->judgings[1].place, "a b/f.yaml:6: ");
}

TEST(FleetFile, IsChosenFromByGroupAndRack) {
  EXPECT_THAT(Rows(Fleet(kFleet, {.groups = {"storage"}, .racks = {"r1"}})),
              ElementsAre("node001 storage r1 nvidia-lossless", "node002 storage r1 nvidia-lossless"));
  EXPECT_THAT(Rows(Fleet(kFleet, {.groups = {"archive", "compute"}})),
              ElementsAre("old1 archive - nvidia-lossless", "gpu1 compute - a b/my.yaml+/abs/other.yaml"));
  EXPECT_EQ(Rows(Fleet(kFleet, {.groups = {"storage"}})).size(), 6U) << "and the group below it";
  EXPECT_THAT(Rows(Fleet(kFleet, {.racks = {"r9", "r2"}})),
              ElementsAre("gw1:7472 - r9 smb-direct-roce", "node004 storage r9 nvidia-lossless",
                          "node003 storage r2 nvidia-lossless", "late1 storage r2 nvidia-lossless"));
  EXPECT_EQ(FleetRefusal(kFleet, {.groups = {"stroage"}}),
            "inventory f.yaml has no group 'stroage'; there are archive, compute, storage");
  EXPECT_EQ(FleetRefusal(kFleet, {.racks = {"r3"}}), "inventory f.yaml has no rack 'r3'; there are r1, r2, r9");
  EXPECT_EQ(FleetRefusal("hosts: [a]", {.racks = {"r3"}}), "inventory f.yaml has no rack 'r3'; there are none");
}

TEST(FleetFile, IsOneByItsNameAndByWhatStandsInIt) {
  EXPECT_THAT(Message(Fleet("groups: {a: {hosts: [b]}}", {}, "hosts.txt").status()),
              HasSubstr("read where its name ends in .yaml or .yml"));
  EXPECT_EQ(Rows(Fleet("groups: {a: {hosts: [b]}}", {}, "-")).size(), 1U);
  EXPECT_EQ(Rows(Fleet("groups: {a: {hosts: [b]}}", {}, "x.yml")).size(), 1U);
  EXPECT_THAT(Rows(Fleet("node[1-2]\nb:7472\n")), ElementsAre("node1 - - -", "node2 - - -", "b:7472 - - -"))
      << "lines, whatever the file is called";
  EXPECT_THAT(Rows(Fleet("all:\n  hosts:\n    a:\n  children:\n    x: {hosts: {b: {ansible_host: c}}}\n")),
              ElementsAre("a - - -", "c - - -"));
  EXPECT_THAT(Rows(Fleet("groups: {hosts: {a: {}}}\nracks:\n")), ElementsAre("a - - -"))
      << "groups of Ansible's may be called so";
  EXPECT_THAT(FleetRefusal("all:\n  hosts: [a]\n"), HasSubstr("is not what Ansible has there"));
}

TEST(FleetFile, SaysWhatItDoesNotKnowAndWhere) {
  EXPECT_EQ(FleetRefusal("gruops:\n  a: {hosts: [b]}\n"),
            "f.yaml:1: unknown key `gruops` (did you mean `groups`?)");
  EXPECT_EQ(FleetRefusal("groups:\n  a:\n    host: [b]\n"),
            "f.yaml:3: unknown key `host` in `groups.a` (did you mean `hosts`?)");
  EXPECT_EQ(FleetRefusal("hosts: [a]\nsiet: x\nprofil: y\n"),
            "f.yaml:2: unknown key `siet` (did you mean `site`?) (and 1 more fault)");
  EXPECT_EQ(FleetRefusal("groups: {a: {hosts: [b], site: s.yaml}}"),
            "f.yaml:1: unknown key `site` in `groups.a`");
  EXPECT_EQ(FleetRefusal("hosts: [a]\ngroups:\n  a:\n"),
            "f.yaml:3: key `groups.a` wants some of profile, hosts, racks, rails, children");
  EXPECT_EQ(FleetRefusal("hosts:\nprofile: x\n"), "f.yaml:1: key `hosts` has no value");
  EXPECT_THAT(FleetRefusal("hosts: [node[1-2]]\n"), StartsWith("f.yaml:1: "));
  EXPECT_EQ(FleetRefusal("hosts: {a: 1}\nprofile: x\n"),
            "f.yaml:1: key `hosts` wants a list of hosts, each in quotes, like [\"node[001-128]\"]");
  EXPECT_EQ(FleetRefusal("hosts:\n- a\n- b: 7471\n"),
            "f.yaml:3: key `hosts` wants a list of hosts, each in quotes, like [\"node[001-128]\"]");
  EXPECT_EQ(FleetRefusal("hosts: [a]\nracks: {\"a b\": [c]}\n"),
            "f.yaml:2: the name of a rack is at most 64 of A-Z a-z 0-9 - . _");
  EXPECT_THAT(FleetRefusal("hosts: [\"n[3-1]\"]\n"), HasSubstr("f.yaml:1: host list 'n[3-1]': "));
  EXPECT_THAT(FleetRefusal("profile: a\nsite: b.yaml\nhosts: [a]\n"),
              HasSubstr("f.yaml:2: key `site`: `profile` and `site` exclude each other"));
  EXPECT_EQ(FleetRefusal("profile: []\nhosts: [a]\n"), "f.yaml:1: key `profile` names no file");
  EXPECT_THAT(FleetRefusal("hosts: [a]\nhosts: [b]\n"), HasSubstr("f.yaml:2: key `hosts` is there twice"));
  EXPECT_THAT(FleetRefusal("a: &x [b]\nhosts: *x\n"), HasSubstr("anchors"));
}

TEST(FleetFile, HoldsGroupsToBeAboveEachOtherInOneWay) {
  EXPECT_EQ(FleetRefusal("groups:\n  a: {children: [storag]}\n  storage: {hosts: [b]}\n"),
            "f.yaml:2: group storag in `groups.a.children` is not in the inventory (did you mean storage?)");
  EXPECT_EQ(FleetRefusal("groups:\n  a: {children: [b]}\n  b: {children: [a], hosts: [c]}\n"),
            "f.yaml:2: group a is below itself, by group b (and 1 more fault)");
  const std::string two =
      "groups:\n  a: {profile: x, children: [c]}\n  b: {profile: y, children: [c]}\n  c: {hosts: [d]%}\n";
  const auto with = [&two](const std::string& own) { return std::string(two).replace(two.find('%'), 1, own); };
  EXPECT_EQ(FleetRefusal(with("")),
            "f.yaml:4: group c has the profile of two groups above it, f.yaml:2 and f.yaml:3: give it its own");
  EXPECT_THAT(Rows(Fleet(with(", profile: z"))), ElementsAre("d c - z"));
}

TEST(FleetFile, HoldsAHostToOneRackAndOneProfile) {
  EXPECT_EQ(FleetRefusal("hosts: [a]\nracks:\n  r1: [a]\n  r2: [b, a]\n"),
            "f.yaml:4: host a is in rack r2 here and in rack r1 at f.yaml:3");
  EXPECT_EQ(FleetRefusal("groups:\n  x: {hosts: [a], profile: p}\n  y:\n    hosts: [a]\n"),
            "f.yaml:4: host a is in group y here and in group x at f.yaml:2, with different profiles");
  EXPECT_EQ(FleetRefusal("hosts: [a]\ngroups:\n  x:\n    hosts:\n    - a\n    - \"a\"\n"),
            "f.yaml:6: host a is named twice in group x, first at f.yaml:5");
  EXPECT_EQ(FleetRefusal("profile: p\nhosts: [a, b,\n  a]\n"),
            "f.yaml:3: host a is named twice in no group, first at f.yaml:2");
  EXPECT_THAT(Rows(Fleet("groups:\n  x: {hosts: [a], profile: p}\n  y: {hosts: [b, a], profile: p}\n")),
              ElementsAre("a x - p", "b y - p"));
}

TEST(FleetFile, GivesAHostOfTwoGroupsTheOneThatWasAskedFor) {
  const char* text = "profile: p\ngroups: {x: {hosts: [a]}, y: {hosts: [b, a]}}\n";
  EXPECT_EQ(Rows(Fleet(text)).front(), "a x - p");
  EXPECT_EQ(Rows(Fleet(text, {.groups = {"y"}})).front(), "a y - p");
}

TEST(FleetFile, HasRailsWithPortsAsASiteFileNamesThem) {
  const char* text =
      "profile: ai-backend\nrails:\n  a: [{subnet: 10.1.0.0/16}]\n  b: [{netdev: \"rail-b*\"}, {netdev: "
      "eth9}]\n"
      "hosts: [x]\ngroups:\n  other:\n    rails: {a: [{device: mlx5_0}]}\n    hosts: [y]\n";
  const auto fleet = Fleet(text);
  ASSERT_TRUE(fleet.ok()) << Message(fleet.status());
  ASSERT_EQ(fleet->judgings.size(), 2U);
  EXPECT_EQ(fleet->judgings[0].rails[0].ports[0].subnet, "10.1.0.0/16");
  EXPECT_EQ(fleet->judgings[0].rails[1].ports.size(), 2U);
  EXPECT_EQ(fleet->judgings[1].rails[0].ports[0].device, "mlx5_0");
  EXPECT_EQ(fleet->judgings[1].rails_place, "a b/f.yaml:8: ");
  EXPECT_EQ(FleetRefusal("profile: p\nrails:\n  a:\n  - {subent: 10.0.0.0/8}\nhosts: [x]\n"),
            "f.yaml:4: unknown key `subent` in `ports[0]` (did you mean `subnet`?)");
  EXPECT_THAT(FleetRefusal("profile: p\nrails:\n  a:\n  - {subnet: 10.0/8}\nhosts: [x]\n"),
              HasSubstr("f.yaml:4: key `ports[0].subnet`"));
  EXPECT_THAT(FleetRefusal("profile: p\nrails: {a: {subnet: 10.0.0.0/8}}\nhosts: [x]\n"),
              HasSubstr("f.yaml:2: key `ports` wants a list"));
  EXPECT_EQ(FleetRefusal("rails: {a: [{netdev: b}]}\nhosts: [x]\n"),
            "f.yaml:1: key `rails`: name the profile of these hosts too: rails divide its ports");
  EXPECT_EQ(FleetRefusal("profile: p\nrails: {A: [{netdev: b}]}\nhosts: [x]\n"),
            "f.yaml:2: the name of a rail is at most 64 of a-z 0-9 - . _");
}

TEST(FleetFile, HoldsTwentyThousandHostsAndNoMore) {
  std::string text = "groups:\n";
  for (int group = 0; group < 5; ++group) {
    text += fmt::format("  g{}: {{hosts: [\"n{}-[0001-4000]\"]}}\n", group, group);
  }
  EXPECT_EQ(Fleet(text)->hosts.size(), 20'000U);
  EXPECT_EQ(FleetRefusal(text + "  more: {hosts: [x]}\n"), "f.yaml:7: more than 20000 hosts");
  EXPECT_THAT(FleetRefusal("hosts: [\"n[1-4097]\"]"), HasSubstr("more than 4096 hosts"));
  std::string listed = "hosts:\n";
  std::string lines;
  std::string ansible = "all:\n  hosts:\n";
  for (int i = 0; i < 20'000; ++i) {
    listed += fmt::format("- storage-node-{:05}.example.net:7471\n", i);
    lines += fmt::format("storage-node-{:05}.example.net:7471\n", i);
    ansible += fmt::format("    storage-node-{:05}.example.net:\n", i);
  }
  EXPECT_EQ(Fleet(listed)->hosts.size(), 20'000U);
  EXPECT_EQ(Fleet(lines)->hosts.size(), 20'000U);
  EXPECT_EQ(Fleet(ansible)->hosts.size(), 20'000U);
  EXPECT_THAT(FleetRefusal(lines + "x\n"), HasSubstr("f.yaml:20001: more than 20000 hosts"));
}

}  // namespace
}  // namespace rdmaready
