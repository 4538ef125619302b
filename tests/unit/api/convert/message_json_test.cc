// SPDX-License-Identifier: Apache-2.0
#include "api/convert/message_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "rdmaready/v1/facts.pb.h"

namespace rdmaready::convert {
namespace {

using FactsTree = nlohmann::ordered_json;

FactsTree JsonOf(const Facts& facts) { return MessageJson(TypeOf<Facts>(), &facts, "rdmaready.v1.Facts"); }

std::vector<std::string> KeysOf(const FactsTree& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(MessageJson, WritesNumbersOf64BitsAsTextAndOctetsInBase64) {
  Facts facts;
  facts.uptime_s = ~std::uint64_t{0};
  facts.numa_nodes = 2u;
  facts.memlock = Memlock{.limit_bytes = 1, .cap_ipc_lock = true, .pid = -7};
  Port port;
  port.pci = PciFunction{.numa_node = std::int32_t{-1}};
  port.gids = std::vector<Gid>{{.raw = {0xfe, 0x80}, .type = GidType::kRoceV2}};
  facts.ports = std::vector<Port>{port};
  const FactsTree json = JsonOf(facts);
  EXPECT_EQ(json["uptime_s"], (FactsTree{{"value", "18446744073709551615"}}));
  EXPECT_EQ(json["numa_nodes"], (FactsTree{{"value", 2}}));
  EXPECT_EQ(json["memlock"]["value"], (FactsTree{{"limit_bytes", "1"}, {"cap_ipc_lock", true}, {"pid", "-7"}}));
  const FactsTree& read = json["ports"]["value"]["ports"][0];
  EXPECT_EQ(read["pci"]["value"]["numa_node"]["value"], -1);
  EXPECT_EQ(read["gids"]["value"]["gids"][0]["raw"], "/oAAAAAAAAAAAAAAAAAAAA==");
  EXPECT_EQ(read["gids"]["value"]["gids"][0]["type"], "GID_TYPE_ROCE_V2");
}

TEST(MessageJson, NamesTheListOfAFactAndNoOther) {
  Facts facts;
  facts.rdma_nodes = std::vector<std::string>{"rdma_cm"};
  facts.ksmbd = KsmbdConfig{.interfaces = {"eth0"}};
  Netdev netdev;
  netdev.dcb.max_rate_kbps = MaxRatesKbps{1};
  netdev.lldp = LldpHeard{.peers = {{.dialects = {.cee = true}, .app = std::vector<AppEntry>{{}}}}};
  Port port;
  port.netdev = netdev;
  facts.ports = std::vector<Port>{port};
  const FactsTree json = JsonOf(facts);
  EXPECT_EQ(json["rdma_nodes"]["value"], (FactsTree{{"names", FactsTree::array({"rdma_cm"})}}));
  EXPECT_EQ(json["ksmbd"]["value"]["interfaces"], FactsTree::array({"eth0"}));
  const FactsTree& read = json["ports"]["value"]["ports"][0]["netdev"]["value"];
  EXPECT_EQ(read["dcb"]["max_rate_kbps"]["value"]["kbps"].size(), 8u);
  const FactsTree& peer = read["lldp"]["value"]["peers"][0];
  EXPECT_EQ(peer["app"]["entries"].size(), 1u);
  EXPECT_EQ(peer["dcbx_cee"], true);
  EXPECT_EQ(peer["dcbx_ieee"], false);
}

TEST(MessageJson, LeavesOutAnOptionalFieldWithoutAValueAndPutsNumbersLast) {
  Facts facts;
  Netdev netdev;
  netdev.statistics = std::vector<NicStatistic>{{.name = "a"}, {.priority = std::uint8_t{0}, .name = "b"}};
  Port port;
  port.netdev = netdev;
  facts.ports = std::vector<Port>{port};
  const FactsTree json = JsonOf(facts)["ports"]["value"]["ports"][0]["netdev"]["value"];
  const FactsTree& statistics = json["statistics"]["value"]["statistics"];
  EXPECT_EQ(KeysOf(statistics[0]), (std::vector<std::string>{"counter", "name", "value"}));
  EXPECT_EQ(KeysOf(statistics[1]), (std::vector<std::string>{"counter", "name", "value", "priority"}));
}

TEST(MessageJson, GivesTheReasonOfAGapAndTheOrderOfTheMessages) {
  Facts facts;
  facts.kernel = Missing{Missing::Kind::kDenied, "no"};
  const FactsTree json = JsonOf(facts);
  EXPECT_EQ(json["kernel"], (FactsTree{{"missing", {{"kind", "KIND_DENIED"}, {"detail", "no"}}}}));
  EXPECT_EQ(json["ports"], (FactsTree{{"missing", {{"kind", "KIND_NOT_COLLECTED"}, {"detail", ""}}}}));
  const std::vector<std::string> keys = KeysOf(json);
  ASSERT_EQ(keys.size(), TypeOf<Facts>().fields().size());
  EXPECT_EQ(std::vector<std::string>(keys.begin(), keys.begin() + 4),
            (std::vector<std::string>{"hostname", "machine_id", "kernel", "rdma_stack"}));
}

TEST(MessageSchema, HasEveryFieldAndDefinesEachTypeOnce) {
  std::map<std::string, FactsTree> definitions;
  EXPECT_EQ(MessageSchema(TypeOf<Facts>(), "rdmaready.v1.Facts", definitions),
            (FactsTree{{"$ref", "#/$defs/Facts"}}));
  EXPECT_EQ(KeysOf(definitions["Facts"]["properties"]), KeysOf(JsonOf(Facts{})));
  EXPECT_EQ(definitions["Facts"]["required"].size(), TypeOf<Facts>().fields().size());
  EXPECT_EQ(definitions["Facts"]["properties"]["uptime_s"], (FactsTree{{"$ref", "#/$defs/FactOf_uint64"}}));
  const FactsTree& either = definitions["FactOf_uint64"]["oneOf"];
  EXPECT_EQ(either[0]["properties"]["value"], (FactsTree{{"type", "string"}, {"pattern", "^[0-9]+$"}}));
  EXPECT_EQ(either[1], (FactsTree{{"$ref", "#/$defs/Gap"}}));
  EXPECT_EQ(definitions["Names"]["properties"]["names"],
            (FactsTree{{"type", "array"}, {"items", {{"type", "string"}}}}));
  const FactsTree& statistic = definitions["NicStatistic"];
  EXPECT_EQ(KeysOf(statistic["properties"]).back(), "priority");
  EXPECT_EQ(statistic["required"], FactsTree::array({"counter", "name", "value"}));
  EXPECT_EQ(definitions["Gid"]["properties"]["raw"],
            (FactsTree{{"type", "string"}, {"contentEncoding", "base64"}}));
}

}  // namespace
}  // namespace rdmaready::convert
