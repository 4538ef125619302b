// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "api/base/status.h"
#include "api/inventory/host_list.h"
#include "cli/fleet/local_agent.h"
#include "cli/fleet/test_runner.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;
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
  EXPECT_THAT(ParseInventory("# all\n a \n\nb:1 # rack 2\r\n", "h")->hosts,
              ElementsAre(ListedHost{"a", "h:2: "}, ListedHost{"b:1", "h:4: "}));
  EXPECT_THAT(ParseInventory("a", "h")->hosts, ElementsAre(ListedHost{"a", "h:1: "}));
  EXPECT_THAT(ParseInventory("\xEF\xBB\xBF"
                             "a\nb",
                             "h")
                  ->hosts,
              ElementsAre(ListedHost{"a", "h:1: "}, ListedHost{"b", "h:2: "}));
  EXPECT_THAT(ParseInventory("\n\n#\n", "h")->hosts, ElementsAre());
}

TEST(Inventory, OfAnsibleIsReadByItsGroups) {
  constexpr const char* kIni =
      "gw1 ansible_host=10.0.0.9:2\n[storage]\nnode[01:03] ansible_user=x # three\nnode02:2222\n[spare]\nold "
      "ansible_host='10.0.0.7'\n"
      "[all:vars]\nansible_port=2222\n[fabric:children]\nstorage\n; the end\n";
  EXPECT_THAT(
      ParseInventory(kIni, "h", {{"fabric"}})->hosts,
      ElementsAre(ListedHost{"node01", "h:3: "}, ListedHost{"node02", "h:3: "}, ListedHost{"node03", "h:3: "}));
  EXPECT_EQ(ParseInventory(kIni, "h")->hosts.size(), 5U);
  EXPECT_EQ(ParseInventory(kIni, "h", {{"spare"}})->hosts.front().name, "10.0.0.7");
  constexpr const char* kYaml =
      "all:\n  vars: {x: 1}\n  hosts:\n    gw1:\n  children:\n    storage:\n      hosts:\n        node[1:2]: "
      "{ansible_host: }\n"
      "        n9:\n          ansible_host: 10.0.0.9\n    empty:\n";
  EXPECT_EQ(ParseInventory(kYaml, "h")->hosts.size(), 4U);
  EXPECT_THAT(
      ParseInventory(kYaml, "h", {{"storage"}})->hosts,
      ElementsAre(ListedHost{"node1", "h:8: "}, ListedHost{"node2", "h:8: "}, ListedHost{"10.0.0.9", "h:9: "}));
  EXPECT_TRUE(ParseInventory(kYaml, "h", {{"empty"}})->hosts.empty());
}

TEST(Inventory, SaysWhatItDoesNotDo) {
  const auto error = [](const char* text, std::vector<std::string> groups = {}) {
    return Message(ParseInventory(text, "h", {groups}).status());
  };
  EXPECT_THAT(error("#!/bin/sh\necho a"), HasSubstr("is a program: nothing is run here"));
  EXPECT_THAT(error("a\nb", {"x"}), HasSubstr("has no groups"));
  EXPECT_THAT(error("[x]\na", {"y"}), HasSubstr("no group 'y'; there are x"));
  EXPECT_THAT(error("[x]\na ansible_host={{ip}}"), HasSubstr("h:2: ansible_host is a template"));
  EXPECT_THAT(error("all:\n  hosts: [a]\n"), HasSubstr("h:2: hosts of group all"));
  EXPECT_THAT(error("a[1-\n"), HasSubstr("h:1: "));
  EXPECT_EQ(ParseInventory("[::1]:7471\n", "h")->hosts.front().name, "[::1]:7471");
}

// What ParseInventory says against a text.
std::string Refusal(const char* text, const std::vector<std::string>& groups = {}) {
  return Message(ParseInventory(text, "h", {groups}).status());
}

std::vector<std::string> NamesIn(const std::string& text, const std::vector<std::string>& groups = {}) {
  const auto hosts = ParseInventory(text, "h", {groups});
  EXPECT_TRUE(hosts.ok()) << text << ": " << Message(hosts.status());
  std::vector<std::string> names;
  if (!hosts.ok()) return names;
  for (const ListedHost& host : hosts->hosts) names.push_back(host.name);
  return names;
}

TEST(Inventory, RefusesAChildThatNoSectionDefines) {
  EXPECT_EQ(Refusal("[storage:children]\nrack1\nrakc2 # two\n[rack1]\na\n[rack2]\nb\n", {"storage"}),
            "h:3: group rakc2 of [storage:children] is not in the inventory (did you mean rack2?)");
  EXPECT_EQ(Refusal("[storage:children]\nelsewhere\n"),
            "h:2: group elsewhere of [storage:children] is not in the inventory");
  EXPECT_THAT(NamesIn("[storage:children]\nrows\n[rows:children]\nrack1\n[rack1]\na\n", {"storage"}),
              ElementsAre("a"))
      << "a child may come before its section, and may have children itself";
  EXPECT_THAT(NamesIn("a\n[x:children]\nungrouped\n", {"x"}), ElementsAre("a"));
  EXPECT_THAT(NamesIn("all:\n  children:\n    rack1:\n"), ElementsAre()) << "in YAML a child is a definition";
}

