// SPDX-License-Identifier: Apache-2.0
// Byte for byte against the layouts of the specifications, which Linux's target and host share.
#include "agent/probe/nvme/nvme_wire.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/agent/probe/bytes.h"

namespace rdmaready::nvme {
namespace {

std::vector<std::byte> All(Octets bytes) { return {bytes.begin(), bytes.end()}; }

TEST(NvmeWire, ConnectionIsAskedForAnAdminQueueOf32CountedFromZeroOnTheSendSide) {
  const auto bytes = EncodeConnectPrivate();
  EXPECT_EQ(Sub(bytes, 0, 8), Hex("0000 0000 2000 1f00"));
  EXPECT_EQ(Sub(bytes, 8, 24), std::vector<std::byte>(24));
}

TEST(NvmeWire, ConnectionAnswersAreRead) {
  EXPECT_EQ(DecodeConnectAccept(Hex("0000 2000")), (ConnectAccept{.receive_queue = 32}));
  EXPECT_EQ(DecodeConnectReject(Hex("0000 0400 ffff")), (ConnectReject{.status = 4}));
  EXPECT_FALSE(DecodeConnectAccept(Hex("0000 20")));
  EXPECT_FALSE(DecodeConnectReject({}));
}

TEST(NvmeWire, EveryRejectStatusHasItsName) {
  EXPECT_EQ(RejectText(1), "invalid private data length");
  EXPECT_EQ(RejectText(4), "invalid host send queue size (HSQSIZE)");
  EXPECT_EQ(RejectText(9), "invalid controller id (CNTLID)");
  EXPECT_EQ(RejectText(0), "status 0");
  EXPECT_EQ(RejectText(10), "status 10");
}

TEST(NvmeWire, ConnectPointsToItsDataByKey) {
  const Command command =
      EncodeConnect(0x1234, {.address = 0x1122334455667788, .length_bytes = 1024, .key = 0xa1b2c3d4});
  EXPECT_EQ(All(command), Hex("7f40 3412 01 00000000000000000000000000000000000000"
                              "8877665544332211 000400 d4c3b2a1 40"
                              "0000 0000 1f00 00 00 00000000 000000000000000000000000"));
}

TEST(NvmeWire, PropertiesAreReadInTheirSize) {
  EXPECT_EQ(Sub(EncodePropertyGet(1, kPropertyCapabilities), 40, 8), Hex("01000000 00000000"));
  EXPECT_EQ(Sub(EncodePropertyGet(1, kPropertyStatus), 40, 8), Hex("00000000 1c000000"));
  EXPECT_EQ(Sub(EncodePropertyGet(1, kPropertyStatus), 0, 5), Hex("7f40 0100 04"));
  EXPECT_EQ(Sub(EncodePropertyGet(1, kPropertyStatus), 24, 16), Hex("0000000000000000 00000000000000 40"))
      << "no data, said as Linux's target wants it said";
  const Command set = EncodePropertySet(2, kPropertyConfiguration, kConfigurationEnabled);
  EXPECT_EQ(Sub(set, 0, 5), Hex("7f40 0200 00"));
  EXPECT_EQ(Sub(set, 40, 16), Hex("00000000 14000000 0100460000000000"));
}

TEST(NvmeWire, LogIsAskedForInWordsCountedFromZeroWithItsOffset) {
  const Command command = EncodeDiscoveryLog(3, {.address = 1, .length_bytes = 0x50000, .key = 2}, 0x100000400);
  EXPECT_EQ(Sub(command, 0, 4), Hex("0240 0300"));
  EXPECT_EQ(Sub(command, 24, 16), Hex("0100000000000000 000005 02000000 40"));
  EXPECT_EQ(Sub(command, 40, 16), Hex("7000 ff3f 0100 0000 0004000001000000"));
  EXPECT_EQ(Sub(EncodeIdentifyController(4, {}), 40, 4), Hex("01000000"));
}

TEST(NvmeWire, ConnectDataNamesHostAndSubsystemAndAnyController) {
  HostId host{};
  host[0] = std::byte{0xaa};
  host[15] = std::byte{0xbb};
  const auto data = EncodeConnectData(host, "nqn.host", std::string(300, 'x'));
  EXPECT_EQ(Sub(data, 0, 18), Hex("aa0000000000000000000000000000bb ffff"));
  EXPECT_EQ(GetText(data, 256, 256), std::string(223, 'x')) << "cut, and ended by a zero";
  EXPECT_EQ(GetText(data, 512, 256), "nqn.host");
}

TEST(NvmeWire, NameThatWouldAddAnOptionIsNone) {
  EXPECT_TRUE(IsName("nqn.2014-08.org.nvmexpress:uuid:1"));
  EXPECT_FALSE(IsName("nqn.x,ctrl_loss_tmo=-1"));
  EXPECT_FALSE(IsName("nqn x"));
  EXPECT_FALSE(IsName(""));
  EXPECT_FALSE(IsName("nqn\n"));
  EXPECT_TRUE(IsName(std::string(223, 'n')));
  EXPECT_FALSE(IsName(std::string(224, 'n')));
}

TEST(NvmeWire, CompletionIsRead) {
  const auto bytes = Hex("0700000000000000 0100 0000 3412 0983");
  EXPECT_EQ(
      DecodeCompletion(bytes),
      (Completion{.result = 7, .queue_head = 1, .id = 0x1234, .status = kStatusInvalidHost, .final = true}));
  for (std::size_t size = 0; size < kCompletionBytes; ++size)
    EXPECT_FALSE(DecodeCompletion(Exact(bytes, size).bytes())) << size;
}

TEST(NvmeWire, FailedConnectSaysWhichFieldWasWrong) {
  EXPECT_EQ(StatusText(kStatusInvalidHost), "Connect Invalid Host (0x184)");
  EXPECT_EQ(StatusText(0x181), "Connect Controller Busy (0x181)");
  EXPECT_EQ(StatusText(0x2ff), "status without a name (0x2ff)");
  EXPECT_EQ(WrongConnectField(0x10000 + 512), "hostnqn");
  EXPECT_EQ(WrongConnectField(0x10000 + 256), "subnqn");
  EXPECT_EQ(WrongConnectField(44), "sqsize");
  EXPECT_EQ(WrongConnectField(0), "");
}

TEST(NvmeWire, ConnectResultHoldsTheControllerAndWhetherItWantsAuthentication) {
  EXPECT_EQ(ControllerIdOf(0x20005), 5);
  EXPECT_TRUE(DemandsAuthentication(0x20005));
  EXPECT_FALSE(DemandsAuthentication(0x5));
}

TEST(NvmeWire, PropertiesAreUnderstood) {
  EXPECT_EQ(DecodeCapabilities(0x00000020'1f01007f),
            (Capabilities{.queue_entries = 128, .ready_timeout_ms = 15'500}));
  EXPECT_EQ(VersionText(0x00010300), "1.3");
  EXPECT_EQ(VersionText(0x00010201), "1.2.1");
}

TEST(NvmeWire, IdentifyIsReadAtItsPlacesAndNotCut) {
  std::vector<std::byte> bytes(kIdentifyBytes);
  PutText(bytes, 4, 20, "SERIAL              ");
  PutText(bytes, 24, 40, "Linux   ");
  PutText(bytes, 64, 8, "6.12\x1b[2J");
  PutText(bytes, 768, 256, kDiscoveryName);
  bytes[77] = std::byte{5};
  PutLittle(bytes, 514, std::uint16_t{128});
  PutLittle(bytes, 516, std::uint32_t{1024});
  PutLittle(bytes, 536, std::uint32_t{0x100005});
  PutLittle(bytes, 1792, std::uint32_t{260});
  const auto identify = DecodeIdentifyController(bytes);
  EXPECT_EQ(identify, (IdentifyController{.serial = "SERIAL",
                                          .model = "Linux",
                                          .firmware = "6.12?[2J",
                                          .subsystem_name = std::string(kDiscoveryName),
                                          .max_transfer_shift = 5,
                                          .max_commands = 128,
                                          .namespaces = 1024,
                                          .io_capsule_bytes = 4160,
                                          .keyed_buffers = true}));
  EXPECT_FALSE(DecodeIdentifyController(Exact(bytes, kIdentifyBytes - 1).bytes()));
  PutLittle(bytes, 1792, std::uint32_t{0xffffffff});
  EXPECT_EQ(DecodeIdentifyController(bytes)->io_capsule_bytes, 0xffffffff) << "and no overflow";
}

TEST(NvmeWire, LogIsReadAndTextWithoutAnEndStaysInItsField) {
  std::vector<std::byte> header(kLogHeaderBytes);
  PutLittle(header, 0, std::uint64_t{9});
  PutLittle(header, 8, std::uint64_t{2});
  EXPECT_EQ(DecodeLogHeader(header), (LogHeader{.generation = 9, .records = 2}));
  EXPECT_FALSE(DecodeLogHeader(Exact(header, kLogHeaderBytes - 1).bytes()));

  std::vector<std::byte> entry(kLogEntryBytes);
  PutText(entry, 0, 3, "\x01\x01\x02");
  PutLittle(entry, 4, std::uint16_t{1});
  PutLittle(entry, 8, std::uint16_t{32});
  PutText(entry, 32, 32, std::string(32, '4'));
  PutText(entry, 256, 256, "nqn.2026-11.example:one");
  PutText(entry, 512, 256, "10.0.0.2");
  EXPECT_EQ(DecodeLogEntry(Exact(entry).bytes()), (LogEntry{.transport = 1,
                                                            .address_family = 1,
                                                            .subsystem_type = 2,
                                                            .port_id = 1,
                                                            .admin_entries = 32,
                                                            .service_id = std::string(32, '4'),
                                                            .name = "nqn.2026-11.example:one",
                                                            .address = "10.0.0.2"}));
  EXPECT_FALSE(DecodeLogEntry(Exact(entry, kLogEntryBytes - 1).bytes()));
  EXPECT_EQ(TransportText(1), "rdma");
  EXPECT_EQ(TransportText(77), "type 77");
}

}  // namespace
}  // namespace rdmaready::nvme
