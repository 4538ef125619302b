// SPDX-License-Identifier: Apache-2.0
#include "agent/share/cifs_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/share/evidence.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// As Linux 6.12 writes it.
constexpr std::string_view kOverRdma = R"(Display Internal CIFS Data Structures for Debugging
---------------------------------------------------
CIFS Version 2.51
Features: DFS,FSCACHE,SMB_DIRECT,STATS2,DEBUG,XATTR,ACL
CIFSMaxBufSize: 16384

Servers: 
1) ConnectionId: 0x1a Hostname: 10.0.0.2 
ClientGUID: 1BEBD8C2-1AAA-CC49-A4E9-2A5DCC0355A2
SMBDirect (in hex) protocol version: 100 transport status: 2
Conn receive_credit_max: ff send_credit_target: ff max_send_size: 554
Conn keep_alive_interval: 7270e00 max_readwrite_size: 200000 rdma_readwrite_threshold: 1000
Number of credits: 645,1,1 Dialect 0x311 posix
Server capabilities: 0x30000c
RDMA 
TCP status: 1 Instance: 1

	Sessions: 
	1) Address: 10.0.0.2 Uses: 1 Capability: 0x30000c	Session Status: 1 
	Security type: RawNTLMSSP  SessionId: 0x1

	Server interfaces: 2	Last updated: 1 seconds ago
	1)	Speed: 25Gbps
		Capabilities: rdma 
		IPv4: 10.0.0.2
		Weight (cur,total): (1,1)
		Allocated channels: 1
		[CONNECTED]

	2)	Speed: 1Gbps
		Capabilities: rss 
		IPv6: fe80:0000:0000:0000:5054:00ff:fe00:0102
		Allocated channels: 0


	MIDs: 
--
)";

TEST(CifsState, ReadsAConnectionOverRdmaAndWhatTheServerOffers) {
  const CifsState state = ParseCifsState(kOverRdma);
  EXPECT_EQ(state.smb_direct, true);
  ASSERT_EQ(state.connections.size(), 1U);
  const CifsConnection& connection = state.connections.front();
  EXPECT_EQ(connection.id, 0x1aU);
  EXPECT_EQ(connection.server, "10.0.0.2");
  EXPECT_TRUE(connection.rdma);
  EXPECT_FALSE(connection.is_signed);
  EXPECT_EQ(connection.max_read_write_bytes, 2097152U);
  EXPECT_EQ(connection.rdma_threshold_bytes, 4096U);
  EXPECT_THAT(
      connection.interfaces,
      ElementsAre(
          CifsInterface{.address = "10.0.0.2", .speed = "25Gbps", .rdma = true, .connected = true},
          CifsInterface{.address = "fe80:0000:0000:0000:5054:00ff:fe00:0102", .speed = "1Gbps", .rss = true}));
}

TEST(CifsState, TellsAConnectionOverTcpThatIsSignedFromOneOverRdma) {
  const CifsState state = ParseCifsState(
      "Features: DFS,XATTR\n"
      "1) ConnectionId: 0x3 Hostname: a \nNumber of credits: 518,1,1 Dialect 0x311 signed posix\n"
      "2) ConnectionId: 0x4 Hostname: b \nRDMA \n\tSecurity type: RawNTLMSSP  SessionId: 0x1 signed "
      "encrypted\n");
  EXPECT_EQ(state.smb_direct, false);
  ASSERT_EQ(state.connections.size(), 2U);
  EXPECT_FALSE(state.connections[0].rdma);
  EXPECT_TRUE(state.connections[0].is_signed);
  EXPECT_FALSE(state.connections[0].encrypted);
  EXPECT_TRUE(state.connections[1].rdma);
  EXPECT_TRUE(state.connections[1].is_signed);
  EXPECT_TRUE(state.connections[1].encrypted);
}

TEST(CifsState, TakesATransportThatIsNotThereForNone) {
  const CifsState state = ParseCifsState(
      "1) ConnectionId: 0x1 Hostname: a\nSMBDirect transport not available\nNumber of credits: 1\n");
  ASSERT_EQ(state.connections.size(), 1U);
  EXPECT_FALSE(state.connections.front().rdma);
}

TEST(CifsState, OfAnOtherTextKnowsNothing) {
  EXPECT_EQ(ParseCifsState(""), CifsState{});
  EXPECT_EQ(ParseCifsState("RDMA\nSpeed: 5\n\n\nIPv4: 1\n"), CifsState{});
}

TEST(CifsState, FindsTheConnectionThatCameSince) {
  CifsState before{.connections = {{.id = 1, .server = "10.0.0.2"}, {.id = 2, .server = "10.0.0.2"}}};
  CifsState after{.connections = {{.id = 2, .server = "10.0.0.2"},
                                  {.id = 6, .server = "10.0.0.9"},
                                  {.id = 7, .server = "10.0.0.2"}}};
  ASSERT_NE(NewConnection(before, after, "10.0.0.2"), nullptr);
  EXPECT_EQ(NewConnection(before, after, "10.0.0.2")->id, 7U);
  EXPECT_EQ(NewConnection(after, after, "10.0.0.2"), nullptr);
}

}  // namespace
}  // namespace rdmaready
