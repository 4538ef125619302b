// SPDX-License-Identifier: Apache-2.0
#include "checks/words/words.h"

#include <gtest/gtest.h>

#include "checks/judge.h"
#include "checks/placeholders.h"
#include "checks/words/packages.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

TEST(Words, WriteListsAsPeopleDo) {
  EXPECT_EQ(ListText({}), "");
  EXPECT_EQ(ListText(PrioritiesOf(0x08)), "3");
  EXPECT_EQ(ListText(PrioritiesOf(0x18)), "3 and 4");
  EXPECT_EQ(ListText(PrioritiesOf(0x19)), "0, 3 and 4");
}

TEST(Words, TurnBitmapsIntoPrioritiesAndBack) {
  for (unsigned bitmap = 0; bitmap < 256; ++bitmap) {
    EXPECT_EQ(BitmapOf(PrioritiesOf(static_cast<std::uint8_t>(bitmap))), bitmap);
  }
  EXPECT_EQ(BitmapOf(std::vector<std::uint8_t>{3, 9}), 0x08);
}

TEST(Words, ReadTheAddressOfAGid) {
  EXPECT_EQ(AddressOfGid({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1}), "10.0.0.1");
  EXPECT_EQ(AddressOfGid({0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}), "fd00::1");
  EXPECT_EQ(AddressOfGid({0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}), "");
  EXPECT_EQ(AddressOfGid({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 169, 254, 0, 1}), "");
  EXPECT_EQ(AddressOfGid({}), "");
}

