// SPDX-License-Identifier: Apache-2.0
#include "collectors/lldp/lldp_agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kLldpad = "0000000000000000: 00000002 00000000 00000000 0002 01 17170 @/com/intel/lldpad";
constexpr const char* kClient =
    "0000000000000000: 00000002 00000000 00000000 0002 01 17171 @/com/intel/lldpad/4711";
constexpr const char* kLldpd = "0000000000000000: 00000002 00000000 00010000 0001 01 17172 /run/lldpd.socket";

constexpr const char* kStat =
    "4711 (lldpad) S 1 4711 4711 0 -1 4194368 100 0 0 0 1 2 0 0 20 0 1 0 123456 6000 300 0";

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
  host.files["/var/run/lldpad.pid"] = std::string("4711\n") + std::string(27, '\0');
  host.files["/proc/4711/stat"] = kStat;
  const LldpAgents agents = ReadLldpAgents(host);
  EXPECT_THAT(*agents.names, ElementsAre("lldpad"));
  EXPECT_EQ(*agents.lldpad_started_ms, 1'234'560U);
  FakeHost mute;
  EXPECT_FALSE(ReadLldpAgents(mute).names);
  EXPECT_EQ(ReadLldpAgents(mute).names.missing(), ReadLldpAgents(mute).lldpad_started_ms.missing());
}

TEST(LldpAgents, AReadOnlyLldpadIsNamedWithItsOption) {
  FakeHost host;
  host.files["/proc/net/unix"] = std::string(kLldpad) + "\n" + kLldpd + "\n";
  host.files["/var/run/lldpad.pid"] = "4711\n";
  host.files["/proc/4711/stat"] = kStat;
  const auto names = [&host](std::string command_line) {
    host.files["/proc/4711/cmdline"] = std::move(command_line);
    return *ReadLldpAgents(host).names;
  };
  using namespace std::string_literals;
  EXPECT_THAT(names("/usr/sbin/lldpad\0-t\0-R\0"s), ElementsAre("lldpad -R", "lldpd"));
  EXPECT_THAT(names("/usr/sbin/lldpad\0-tR\0"s), ElementsAre("lldpad -R", "lldpd"));
  EXPECT_THAT(names("/usr/sbin/lldpad\0-t\0"s), ElementsAre("lldpad", "lldpd"));
  EXPECT_THAT(names("/opt/-R/lldpad\0-f\0/etc/R.conf\0"s), ElementsAre("lldpad", "lldpd"));
  EXPECT_THAT(names(""), ElementsAre("lldpad", "lldpd"));
}

TEST(LldpAgents, WithoutLldpadItsRecordIsNotRead) {
  FakeHost host;
  host.files["/proc/net/unix"] = std::string(kLldpd) + "\n";
  const LldpAgents agents = ReadLldpAgents(host);
  EXPECT_THAT(*agents.names, ElementsAre("lldpd"));
  EXPECT_EQ(agents.lldpad_started_ms.missing(), (Missing{Missing::Kind::kUnsupported, "lldpad does not run"}));
  EXPECT_FALSE(host.Asked("read"));
}

// systemd holds the socket of an lldpad that was stopped, and starts it at the first question.
TEST(LldpAgents, ASocketAloneIsNoLldpad) {
  FakeHost host;
  host.files["/proc/net/unix"] = std::string(kLldpad) + "\n";
  const auto why = [&host] {
    const LldpAgents agents = ReadLldpAgents(host);
    EXPECT_FALSE(agents.names);
    EXPECT_FALSE(agents.lldpad_started_ms);
    EXPECT_EQ(agents.names.missing().kind, Missing::Kind::kFailed);
    return agents.names.missing().detail;
  };
  EXPECT_THAT(why(), HasSubstr("or only systemd hold its socket"));  // no record
  host.files["/var/run/lldpad.pid"] = "4711\n";
  EXPECT_THAT(why(), HasSubstr("or only systemd hold its socket"));  // of a process that is gone
  host.files["/proc/4711/stat"] = "4711 (sh) S 1 4711 4711 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 123456 0";
  EXPECT_THAT(why(), HasSubstr("is not lldpad"));
  host.files["/var/run/lldpad.pid"] = "";
  EXPECT_THAT(why(), HasSubstr("no process in"));
}

TEST(LldpAgents, WhoMayNotReadTheRecordIsDenied) {
  FakeHost host;
  host.files["/proc/net/unix"] = std::string(kLldpad) + "\n";
  host.files["/var/run/lldpad.pid"] = ErrnoStatus(EACCES, "read /var/run/lldpad.pid");
  EXPECT_EQ(ReadLldpAgents(host).names.missing().kind, Missing::Kind::kDenied);
}

TEST(LldpAgents, AStartIsReadOfLldpadOnly) {
  EXPECT_EQ(*DecodeLldpadStart(kStat), 1'234'560U);
  for (const std::string& wrong :
       {std::string(), std::string("4711 (lldpad)"), std::string("4711 (lldpad) S 1 2"),
        std::string(kStat).substr(0, 70),
        std::string("4711 (x) (lldpad) S 1 4711 4711 0 -1 0 0 0 0 0 0 0 0 0 20 "
                    "0 1 0 123456 0"),
        std::string("4711 (lldpad) S 1 4711 4711 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 18446744073709551615 0"),
        std::string("4711 (lldpad) S 1 4711 4711 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 x 0")}) {
    EXPECT_FALSE(DecodeLldpadStart(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace rdmaready
