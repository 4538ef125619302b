// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/render/text_facts_words.h"

namespace rdmaready {
namespace {

using SettingLine = std::pair<std::string, std::string>;

TEST(HostSettingLines, SaysWhatIsKnownAndNothingElse) {
  Facts facts;
  EXPECT_TRUE(HostSettingLines(facts).empty());
  facts.firewall = Firewall{.chains = {{.input_hook = true, .rules = {{}}}, {.rules = {{}}}}};
  facts.device_nodes = std::vector<DeviceNode>{{"rdma_cm", 0666}, {"umad0", 0600}};
  facts.agent_capabilities = std::uint64_t{0x7000};
  facts.agent_process = std::string("rdmaready");
  facts.agent_user = std::uint32_t{0};
  facts.boot_targets =
      std::vector<BootTarget>{{.table = "NBFT", .mac = "02:00:00:00:00:01", .target = "nqn.disk"}};
  facts.markings = std::vector<ConsumerMarking>{
      {.consumer = MarkingConsumer::kNccl, .source = "/etc/nccl.conf", .tos = 106, .gid_index = 3}};
  facts.routing_rules =
      std::vector<RoutingRule>{{false, 100, "from 10.0.0.1", "lookup 1000"}, {true, 9, "from all", "prohibit"}};
  facts.tos_keepers = std::vector<std::string>{};
  facts.irqbalance = false;
  EXPECT_EQ(
      HostSettingLines(facts),
      (std::vector<SettingLine>{{"node modes", "rdma_cm 0666, umad0 0600"},
                                {"agent's powers", "capabilities 0x7000 of rdmaready, user 0"},
                                {"packet filter", "2 rules for what arrives, in 2 chains, 1 of them at a hook"},
                                {"routing rules", "100: from 10.0.0.1 lookup 1000, IPv6 9: from all prohibit"},
                                {"ToS set at boot", "none"},
                                {"own markings", "/etc/nccl.conf ToS 106 GID index 3"},
                                {"booted from", "nqn.disk (NBFT, by 02:00:00:00:00:01)"},
                                {"irqbalance", "does not run"}}));
}

TEST(HostSettingLines, NamesTheConfigurationOfServices) {
  Facts facts;
  facts.cma = CmaMemory{.total_bytes = 33'554'432, .free_bytes = 1'048'576};
  facts.named_devices = std::vector<NamedDevice>{
      {.device = "mlx5_1", .exact = true, .source = "/etc/nccl.conf", .port = 1, .excluded = true},
      {.device = "mlx5", .source = "/etc/environment"}};
  facts.nvmet_ports = std::vector<NvmetPort>{{.id = "1",
                                              .transport = "rdma",
                                              .address = "10.0.0.5",
                                              .service = "4420",
                                              .subsystems = {"nqn.a"},
                                              .netdev = std::string("ens1")},
                                             {.id = "2", .address = "fd00::5", .service = "4421"}};
  facts.iscsi_portals = std::vector<IscsiPortal>{{.target = "iqn.a",
                                                  .group = "tpgt_1",
                                                  .address = "10.0.0.9",
                                                  .port = 3260,
                                                  .iser = true,
                                                  .netdev = std::string()}};
  facts.fabric_managers = std::vector<FabricManager>{
      {.name = "opensm",
       .unit = "opensm.service",
       .starts = true,
       .ports = {{"/etc/rdma/opensm.conf", 0x1a40}}},
      {.name = "opafm", .unit = "opafm.service", .starts = false, .all_ports = true}};
  EXPECT_EQ(HostSettingLines(facts),
            (std::vector<SettingLine>{
                {"devices in configuration", "not mlx5_1:1 (/etc/nccl.conf), mlx5* (/etc/environment)"},
                {"NVMe target",
                 "port 1 rdma 10.0.0.5:4420 on ens1, 1 subsystems; port 2 without transport "
                 "[fd00::5]:4421, 0 subsystems"},
                {"iSCSI portals", "iqn.a tpgt_1 10.0.0.9:3260 on no interface here by RDMA"},
                {"fabric managers",
                 "opensm.service starts at boot, 0x0000000000001a40 (/etc/rdma/opensm.conf); "
                 "opafm.service does not start at boot, for all ports"},
                {"CMA", "32 MiB, 1 MiB free"}}));
}

TEST(HostSettingLines, SaysWhatWasAskedForAndWithheld) {
  Facts facts;
  facts.firewall = Missing{Missing::Kind::kDenied, "without CAP_NET_ADMIN"};
  facts.routing_rules = Missing{Missing::Kind::kFailed, "list by rtnetlink GETRULE: No buffer space available"};
  facts.boot_targets = Missing{Missing::Kind::kUnsupported, "no such tables"};
  EXPECT_EQ(HostSettingLines(facts),
            (std::vector<SettingLine>{
                {"packet filter", "(denied: without CAP_NET_ADMIN)"},
                {"routing rules", "(failed: list by rtnetlink GETRULE: No buffer space available)"}}));
  facts = {};
  facts.routing_rules = std::vector<RoutingRule>{};
  EXPECT_EQ(HostSettingLines(facts), (std::vector<SettingLine>{{"routing rules", "the kernel's own only"}}));
}

}  // namespace
}  // namespace rdmaready
