// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/network_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "api/base/status.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Names = std::vector<std::string>;

std::vector<std::string> NamesOf(const std::vector<NamedDevice>& all) {
  std::vector<std::string> names;
  for (const NamedDevice& one : all) names.push_back(one.device);
  return names;
}

std::vector<std::string> NamesIn(const std::string& line, std::string_view word) {
  return NamesOf(DecodeNetworkLines(std::vector<std::string>{line}, word, "/f"));
}

TEST(NetworkFiles, NameTheirInterfaces) {
  EXPECT_THAT(NamesIn("interface-name=ens1f0np0", "interface-name"), ElementsAre("ens1f0np0"));
  EXPECT_THAT(NamesIn("Name=ens1", "Name"), ElementsAre("ens1"));
  for (const char* line : {"Name=en*", "Name=!ens1", "Name=ens1 ens2"})
    EXPECT_THAT(NamesIn(line, "Name"), IsEmpty());
  EXPECT_THAT(NamesIn("#Name=ens1", "Name"), IsEmpty());
  EXPECT_THAT(NamesIn("OriginalName=ens1", "Name"), IsEmpty());
  EXPECT_THAT(NamesIn("Name=", "Name"), IsEmpty());
  EXPECT_THAT(NamesIn("Names=ens1", "Name"), IsEmpty());
  EXPECT_THAT(NamesIn("Name ens1", "Name"), IsEmpty());
}

TEST(NetworkFiles, NameTheirInterfacesWithBlanksAndQuotes) {
  for (const char* line : {"interface-name = ens1", "interface-name =ens1", "interface-name\t=\tens1 ",
                           "interface-name=\"ens1\"", "interface-name = 'ens1'"})
    EXPECT_THAT(NamesIn(line, "interface-name"), ElementsAre("ens1")) << line;
}

constexpr const char* kConnection = "/etc/NetworkManager/system-connections/roce1.nmconnection";

TEST(NetworkFiles, CountOnlyWhereTheirManagerRuns) {
  FakeHost host;
  host.files[kConnection] = "[connection]\nid=roce1\ninterface-name=ens1\n[wifi-security]\npsk=secret\n";
  host.directories["/etc/NetworkManager/system-connections"] = Names{"roce1.nmconnection", "old.nmconnection~"};
  EXPECT_THAT(*ReadManagedInterfaces(host).named, IsEmpty());
  host.directories["/run/NetworkManager"] = Names{"devices"};
  const std::vector<NamedDevice> all = *ReadManagedInterfaces(host).named;
  EXPECT_THAT(all, ElementsAre(NamedDevice{.device = "ens1", .exact = true, .source = kConnection}));
}

TEST(ReadManagedInterfaces, ReadsKeysWithBlanksBeforeTheSign) {
  for (const char* line : {"interface-name = ens1", "  interface-name\t= ens1", "interface-name = \"ens1\""}) {
    FakeHost host;
    host.directories["/run/NetworkManager"] = Names{"devices"};
    host.directories["/etc/NetworkManager/system-connections"] = Names{"roce1.nmconnection"};
    host.files[kConnection] = std::string("[connection]\n") + line + "\n";
    EXPECT_THAT(NamesOf(*ReadManagedInterfaces(host).named), ElementsAre("ens1")) << line;
  }
}

TEST(ReadManagedInterfaces, ReturnsAGapWhereNothingWasReadable) {
  FakeHost host;
  host.directories["/run/NetworkManager"] = Names{"devices"};
  host.directories["/etc/NetworkManager/system-connections"] = Names{"a.nmconnection", "b.nmconnection"};
  const std::string folder = "/etc/NetworkManager/system-connections/";
  for (const char* name : {"a.nmconnection", "b.nmconnection"})
    host.files[folder + name] = ErrnoStatus(EACCES, "read " + folder + name);
  EXPECT_EQ(ReadManagedInterfaces(host).named.missing().kind, Missing::Kind::kDenied);
  EXPECT_THAT(ReadManagedInterfaces(host).unread,
              ElementsAre(folder + "a.nmconnection", folder + "b.nmconnection"));
}

TEST(ReadManagedInterfaces, NamesTheFileThatIsNotReadableBesideOneThatIs) {
  FakeHost host;
  const std::string folder = "/etc/NetworkManager/system-connections/";
  host.directories["/run/NetworkManager"] = Names{"devices"};
  host.directories["/etc/NetworkManager/system-connections"] = Names{"a.nmconnection", "b.nmconnection"};
  host.files[folder + "a.nmconnection"] = "interface-name=ens1\n";
  host.files[folder + "b.nmconnection"] = ErrnoStatus(EACCES, "read " + folder + "b.nmconnection");
  const ManagedInterfaces managed = ReadManagedInterfaces(host);
  EXPECT_THAT(NamesOf(*managed.named), ElementsAre("ens1"));
  EXPECT_THAT(managed.unread, ElementsAre(folder + "b.nmconnection"));
}

TEST(ReadManagedInterfaces, SaysNothingOfTheFolderOfAManagerThatDoesNotRun) {
  FakeHost host;
  host.directories["/etc/NetworkManager/system-connections"] = ErrnoStatus(EACCES, "list");
  const ManagedInterfaces none = ReadManagedInterfaces(host);
  EXPECT_THAT(*none.named, IsEmpty());
  EXPECT_THAT(none.unread, IsEmpty());
  host.directories["/run/NetworkManager"] = Names{"devices"};
  const ManagedInterfaces running = ReadManagedInterfaces(host);
  EXPECT_FALSE(running.named);
  EXPECT_THAT(running.unread, ElementsAre("/etc/NetworkManager/system-connections"));
}

TEST(ReadManagedInterfaces, NamesAFolderWithMoreFilesThanItReads) {
  FakeHost host;
  host.directories["/run/systemd/netif/links"] = Names{"4"};
  Names names;
  for (int i = 0; i < 300; ++i) names.push_back(std::to_string(1000 + i) + ".network");
  host.directories["/etc/systemd/network"] = names;
  EXPECT_THAT(ReadManagedInterfaces(host).unread, ElementsAre("/etc/systemd/network"));
}

TEST(NetworkFiles, NetworkdRunsWhereItHasLinks) {
  FakeHost host;
  host.files["/etc/systemd/network/20-storage.network"] = "[Match]\nName=ens1f0\n[Link]\nMTUBytes=9000\n";
  host.directories["/etc/systemd/network"] = Names{"20-storage.network", "20-storage.netdev"};
  EXPECT_THAT(*ReadManagedInterfaces(host).named, IsEmpty());
  host.directories["/run/systemd/netif/links"] = Names{"4"};
  EXPECT_THAT(NamesOf(*ReadManagedInterfaces(host).named), ElementsAre("ens1f0"));
}

}  // namespace
}  // namespace rdmaready
