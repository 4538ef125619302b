// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "cli/fleet/host_list.h"
#include "cli/fleet/local_agent.h"
#include "cli/fleet/test_runner.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Hosts, AreNamedAsTyped) {
  const auto hosts = ParseHosts({"Node1", "10.0.0.1:9000", "[::1]:7471"});
  ASSERT_TRUE(hosts.ok());
  EXPECT_EQ((*hosts)[0].text, "Node1");
  EXPECT_EQ((*hosts)[1].port, 9000);
  EXPECT_EQ((*hosts)[2].host, "::1");
}

TEST(Hosts, AreRefusedWhenNamedTwice) {
  EXPECT_THAT(Message(ParseHosts({"a", "b", "a"}).status()), HasSubstr("host a is named twice"));
  EXPECT_THAT(Message(ParseHosts({"a", "A:7471"}).status()), HasSubstr("hosts a and A:7471 are the same"));
  EXPECT_TRUE(ParseHosts({"a:1", "a:2"}).ok());
}

TEST(Hosts, AreRefusedWhenTheyShareATarget) {
  const auto hosts = ParseHosts({"a", "b", "c", "unix:/run/x"});
  ASSERT_TRUE(hosts.ok());
  const auto judge = [&](std::vector<std::vector<ResolvedAddress>> resolved) {
    return Message(CheckDistinct(*hosts, resolved));
  };
  const ResolvedAddress first{"ipv4:10.0.0.1:7471"};
  const ResolvedAddress second{"ipv4:10.0.0.2:7471"};
  const ResolvedAddress sixth{"ipv6:[fd00::1]:7471"};
  EXPECT_EQ(judge({{first}, {sixth, first}, {second}, {}}),
            "hosts a and b are the same: both are 10.0.0.1:7471");
  EXPECT_EQ(judge({{first, sixth}, {second}, {sixth}, {}}),
            "hosts a and c are the same: both are [fd00::1]:7471");
  EXPECT_TRUE(
      CheckDistinct(*hosts, std::vector<std::vector<ResolvedAddress>>{{first, first}, {second}, {}, {}}).ok());
}

TEST(Hosts, AreRefusedWhenOneAgentAnswersForTwo) {
  const auto hosts = ParseHosts({"storage1", "10.0.0.1", "c"});
  ASSERT_TRUE(hosts.ok());
  const auto judge = [&](const std::vector<std::string>& ids) {
    return Message(CheckDistinctAgents(*hosts, ids));
  };
  EXPECT_EQ(judge({"f00", "f00", "ba5"}),
            "hosts storage1 and 10.0.0.1 are the same: one agent answers at both addresses");
  EXPECT_EQ(judge({"f00", "ba5", "f00"}),
            "hosts storage1 and c are the same: one agent answers at both addresses");
  EXPECT_EQ(judge({"f00", "ba5", "abe"}), "");
  EXPECT_EQ(judge({"", "", ""}), "") << "agents of a version that tells no id, or that did not answer";
}

TEST(Hosts, AreRefusedWhenTheyMakeNoSense) {
  for (const char* name : {"a:99999", "a:", "", "[::1", "a:x", "a b", "a\tb", "a\x1b[2J", "\xc3\xa9"})
    EXPECT_FALSE(ParseHosts({name}).ok()) << name;
}

TEST(Inventory, LeavesOutCommentsAndBlanksAndKnowsItsLines) {
  EXPECT_THAT(*ParseInventory("# all\n a \n\nb:1 # rack 2\r\n", "h"),
              ElementsAre(ListedHost{"a", "h:2: "}, ListedHost{"b:1", "h:4: "}));
  EXPECT_THAT(*ParseInventory("a", "h"), ElementsAre(ListedHost{"a", "h:1: "}));
  EXPECT_THAT(*ParseInventory("\xEF\xBB\xBF"
                              "a\nb",
                              "h"),
              ElementsAre(ListedHost{"a", "h:1: "}, ListedHost{"b", "h:2: "}));
  EXPECT_THAT(*ParseInventory("\n\n#\n", "h"), ElementsAre());
}

TEST(Inventory, OfAnsibleIsReadByItsGroups) {
  constexpr const char* kIni =
      "gw1 ansible_host=10.0.0.9:2\n[storage]\nnode[01:03] ansible_user=x # three\nnode02:2222\n[spare]\nold "
      "ansible_host='10.0.0.7'\n"
      "[all:vars]\nansible_port=2222\n[fabric:children]\nstorage\n; the end\n";
  EXPECT_THAT(
      *ParseInventory(kIni, "h", {"fabric"}),
      ElementsAre(ListedHost{"node01", "h:3: "}, ListedHost{"node02", "h:3: "}, ListedHost{"node03", "h:3: "}));
  EXPECT_EQ(ParseInventory(kIni, "h")->size(), 5U);
  EXPECT_EQ(ParseInventory(kIni, "h", {"spare"})->front().name, "10.0.0.7");
  constexpr const char* kYaml =
      "all:\n  vars: {x: 1}\n  hosts:\n    gw1:\n  children:\n    storage:\n      hosts:\n        node[1:2]: "
      "{ansible_host: }\n"
      "        n9:\n          ansible_host: 10.0.0.9\n    empty:\n";
  EXPECT_EQ(ParseInventory(kYaml, "h")->size(), 4U);
  EXPECT_THAT(
      *ParseInventory(kYaml, "h", {"storage"}),
      ElementsAre(ListedHost{"node1", "h:8: "}, ListedHost{"node2", "h:8: "}, ListedHost{"10.0.0.9", "h:9: "}));
  EXPECT_TRUE(ParseInventory(kYaml, "h", {"empty"})->empty());
}