TEST(Inventory, TakesNoGroupFromASectionOfVariables) {
  EXPECT_THAT(Refusal("[x:children]\nrack1\n[rack1:vars]\na=1\n"),
              HasSubstr("h:2: group rack1 of [x:children] is not in the inventory"));
  EXPECT_THAT(Refusal("[x]\na\n[rack1:vars]\na=1\n", {"rack1"}), HasSubstr("no group 'rack1'; there are x"));
  EXPECT_THAT(Refusal("[rack1:vars]\na=1\n", {"rack1"}), HasSubstr("no group 'rack1'; there are none"));
}

TEST(Inventory, ExpandsTheRangesOfAnsible) {
  const auto hosts = [](const std::string& pattern) { return NamesIn("[x]\n" + pattern + "\n"); };
  EXPECT_THAT(hosts("r[a:c]"), ElementsAre("ra", "rb", "rc"));
  EXPECT_THAT(hosts("r[y:B].x:22"), ElementsAre("ry.x", "rz.x", "rA.x", "rB.x"));
  EXPECT_THAT(hosts("r[a:f:2]"), ElementsAre("ra", "rc", "re"));
  EXPECT_THAT(hosts("n[1:10:3]"), ElementsAre("n1", "n4", "n7", "n10"));
  EXPECT_THAT(hosts("n[01:06:2]-[8:10]"),
              ElementsAre("n01-8", "n01-9", "n01-10", "n03-8", "n03-9", "n03-10", "n05-8", "n05-9", "n05-10"));
  EXPECT_THAT(hosts("[a:b]n[:1]"), ElementsAre("an0", "an1", "bn0", "bn1"));
  EXPECT_THAT(hosts("[1:3:2].x"), ElementsAre("1.x", "3.x")) << "no address, though it begins like one";
  EXPECT_THAT(hosts("[fd00::1]:22"), ElementsAre("[fd00::1]"));
  EXPECT_THAT(hosts("n[1-2]"), ElementsAre("n1", "n2"));
  EXPECT_EQ(hosts("n[1:4096]").size(), 4096U);
}

TEST(Inventory, RefusesWhatIsNoRangeOfAnsible) {
  for (const char* range : {"[a:5]", "[1:f]", "[ab:cd]", "[1:]", "[1:10:]", "[1:10:0]", "[1:10:-1]",
                            "[1:2:3:4]", "[1-2:4]", "[::1]", "[1:9999999999999999999]"})
    EXPECT_EQ(Refusal((std::string("[x]\nn") + range + "\n").c_str()),
              std::string("h:2: '") + range + "': ranges are [01:50], [a:f] or [1:10:2]");
  EXPECT_EQ(Refusal("[x]\nn[5:1]\n"), "h:2: the range [5:1] ends before it begins");
  EXPECT_EQ(Refusal("[x]\nn[f:a]\n"), "h:2: the range [f:a] ends before it begins");
  for (const char* text : {"[x]\nn[1:4097]\n", "[x]\nn[1:64][1:65]\n", "[x]\nn[1:64][1-65]\n"})
    EXPECT_THAT(Refusal(text), HasSubstr("more than 4096 hosts")) << text;
}

TEST(Inventory, IsYamlByItsFirstLine) {
  const std::string below = "\n  hosts:\n    a:\n    b:\n";
  for (const char* first : {"all:", "all: # the fleet", "all:\t# the fleet", "\"all\":", "'all': # x",
                            "# x\n\n---\nall:", "--- # x\nall:"})
    EXPECT_THAT(NamesIn(first + below, {"all"}), ElementsAre("a", "b")) << first;
  for (const char* text : {"all: {hosts: {a: , b: }}", "{all: {hosts: {a: , b: }}}",
                           "{\n  \"all\": {\"hosts\": {\"a\": null, \"b\": null}}\n}\n"})
    EXPECT_THAT(NamesIn(text, {"all"}), ElementsAre("a", "b")) << text;
}

TEST(Inventory, OfLinesIsNoYamlForItsPorts) {
  EXPECT_THAT(NamesIn("a:7471\nb:7471 # all: x\n"), ElementsAre("a:7471", "b:7471"));
  EXPECT_THAT(NamesIn("[::1]:7471\n"), ElementsAre("[::1]:7471"));
  EXPECT_THAT(NamesIn("unix:/run/x\n"), ElementsAre("unix:/run/x"));
}

TEST(Inventory, IsRefusedWhileEncrypted) {
  EXPECT_EQ(Refusal("$ANSIBLE_VAULT;1.1;AES256\n6238\n"),
            "inventory h is encrypted by ansible-vault: give it decrypted, on standard input for instance");
}

