// SPDX-License-Identifier: Apache-2.0
// The walk towards an NVMe target that is another thread.
#include "agent/probe/nvme/nvme_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/link/failure.h"
#include "agent/probe/nvme/nvme_wire.h"
#include "tests/unit/agent/probe/bytes.h"
#include "tests/unit/agent/probe/fake_server.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

struct NvmeTarget {
  std::uint16_t connect_status = 0;
  std::uint64_t connect_result = 1;
  std::vector<std::string> subsystems{};
  std::string transports{};   // of each subsystem, as the log numbers them; RDMA behind its end
  std::uint64_t records = 0;  // that it claims; 0: as many as there are
  bool restless = false;      // the log changes each time it is read
  bool ready = true;
  std::uint64_t generation = 1;
  std::uint64_t reads = 0;  // of the log, beyond its header
  std::string connected_name{};
  int connects = 0;
};

ServerMessage CompletionOf(Octets command, std::uint64_t result = 0, std::uint16_t status = 0) {
  ServerMessage bytes(nvme::kCompletionBytes);
  PutLittle(bytes, 0, result);
  PutLittle(bytes, 12, GetLittle<std::uint16_t>(command, 2));
  PutLittle(bytes, 14, static_cast<std::uint16_t>(status << 1));
  return bytes;
}

ServerMessage LogOf(const NvmeTarget& target) {
  ServerMessage log(nvme::kLogHeaderBytes + target.subsystems.size() * nvme::kLogEntryBytes);
  PutLittle(log, 0, target.generation);
  PutLittle(log, 8, target.records == 0 ? std::uint64_t{target.subsystems.size()} : target.records);
  for (std::size_t i = 0; i < target.subsystems.size(); ++i) {
    const MutableOctets entry = MutableOctets(log).subspan(nvme::kLogHeaderBytes + i * nvme::kLogEntryBytes);
    PutText(entry, 0, 3, "\x01\x01\x02");
    if (i < target.transports.size()) PutText(entry, 0, 1, target.transports.substr(i, 1));
    PutText(entry, 32, 32, "4420");
    PutText(entry, 256, 256, target.subsystems[i]);
    PutText(entry, 512, 256, "10.0.0.2");
  }
  return log;
}

// Writes what is asked of `source` into the buffer that the command names.
void Fill(FakeServer& server, Octets command, const ServerMessage& source, std::uint64_t offset) {
  const std::size_t size = GetLittle<std::uint32_t>(command, 32) & 0xffffff;
  ServerMessage part(size);
  for (std::size_t i = 0; i < size && offset + i < source.size(); ++i) part[i] = source[offset + i];
  server.Write(GetLittle<std::uint64_t>(command, 24), GetLittle<std::uint32_t>(command, 35), part);
}