TEST(Inventory, SaysWhatItDoesNotDo) {
  const auto error = [](const char* text, std::vector<std::string> groups = {}) {
    return Message(ParseInventory(text, "h", groups).status());
  };
  EXPECT_THAT(error("#!/bin/sh\necho a"), HasSubstr("is a program: nothing is run here"));
  EXPECT_THAT(error("a\nb", {"x"}), HasSubstr("has no groups"));
  EXPECT_THAT(error("[x]\na", {"y"}), HasSubstr("no group 'y'; there are x"));
  EXPECT_THAT(error("[x]\na ansible_host={{ip}}"), HasSubstr("h:2: ansible_host is a template"));
  EXPECT_THAT(error("all:\n  hosts: [a]\n"), HasSubstr("h:2: hosts of group all"));
  EXPECT_THAT(error("a[1-\n"), HasSubstr("h:1: "));
  EXPECT_EQ(ParseInventory("[::1]:7471\n", "h")->front().name, "[::1]:7471");
}

TEST(HostList, IsExpandedAndFoldedAgain) {
  const std::vector<std::string> odd{"gw", "10.0.0.1:7471", "[::1]:7471", "unix:/a[1-2]"};
  for (const std::string& name : odd) EXPECT_THAT(*ExpandHosts(name), ElementsAre(name));
  EXPECT_THAT(*ExpandHosts("r[1-2]n[08-10].x"),
              ElementsAre("r1n08.x", "r1n09.x", "r1n10.x", "r2n08.x", "r2n09.x", "r2n10.x"));
  EXPECT_EQ(ExpandHosts("node[001-128]")->size(), 128U);
  for (const char* list :
       {"node[001-128]", "node[1,3,5-7]", "node[9-11]", "10.0.0.1:[7471-7474]", "node[098-101]", "n[99,0100]"})
    EXPECT_EQ(FoldHosts(*ExpandHosts(list)), list);
  EXPECT_EQ(FoldHosts({"b2", "a", "b1", "b2", "c7"}), "b[1-2], a, c7");
  for (const char* wrong : {"a[", "a[]", "a[x]", "a[1-]", "a[3-1]", "a[1-99999]", "a[1-64][1-65]", "a[1,,2]"})
    EXPECT_THAT(Message(ExpandHosts(wrong).status()), HasSubstr(std::string("host list '") + wrong + "'"))
        << wrong;
}

TEST(Inventory, MustExist) {
  const auto hosts = ChooseHosts({}, "/nowhere/hosts");
  EXPECT_THAT(Message(hosts.status()), HasSubstr("read /nowhere/hosts: No such file or directory"));
}

TEST(LevelPeer, NeedsTwoHosts) {
  EXPECT_FALSE(CheckHostCount(0, Rung::kPeer).ok());
  EXPECT_FALSE(CheckHostCount(1, Rung::kPeer).ok());
  EXPECT_TRUE(CheckHostCount(2, Rung::kPeer).ok());
  EXPECT_TRUE(CheckHostCount(0, Rung::kLoopback).ok());
}

TEST(Ring, TestsEachHostWithTheNextOne) {
  EXPECT_THAT(Ring(1), ElementsAre());
  EXPECT_THAT(Ring(2), ElementsAre(Edge{0, 1}));
  EXPECT_THAT(Ring(3), ElementsAre(Edge{0, 1}, Edge{1, 2}, Edge{2, 0}));
}

TEST(PortNames, AreDeviceAndNumber) {
  EXPECT_EQ(ParsePort("mlx5_0/1")->device, "mlx5_0");
  EXPECT_EQ(ParsePort("mlx5_0/1")->number, 1U);
  for (const char* text : {"", "mlx5_0", "mlx5_0/", "/1", "mlx5_0/0", "mlx5_0/x"}) {
    EXPECT_FALSE(ParsePort(text).ok()) << text;
  }
}

TEST(StateDirectory, IsTheUsers) {
  EXPECT_EQ(StateDirectory("/x", "/home/u"), "/x/rdmaready");
  EXPECT_EQ(StateDirectory(nullptr, "/home/u"), "/home/u/.local/state/rdmaready");
  EXPECT_EQ(StateDirectory("relative", "/home/u"), "/home/u/.local/state/rdmaready");
  EXPECT_EQ(StateDirectory(nullptr, nullptr), "");
}

}  // namespace
}  // namespace rdmaready