TEST(HostList, TakesOnlyAnAddressForAnAddress) {
  for (const char* address : {"[::1]", "[fe80::1%eth0]:7471", "[1:2:3:4:5:6:7:8]", "[::ffff:10.0.0.1]:1"})
    EXPECT_THAT(*ExpandHosts(address), ElementsAre(address));
  EXPECT_THAT(*ExpandHosts("[::1]:[1-2]"), ElementsAre("[::1]:1", "[::1]:2"));
  for (const char* wrong : {"n[1:3]", "[1:3]", "n[::1]", "[a:f]", "[::1][::1]", "[::g]"})
    EXPECT_THAT(Message(ExpandHosts(wrong).status()), HasSubstr("is no number and no range of numbers"))
        << wrong;
}

TEST(HostList, CountsAllRangesOfABracketBeforeTheyAreMade) {
  EXPECT_EQ(ExpandHosts("a[0-2047,2048-4095]")->size(), 4096U);
  EXPECT_THAT(Message(ExpandHosts("a[0-4095,7]").status()), HasSubstr("more than 4096 hosts"));
  // The range behind the limit is never looked at.
  EXPECT_THAT(Message(ExpandHosts("a[0-4095,0-4095,x]").status()), HasSubstr("more than 4096 hosts"));
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

class InventoryWithProfiles : public ::testing::Test {
 protected:
  InventoryWithProfiles() : folder_(fs::temp_directory_path() / ("a fleet " + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~InventoryWithProfiles() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  fs::path folder_;
};

TEST_F(InventoryWithProfiles, ReadsThemFromItsFolder) {
  Write("mine.yaml", "extends: ai-backend\nname: mine\n");
  Write("site.yaml", "groups:\n- {hosts: [\"c*\"], profiles: [{profile: mine.yaml}]}\n");
  const std::string file =
      Write("fleet.yaml",
            "site: site.yaml\nhosts: [c1]\ngroups:\n  x: {profile: mine.yaml, hosts: [a], racks: {r: [a]}}\n"
            "  y: {profile: mine.yaml, rails: {one: [{netdev: \"r*\"}]}, hosts: [b]}\n");
  const auto chosen = ChooseWithOrigins({"d"}, file, {}, true);
  ASSERT_TRUE(chosen.ok()) << Message(chosen.status());
  ASSERT_EQ(chosen->origins.size(), 4U);
  EXPECT_EQ(chosen->origins[0].site, nullptr) << "the inventory says nothing of d";
  EXPECT_EQ(chosen->origins[1].site->ProfilesOf("c1")->at(0).name, "mine");
  EXPECT_FALSE(chosen->origins[1].site->ProfilesOf("e1").ok());
  EXPECT_EQ(chosen->origins[2].group, "x");
  EXPECT_EQ(chosen->origins[2].rack, "r");
  EXPECT_EQ(chosen->origins[3].site->ProfilesOf("b")->at(0).name, "mine.one");
  EXPECT_EQ(ChooseHosts({}, file)->size(), 3U);
}

TEST_F(InventoryWithProfiles, SaysWhichOfThemIsWrong) {
  Write("bad.yaml", "name: bad\ndscp: 99\n");
  const std::string file = Write("fleet.yaml", "hosts: [a]\ngroups:\n  x: {profile: bad.yaml, hosts: [b]}\n");
  const std::string said = Message(ChooseWithOrigins({}, file, {}, true).status());
  EXPECT_THAT(said, HasSubstr("fleet.yaml:3: "));
  EXPECT_THAT(said, HasSubstr("bad.yaml:2: key `dscp`"));
  EXPECT_TRUE(ChooseWithOrigins({}, file, {}, false).ok()) << "nobody asked for them";
  EXPECT_TRUE(ChooseWithOrigins({"c"}, Write("hosts", "a\n"), {}, true).ok());
  const std::string rails =
      Write("rails.yaml", "profile: [ai-backend, infiniband]\nhosts: [a]\nrails: {r: [{netdev: x}]}\n");
  EXPECT_THAT(Message(ChooseWithOrigins({}, rails, {}, true).status()),
              HasSubstr("rails.yaml:3: rails divide"));
  EXPECT_THAT(Message(ChooseHosts({"a"}, "", {.racks = {"r"}}).status()),
              HasSubstr("--rack is for --inventory"));
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

TEST(Mesh, TestsEveryPairOnceInRoundsWithoutACommonHost) {
  EXPECT_THAT(Mesh(0), ElementsAre());
  EXPECT_THAT(Mesh(1), ElementsAre());
  EXPECT_THAT(Mesh(2), ElementsAre(Edge{0, 1}));
  for (std::size_t hosts = 2; hosts < 20; ++hosts) {
    const std::vector<Edge> edges = Mesh(hosts);
    EXPECT_EQ(edges.size(), hosts * (hosts - 1) / 2) << hosts;
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    const std::size_t in_round = hosts / 2;
    std::set<std::size_t> busy;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (i % in_round == 0) busy.clear();
      EXPECT_TRUE(busy.insert(edges[i].from).second && busy.insert(edges[i].to).second) << hosts << " " << i;
      EXPECT_LT(std::max(edges[i].from, edges[i].to), hosts);
      pairs.insert(std::minmax(edges[i].from, edges[i].to));
    }
    EXPECT_EQ(pairs.size(), edges.size()) << hosts;
  }
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
