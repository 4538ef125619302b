// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/ipoib.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two ports of one function, each with an interface; the first one has a partition's, too; and one elsewhere.
FakeHost Fabric() {
  FakeHost host;
  const auto add = [&host](const std::string& name, const char* address, const char* place, const char* key) {
    host.links["/sys/class/net/" + name + "/device"] = std::string("../../../") + address;
    host.files["/sys/class/net/" + name + "/dev_port"] = place;
    host.files["/sys/class/net/" + name + "/pkey"] = key;
  };
  add("ib0", "0000:3b:00.0", "0\n", "0xffff\n");
  host.files["/sys/class/net/ib0.8001/pkey"] = "0x8001\n";
  add("ib1", "0000:3b:00.0", "1\n", "0xffff\n");
  add("ib2", "0000:86:00.0", "0\n", "none\n");
  return host;
}

Network FabricNetwork() {
  const auto link = [](std::uint32_t ifindex, const char* name, const char* kind) {
    Link one;
    one.ifindex = ifindex;
    one.name = name;
    one.kind = kind;
    return one;
  };
  Link child = link(3, "ib0.8001", "ipoib");
  child.peer = 2;
  Network network;
  network.links = LinkTable(
      {link(2, "ib0", "ipoib"), child, link(4, "ib1", "ipoib"), link(5, "ib2", "ipoib"), link(6, "eth0", "")});
  return network;
}

Port AtFunction(const char* address, std::uint32_t number) {
  Port port;
  port.number = number;
  port.transport = Transport::kInfiniBand;
  port.pci = PciFunction{.address = address};
  return port;
}

std::vector<std::string> NamesAt(const char* address, std::uint32_t number) {
  FakeHost host = Fabric();
  const Fact<std::vector<UpperNetdev>> found = ReadIpoib(host, FabricNetwork(), AtFunction(address, number));
  std::vector<std::string> names;
  if (!found) return {"missing: " + found.missing().detail};
  for (const UpperNetdev& one : *found) names.push_back(one.name);
  return names;
}

TEST(Ipoib, BelongsToThePortByFunctionAndPlace) {
  EXPECT_THAT(NamesAt("0000:3b:00.0", 1), ElementsAre("ib0", "ib0.8001"));
  EXPECT_THAT(NamesAt("0000:3b:00.0", 2), ElementsAre("ib1"));
  EXPECT_THAT(NamesAt("0000:86:00.0", 1), ElementsAre("ib2"));
  EXPECT_THAT(NamesAt("0000:af:00.0", 1), IsEmpty());
}

TEST(Ipoib, HasThePartitionsKey) {
  FakeHost host = Fabric();
  const Fact<std::vector<UpperNetdev>> found = ReadIpoib(host, FabricNetwork(), AtFunction("0000:3b:00.0", 1));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at(0).pkey, std::uint16_t{0xffff});
  EXPECT_EQ(found->at(1).pkey, std::uint16_t{0x8001});
  const Fact<std::vector<UpperNetdev>> odd = ReadIpoib(host, FabricNetwork(), AtFunction("0000:86:00.0", 1));
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->at(0).pkey.missing().kind, Missing::Kind::kFailed);
}

TEST(Ipoib, IsNotKnownWhereAnInterfaceDoesNotTellItsFunction) {
  FakeHost host = Fabric();
  host.links["/sys/class/net/ib1/device"] = ErrnoStatus(EACCES, "readlink device");
  const Fact<std::vector<UpperNetdev>> found = ReadIpoib(host, FabricNetwork(), AtFunction("0000:3b:00.0", 1));
  EXPECT_EQ(found.missing().kind, Missing::Kind::kDenied);
}

TEST(Ipoib, IsNotKnownWithoutTheLinksOrTheFunction) {
  FakeHost host = Fabric();
  Network network = FabricNetwork();
  Port port = AtFunction("0000:3b:00.0", 1);
  port.pci = Missing{Missing::Kind::kDenied, "denied"};
  EXPECT_EQ(ReadIpoib(host, network, port).missing().kind, Missing::Kind::kDenied);
  network.links = ErrnoStatus(EPERM, "dump links");
  EXPECT_EQ(ReadIpoib(host, network, AtFunction("0000:3b:00.0", 1)).missing().kind, Missing::Kind::kDenied);
}

}  // namespace
}  // namespace rdmaready