std::vector<ServerMessage> Serve(NvmeTarget& target, FakeServer& server, Octets command) {
  const auto opcode = GetLittle<std::uint8_t>(command, 0);
  const auto type = GetLittle<std::uint8_t>(command, 4);
  if (opcode == 0x7f && type == 0x01) {
    const ServerMessage data =
        server.Read(GetLittle<std::uint64_t>(command, 24), GetLittle<std::uint32_t>(command, 35), 1024);
    target.connected_name = GetText(data, 256, 256);
    ++target.connects;
    return {CompletionOf(command, target.connect_result, target.connect_status)};
  }
  if (opcode == 0x7f && type == 0x04) {
    constexpr std::uint64_t kValues[] = {0x00000020'1f01007f, 0x00010300};
    const auto property = GetLittle<std::uint32_t>(command, 44);
    return {CompletionOf(command, property == 0x1c ? (target.ready ? 1 : 0) : kValues[property / 8])};
  }
  if (opcode == 0x7f) return {CompletionOf(command)};
  if (opcode == 0x06) {
    ServerMessage page(nvme::kIdentifyBytes);
    PutText(page, 24, 40, "Fake");
    Fill(server, command, page, 0);
    return {CompletionOf(command)};
  }
  const auto offset = GetLittle<std::uint64_t>(command, 48);
  if (offset != 0) ++target.reads;
  if (target.restless) ++target.generation;
  Fill(server, command, LogOf(target), offset);
  return {CompletionOf(command)};
}

FakeServer::Handler Serving(NvmeTarget& target) {
  return [&target](FakeServer& server, Octets command) { return Serve(target, server, command); };
}

TEST(NvmeProbe, WalksToTheEndOfDiscovery) {
  MemoryFabric fabric;
  NvmeTarget target{.subsystems = {"nqn.one", "nqn.two"}};
  {
    FakeServer server(fabric, Hex("0000 2000"), Serving(target));
    const ProbeResult result = WalkTo(fabric, Protocol::kNvme);
    EXPECT_EQ(Done(result), "rdma-connect nvme-discovery-connect nvme-enable nvme-discovery-log");
    EXPECT_EQ(result.port_number, 4420u);
    EXPECT_EQ(ValueOf(result, "nvme-controller-queue"), "32");
    EXPECT_EQ(ValueOf(result, "nvme-version"), "1.3");
    EXPECT_EQ(ValueOf(result, "nvme-queue-entries"), "128");
    EXPECT_EQ(ValueOf(result, "nvme-model"), "Fake");
    EXPECT_EQ(ValueOf(result, "nvme-subsystems"), "2");
    EXPECT_EQ(ValueOf(result, "nvme-subsystem-2"), "nqn.two");
    EXPECT_EQ(ValueOf(result, "nvme-subsystem-2-at"), "rdma 10.0.0.2:4420");
  }
  EXPECT_EQ(target.connected_name, nvme::kDiscoveryName);
}

TEST(NvmeProbe, CountsWhatIsOfferedOverRdma) {
  MemoryFabric fabric;
  NvmeTarget target{.subsystems = {"nqn.one", "nqn.two", "nqn.three"}, .transports = "\x03\x01\x03"};
  FakeServer server(fabric, {}, Serving(target));
  const ProbeResult result = WalkTo(fabric, Protocol::kNvme);
  EXPECT_EQ(ValueOf(result, "nvme-subsystems"), "3");
  EXPECT_EQ(ValueOf(result, "nvme-rdma-subsystems"), "1");
  EXPECT_EQ(ValueOf(result, "nvme-subsystem-1-at"), "tcp 10.0.0.2:4420");
}

TEST(NvmeProbe, ConnectsNoSubsystemThatNobodyNamed) {
  MemoryFabric fabric;
  NvmeTarget target{.subsystems = {"nqn.one"}};
  {
    FakeServer server(fabric, {}, Serving(target));
    const ProbeResult result = WalkTo(fabric, Protocol::kNvme, std::chrono::seconds(10),
                                      {.address = "10.0.0.2", .local_address = "10.0.0.1", .prove = true});
    EXPECT_EQ(StepOf(result, "nvme-discovery-log").outcome, StepOutcome::kDone);
    EXPECT_EQ(StepOf(result, "nvme-subsystem-connect").outcome, StepOutcome::kNotReached);
    EXPECT_EQ(StepOf(result, "nvme-kernel-connect").outcome, StepOutcome::kNotReached);
    EXPECT_EQ(ValueOf(result, "nvme-proof-subsystem"), "(not told)");
  }
  EXPECT_EQ(target.connects, 1) << "to the discovery controller";
}

TEST(NvmeProbe, SilentAddressOnIwarpIsNotLeftToTheKernel) {
  MemoryFabric fabric;
  NvmeTarget target{};
  FakeServer server(fabric, {}, Serving(target));
  std::vector<std::uint16_t> ports;
  FailureKind kind = FailureKind::kUnreachable;
  const TcpConnector tcp = [&](const Endpoint& to,
                               const Patience&) -> absl::StatusOr<std::unique_ptr<ByteStream>> {
    ports.push_back(to.port);
    return MakeFailure(kind, "connect to 10.0.0.2");
  };
  const ProbeTarget iwarp{.address = "10.0.0.2", .local_address = "10.0.0.1", .iwarp = true};
  ProbeResult result = WalkTo(fabric, Protocol::kNvme, std::chrono::seconds(10), iwarp, tcp);
  EXPECT_EQ(StepOf(result, "rdma-connect").failure.kind, FailureKind::kUnreachable);
  EXPECT_EQ(ValueOf(result, "rdma-refusal"), "no-answer");
  EXPECT_FALSE(fabric.request) << "RDMA was not tried";
  EXPECT_EQ(ports, (std::vector<std::uint16_t>{4420}));
  kind = FailureKind::kRejected;
  result = WalkTo(fabric, Protocol::kNvme, std::chrono::seconds(10), iwarp, tcp);
  EXPECT_EQ(StepOf(result, "rdma-connect").outcome, StepOutcome::kDone) << "a closed port is an answer";
}

TEST(NvmeProbe, HostThatIsNotAllowedIsNamed) {
  MemoryFabric fabric;
  NvmeTarget target{.connect_status = nvme::kStatusInvalidHost, .connect_result = 0x10000 + 512};
  FakeServer server(fabric, {}, Serving(target));
  const ProbeStep step = StepOf(WalkTo(fabric, Protocol::kNvme), "nvme-discovery-connect");
  EXPECT_EQ(step.failure.kind, FailureKind::kRejected);
  EXPECT_THAT(step.failure.detail, HasSubstr("Connect Invalid Host (0x184), because of its field hostnqn"));
}

TEST(NvmeProbe, RefusedConnectionSaysWhy) {
  MemoryFabric fabric;
  fabric.refuses = Handshake{.refusal = Refusal::kConsumer, .reject_reason = 28, .private_data = {0, 0, 4, 0}};
  const ProbeResult result = WalkTo(fabric, Protocol::kNvme);
  EXPECT_EQ(ValueOf(result, "rdma-refusal"), "consumer");
  EXPECT_THAT(StepOf(result, "rdma-connect").failure.detail,
              HasSubstr("the NVMe target says invalid host send queue size (HSQSIZE)"));
}

TEST(NvmeProbe, LogWithoutAnEndIsReadToABound) {
  MemoryFabric fabric;
  NvmeTarget target{.subsystems = std::vector<std::string>(40, "nqn.x"), .records = 1ull << 60};
  {
    FakeServer server(fabric, {}, Serving(target));
    const ProbeResult result = WalkTo(fabric, Protocol::kNvme);
    EXPECT_EQ(StepOf(result, "nvme-discovery-log").outcome, StepOutcome::kDone);
    EXPECT_EQ(ValueOf(result, "nvme-records-not-read"), std::to_string((1ull << 60) - 512));
    EXPECT_EQ(ValueOf(result, "nvme-subsystem-33"), "(not told)");
  }
  EXPECT_EQ(target.reads, 32u);
}

TEST(NvmeProbe, LogThatNeverRestsIsNotReadForEver) {
  MemoryFabric fabric;
  NvmeTarget target{.subsystems = {"nqn.one"}, .restless = true};
  FakeServer server(fabric, {}, Serving(target));
  EXPECT_THAT(StepOf(WalkTo(fabric, Protocol::kNvme), "nvme-discovery-log").failure.detail,
              HasSubstr("changed each time it was read"));
}

TEST(NvmeProbe, ControllerThatNeverGetsReadyEndsTheWalkInTime) {
  MemoryFabric fabric;
  NvmeTarget target{.ready = false};
  FakeServer server(fabric, {}, Serving(target));
  const ProbeResult result = WalkTo(fabric, Protocol::kNvme, std::chrono::milliseconds(500));
  EXPECT_EQ(StepOf(result, "nvme-enable").failure.kind, FailureKind::kStalled);
}

TEST(NvmeProbe, CutCompletionIsNoAnswer) {
  MemoryFabric fabric;
  FakeServer server(fabric, {}, [](FakeServer&, Octets command) -> std::vector<ServerMessage> {
    ServerMessage cut = CompletionOf(command);
    cut.pop_back();
    return {cut};
  });
  EXPECT_EQ(StepOf(WalkTo(fabric, Protocol::kNvme), "nvme-discovery-connect").failure.kind,
            FailureKind::kCorrupt);
}

TEST(NvmeProbe, NothingStaysRegistered) {
  MemoryFabric fabric;
  NvmeTarget target{.subsystems = {"nqn.one"}};
  {
    FakeServer server(fabric, {}, Serving(target));
    WalkTo(fabric, Protocol::kNvme);
  }
  EXPECT_EQ(fabric.Registered(), 0u);
}

}  // namespace
}  // namespace rdmaready
