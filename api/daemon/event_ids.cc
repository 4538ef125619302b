// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/event_ids.h"

#include <algorithm>
#include <array>

namespace rdmaready {
namespace {

constexpr auto kIds = std::to_array<EventId>({
    {"acknowledged", "730b58937d614c8d8214e6e41a76091e"},
    {"agent-refused", "a53762c6083b4c3ca544707fd0f5a334"},
    {"audit", "0c87f8ac39ae451695b9f4f4ae93f3e4"},
    {"audit-file", "04963279a5be4fbe9fb7914c3e8e4dad"},
    {"audit-lost", "a884b238eada46dd9b3f41f9a8801a30"},
    {"cannot-start", "b18010d2170b4db7991509a6009fcd5c"},
    {"change", "be63f3fd1a164b7c8412a96624317f21"},
    {"check", "176d615879d442759956a01b255765fc"},
    {"check-refused", "bd473507820b4b6b93b5bb44863b2782"},
    {"check-skipped", "e21abb13d88542b286ca3e77942935b0"},
    {"clock-jump", "3a2e00eb5624492d80b85a85b0aade16"},
    {"connections-full", "c0f4280a81f64f3fac0bb883f2d1dcf4"},
    {"drift", "d08e5f8561024d0788cd35a543f0bf8e"},
    {"drift-off", "7fc6a7de6b444d95bbda421e4384afd4"},
    {"ended-anyway", "890d9580ca4c41bf802a756dc4c5f129"},
    {"enrol-refused", "67986435e96dfd8fa67a786265a19e47"},
    {"enrolled", "7a34273fa58bffc7211406029df1086d"},
    {"finding", "f8be32daffe04f3e98371f5bf6fd84ce"},
    {"grpc", "98702dbe5b454f42a1052f79aa0355b1"},
    {"handshakes-late", "8498f451b5c64976a6d2754e71a29c2d"},
    {"host-identity", "849c03ef419141699720e56bb84152bb"},
    {"hub", "265bac43d6e74e9f8a335c8b59c974f3"},
    {"hub-away", "4bd8ac203d46496ab5878f2eddfb09a4"},
    {"hub-refused", "9e0c4427f94744e999a04e76014e3f50"},
    {"identity", "0a251102e8ece411e2379170378f11d2"},
    {"insecure", "92bc689aa023404082a55139ba726f10"},
    {"listening", "3b262a40d528406c9d0148b9e8ad2cbc"},
    {"lists", "17f333aa7fa61b8cf4dc21f3a1d31ba7"},
    {"maintenance", "a30477606dde4883ab0a73dc530cef91"},
    {"metrics", "31efc6ca2f8d491caa9442b5ef94ef32"},
    {"metrics-off", "1b76c2262632450da0f038587e897ea8"},
    {"no-local-socket", "cd89f6f594fd4569a4ca41733d1e59cb"},
    {"no-progress", "3d42897eb7f34586ab21a03de847fb3f"},
    {"notices-arrive", "40320716dd224e01ba8812d7a0dd024f"},
    {"notices-fail", "710dc2a5b2c24c588033e030527410fe"},
    {"notices-not-kept", "1f5215fcfc6f403aaeb620eff8dc294d"},
    {"nvme-leftover", "7405221842ad41f0b2f5f8a4f415c594"},
    {"own-test-skipped", "c8d33dd4810340bcb7bd6ce924377977"},
    {"peer-refused", "92227f6d57be40af8ce1b00eafa3a3db"},
    {"probe", "e54c3b813b114d849009fe1a7c91043a"},
    {"progress", "c7041602f48d4faf88e325561d1707b2"},
    {"proofs-by-helper", "11ba2e04e75f493bb5539ad123ada37f"},
    {"prover", "d3138b7bc451418689d69f5d7d3fe020"},
    {"refused", "fc474a36f3fd40f585036c885d3e89da"},
    {"reload-refused", "f7f75d1001f64bb0bdc6829c11ac3621"},
    {"reloaded", "604e8531be0543b285156b5afd0581ef"},
    {"renewed", "e67ec6e4b636bd3ccf69d1aff77b15b8"},
    {"revoked", "699a57d1455c02e25491680d62557192"},
    {"roles", "312ea7884e4949f6951b68e30c1d26f2"},
    {"stopping", "2516998624af4760a3584a0586581d5d"},
    {"store", "b08e31e4447e4fdfb46ee26084a19f54"},
    {"test", "dffe44fce3a841d3bf56efccc39af364"},
    {"tls-crl-stale", "e91413caeb5f4508a0ad1923a3dcb571"},
    {"tls-refused", "3b86f210557640a396d43fb9867c1c4f"},
    {"tokens-made", "2bf8e68a9f66b7059a70aba9b92140e3"},
    {"tokens-withdrawn", "b1777a87e6864b21b229779bbea23ba9"},
});

}  // namespace

std::span<const EventId> EventIds() { return kIds; }

std::string_view MessageIdOf(std::string_view event_name) {
  const auto* row = std::ranges::find(kIds, event_name, &EventId::name);
  return row == kIds.end() ? std::string_view() : row->id;
}

}  // namespace rdmaready