TEST(Words, QuoteWhatAShellWouldRun) {
  EXPECT_EQ(ShellWord("dcb0"), "dcb0");
  EXPECT_EQ(ShellWord("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(ShellWord("a'b"), "'a'\\''b'");
  EXPECT_EQ(ShellWord(""), "''");
}

TEST(FillIn, NamesInCapitalsWhatItDoesNotKnow) {
  const Facts host = GoodHost();
  EXPECT_EQ(FillIn("{device} {port} {netdev} {priority} {dscp} {tos} {mtu} {speed} {pid} {transport} {memlock}",
                   host, &host.ports->front(), VirtualFabricProfile()),
            "rxe0 1 dcb0 3 26 106 9000 25000 4711 roce-v2 64 MiB");
  EXPECT_EQ(FillIn("{netdev} {tos} {pid}", Facts{}, nullptr, Profile{}), "NETDEV TOS PID");
  EXPECT_EQ(FillIn("{other} { {netdev", Facts{}, nullptr, Profile{}), "{other} { {netdev");
}

TEST(FillIn, NamesPackagesAsTheDistributionDoes) {
  const auto text = [](Fact<Distribution> distribution) {
    Facts host;
    host.distribution = std::move(distribution);
    return FillIn("{install verbs-drivers}; {install -y opensm} && true", host, nullptr, Profile{});
  };
  EXPECT_EQ(text(Distribution{.id = "debian"}),
            "apt-get install ibverbs-providers; apt-get install -y opensm && true");
  EXPECT_EQ(text(Distribution{.id = "rocky", .like = {"rhel", "centos", "fedora"}}),
            "dnf install libibverbs; dnf install -y opensm && true");
  EXPECT_EQ(text(Distribution{.id = "sles", .like = {"suse"}}),
            "zypper install libibverbs; zypper install -y opensm && true");
  EXPECT_EQ(text(Distribution{.id = "arch"}),
            "# install the verbs drivers of rdma-core; # install opensm && true");
  EXPECT_EQ(text(Missing{}), text(Distribution{.id = "arch"}));
  EXPECT_EQ(FillIn("{install} {install nobody}", Facts{}, nullptr, Profile{}), "{install} {install nobody}");
}

TEST(Packages, AreThoseOfTheDistributionOrOfOneThatItIsLike) {
  const auto of = [](const char* id, std::vector<std::string> like) {
    return PackageManagerOf(Distribution{.id = id, .like = std::move(like)});
  };
  EXPECT_EQ(of("linuxmint", {"ubuntu", "debian"}), PackageManager::kApt);
  EXPECT_EQ(of("ol", {"fedora"}), PackageManager::kDnf);
  EXPECT_EQ(of("amzn", {"fedora"}), PackageManager::kDnf);
  EXPECT_EQ(of("opensuse-leap", {"suse", "opensuse"}), PackageManager::kZypper);
  EXPECT_EQ(of("gentoo", {}), PackageManager::kUnknown);
  EXPECT_EQ(of("opensuse-microos", {"suse", "opensuse"}), PackageManager::kUnknown) << "its root is read-only";
}

TEST(Packages, AreThoseOfTheKernelOnlyWhereTheDistributionIsNotKnown) {
  Facts host;
  EXPECT_EQ(PackageManagerOf(host), PackageManager::kUnknown);
  host.kernel = Kernel{.release = "6.12.117+deb12-amd64"};
  EXPECT_EQ(PackageManagerOf(host), PackageManager::kApt);
  host.distribution = Distribution{.id = "rhel"};
  EXPECT_EQ(PackageManagerOf(host), PackageManager::kDnf);
  host.distribution = Distribution{.id = "arch"};
  EXPECT_EQ(PackageManagerOf(host), PackageManager::kUnknown);
}

TEST(Words, KnowLinkLocalAddresses) {
  for (const char* address :
       {"169.254.0.1", "169.254.255.255", "fe80::1", "febf::1", "FE80::1", "fe80::1%eth0"}) {
    EXPECT_TRUE(IsLinkLocal(address)) << address;
  }
  for (const char* address :
       {"169.253.0.1", "169.255.0.1", "10.0.0.1", "fec0::1", "fe8::1", "fd00::1", "fe80", ""}) {
    EXPECT_FALSE(IsLinkLocal(address)) << address;
  }
}

TEST(Printable, LeavesWordsOfAnyLanguageAlone) {
  for (const char* text : {"", "rxe0/1 dcb0", "p99 \xc2\xb5s \xc2\xb7", "\xe4\xb8\xad\xe6\x96\x87",
                           "\xf0\x9f\x98\x80", "\xe2\x80\xa6\xe2\x86\x92", "\xc3\x9f"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(Printable, BlanksWhatDrivesATerminal) {
  EXPECT_EQ(Printable("a\x1b[31m\r\n\t\x7f"), "a [31m    ");
  EXPECT_EQ(Printable("a\xc2\x80"
                      "b\xc2\x9b"
                      "c\xc2\x9f"
                      "d\xc2\xa0"),
            "a b c d\xc2\xa0");  // CSI in one character
  EXPECT_EQ(Printable("a\xe2\x80\xaa"
                      "b\xe2\x80\xae"
                      "c\xe2\x80\xaf"),
            "a b c\xe2\x80\xaf");
  EXPECT_EQ(Printable("a\xe2\x81\xa6"
                      "b\xe2\x81\xa9"
                      "c\xe2\x81\xaa"),
            "a b c\xe2\x81\xaa");
  EXPECT_EQ(Printable("a\xe2\x80\xa8"
                      "b"),
            "a b");
}

TEST(Printable, BlanksWhatIsNotUtf8) {
  EXPECT_EQ(Printable("a\x9b"
                      "b"),
            "a b");
  EXPECT_EQ(Printable("\xff\xfe"), "  ");
  EXPECT_EQ(Printable("a\xc3"), "a ");               // cut
  EXPECT_EQ(Printable("\xe2\x80"), "  ");            // cut
  EXPECT_EQ(Printable("\xe2(x"), " (x");             // no continuation
  EXPECT_EQ(Printable("\xc0\x9b"), "  ");            // overlong
  EXPECT_EQ(Printable("\xe0\x82\x9b"), "   ");       // overlong
  EXPECT_EQ(Printable("\xed\xa0\x80"), "   ");       // a surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "    ");  // above U+10FFFF
}

// What a shell would see outside of single quotes and before the comment.
std::string OutsideQuotes(const std::string& command) {
  std::string bare;
  bool quoted = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (!quoted && command[i] == '\\') {
      ++i;
    } else if (command[i] == '\'') {
      quoted = !quoted;
    } else if (!quoted) {
      bare += command[i];
    }
  }
  return bare;
}

TEST(FillIn, LetsNoNameOfAHostOutOfItsQuotes) {
  for (const auto& [device, netdev] :
       {std::pair("$(reboot)", "{device}"), std::pair("{netdev}", "$(reboot)"),
        std::pair("'$(reboot)", "a'{device}'b"), std::pair("$(reboot){netdev}", "{device}{port}")}) {
    for (const std::size_t broken : {0U, 1U, 2U}) {
      Facts host = WithPort([&](Port& port) {
        port.device = device;
        Netdev changed = broken == 2 ? Netdev{} : *port.netdev;
        changed.name = netdev;
        if (broken == 1) {
          changed.mtu_bytes = 1500;
          changed.dcb = Dcb{.ets = Ets{}, .pfc = Pfc{}, .app = std::vector<AppEntry>{}};
          port.gids = std::vector<Gid>{};
          port.state = PortState::kDown;
        }
        port.netdev = changed;
      });
      for (const Finding& finding : JudgeHost(host, VirtualFabricProfile())) {
        EXPECT_EQ(OutsideQuotes(finding.fix).find("$("), std::string::npos)
            << finding.id << ": " << finding.fix;
      }
    }
  }
}

TEST(FillIn, KeepsOutOfTheValuesThatAreAlreadyThere) {
  const Facts host = WithPort([](Port& port) {
    port.device = "$(reboot)";
    Netdev netdev = *port.netdev;
    netdev.name = "{device}";
    port.netdev = netdev;
  });
  const Port& port = host.ports->front();
  EXPECT_EQ(FillIn("ip link show dev {netdev}", host, &port, Profile{}), "ip link show dev '?device?'");
  EXPECT_EQ(FillIn("ip link show dev " + NetdevWord(port.netdev), host, &port, Profile{}),
            "ip link show dev '?device?'");
}

TEST(IpAddressCheck, AsksForAnAddressWhereThereAreLinkLocalOnesOnly) {
  const Facts host = WithPort([](Port& port) {
    port.gids = std::vector<Gid>{{.index = 0,
                                  .raw = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 169, 254, 0, 1},
                                  .type = GidType::kRoceV2,
                                  .netdev = "dcb0"}};
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{{.address = "169.254.0.1", .prefix_length = 16}};
    port.netdev = netdev;
  });
  const Finding finding = Of(JudgeHost(host, VirtualFabricProfile()), "ip.address");
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  ASSERT_TRUE(finding.remedy.has_value());
  EXPECT_EQ(finding.remedy->steps.front().action, "fill in and run: ip address add ADDRESS dev dcb0");
}

}  // namespace
}  // namespace rdmaready
