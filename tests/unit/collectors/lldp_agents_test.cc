// SPDX-License-Identifier: Apache-2.0
#include "collectors/lldp_agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kLldpad = "0000000000000000: 00000002 00000000 00000000 0002 01 17170 @/com/intel/lldpad";
constexpr const char* kClient =
    "0000000000000000: 00000002 00000000 00000000 0002 01 17171 @/com/intel/lldpad/4711";
constexpr const char* kLldpd = "0000000000000000: 00000002 00000000 00010000 0001 01 17172 /run/lldpd.socket";

TEST(LldpAgents, AreKnownByTheirSockets) {
  EXPECT_THAT(DecodeLldpAgents({kLldpad}), ElementsAre("lldpad"));
  EXPECT_THAT(DecodeLldpAgents({kLldpd, kLldpd, kLldpad}), ElementsAre("lldpad", "lldpd"));
  EXPECT_THAT(DecodeLldpAgents({std::string(kLldpad) + "@@@"}), ElementsAre("lldpad"));
  EXPECT_THAT(DecodeLldpAgents({"0: 2 0 10000 1 01 9 /var/run/lldpd.socket"}), ElementsAre("lldpd"));
}

TEST(LldpAgents, AreNotTheirClients) {
  EXPECT_THAT(DecodeLldpAgents({kClient, "@@@", ""}), IsEmpty());
  EXPECT_THAT(DecodeLldpAgents({"0: 2 0 0 2 01 9 /tmp/@/com/intel/lldpad"}), IsEmpty());
}

TEST(LldpAgents, AreReadWithoutOtherSockets) {
  FakeHost host;
  host.files["/proc/net/unix"] = "Num       RefCount Protocol Flags    Type St Inode Path\n" +
                                 std::string(kLldpad) +
                                 "\n0: 00000002 00000000 00010000 0001 01 9 /run/secret.socket\n";
  EXPECT_THAT(*ReadLldpAgents(host), ElementsAre("lldpad"));
  FakeHost mute;
  EXPECT_FALSE(ReadLldpAgents(mute));
}

}  // namespace
}  // namespace rdmaready
