// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nvme/nvme_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "agent/link/failure.h"
#include "agent/probe/nvme/nvme_identity.h"
#include "agent/probe/nvme/nvme_queue.h"
#include "agent/probe/rdma_step.h"
#include "api/base/status.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

using nvme::Identity;
using nvme::LogEntry;
using nvme::Queue;
using std::chrono::seconds;

constexpr std::uint8_t kTransportRdma = 1;
constexpr std::uint8_t kTypeReferral = 1;
constexpr std::uint8_t kTypeSubsystem = 2;
constexpr std::uint64_t kMostRecords = 512;  // that are read
constexpr std::uint32_t kRecordsAtOnce = 16;
constexpr int kMostLogReadings = 3;  // of a log that changes meanwhile

Endpoint NvmeEndpointOf(const ProbeTarget& target) {
  return {.address = target.address, .port = target.port_number == 0 ? nvme::kPort : target.port_number};
}

struct Log {
  nvme::LogHeader header{};
  std::vector<LogEntry> entries{};
};

absl::StatusOr<nvme::LogHeader> ReadHeader(Queue& queue, const Patience& patience) {
  RR_ASSIGN_OR_RETURN(const auto bytes, queue.DiscoveryLog(0, nvme::kLogHeaderBytes, patience));
  const nvme::LogHeader header = *nvme::DecodeLogHeader(bytes);
  if (header.format != 0)
    return MakeFailure(FailureKind::kCorrupt,
                       fmt::format("the discovery log has the unknown format {}", header.format));
  return header;
}

absl::Status ReadEntries(Queue& queue, Log& log, const Patience& patience) {
  const std::uint64_t count = std::min(log.header.records, kMostRecords);
  for (std::uint64_t at = 0; at < count; at += kRecordsAtOnce) {
    const auto records = static_cast<std::uint32_t>(std::min<std::uint64_t>(kRecordsAtOnce, count - at));
    RR_ASSIGN_OR_RETURN(
        const auto bytes,
        queue.DiscoveryLog(nvme::kLogHeaderBytes + at * nvme::kLogEntryBytes,
                           records * static_cast<std::uint32_t>(nvme::kLogEntryBytes), patience));
    for (std::uint32_t i = 0; i < records; ++i)
      log.entries.push_back(*nvme::DecodeLogEntry(Octets(bytes).subspan(i * nvme::kLogEntryBytes)));
  }
  return absl::OkStatus();
}

// Again when it changed while it was read.
absl::StatusOr<Log> ReadLog(Queue& queue, const Patience& patience) {
  absl::StatusOr<nvme::LogHeader> header = ReadHeader(queue, patience);
  for (int reading = 0; header.ok() && reading < kMostLogReadings; ++reading) {
    Log log{.header = *header};
    RR_RETURN_IF_ERROR(ReadEntries(queue, log, patience));
    header = ReadHeader(queue, patience);
    if (header.ok() && header->generation == log.header.generation) return log;
  }
  if (!header.ok()) return header.status();
  return MakeFailure(FailureKind::kCorrupt, "the discovery log changed each time it was read");
}

void TellLog(const Log& log, NvmeAnswers& answers) {
  std::uint64_t subsystems = 0;
  std::uint64_t by_rdma = 0;
  std::uint64_t referrals = 0;
  for (const LogEntry& entry : log.entries) {
    if (entry.subsystem_type == kTypeReferral) ++referrals;
    if (entry.subsystem_type == kTypeSubsystem && entry.transport == kTransportRdma) ++by_rdma;
    if (entry.subsystem_type != kTypeSubsystem || ++subsystems > kMostSubsystems) continue;
    answers.listed.push_back({.nqn = entry.name,
                              .transport = nvme::TransportText(entry.transport),
                              .address = entry.address,
                              .service = entry.service_id});
  }
  answers.subsystems = subsystems;
  answers.rdma_subsystems = by_rdma;
  answers.referrals = referrals;
  if (log.header.records > kMostRecords) answers.records_not_read = log.header.records - kMostRecords;
}

absl::Status Enable(Queue& queue, NvmeAnswers& answers, const Patience& patience) {
  RR_ASSIGN_OR_RETURN(const std::uint64_t capabilities, queue.Property(nvme::kPropertyCapabilities, patience));
  RR_ASSIGN_OR_RETURN(const std::uint64_t version, queue.Property(nvme::kPropertyVersion, patience));
  const nvme::Capabilities can = nvme::DecodeCapabilities(capabilities);
  answers.version = nvme::VersionText(static_cast<std::uint32_t>(version));
  answers.queue_entries = can.queue_entries;
  answers.ready_timeout_ms = can.ready_timeout_ms;
  RR_RETURN_IF_ERROR(queue.Enable(patience));
  // A discovery controller need not tell more than the log.
  const auto identify = queue.Identify(patience);
  if (FailureOf(identify.status()).kind == FailureKind::kRejected) return absl::OkStatus();
  if (!identify.ok()) return identify.status();
  answers.model = identify->model;
  answers.firmware = identify->firmware;
  answers.max_commands = identify->max_commands;
  return absl::OkStatus();
}

// Whether the log was read.
bool Discover(const ProbeTarget& target, const ProbeTools& tools, const Identity& identity, Walk& walk) {
  NvmeAnswers& answers = walk.answers().nvme;
  Queue queue(tools.make_link);
  const bool connected = ConnectByRdma(
      target, tools, queue.link(),
      [&](const Patience& patience) {
        return queue.Connect(NvmeEndpointOf(target), target.local_address, patience);
      },
      walk);
  if (!connected) return false;
  if (const auto accept = nvme::DecodeConnectAccept(queue.link().private_data()))
    answers.controller_queue = accept->receive_queue;
  const bool admitted = walk.Step(kStepNvmeDiscoveryConnect, seconds(8), [&](const Patience& patience) {
    RR_ASSIGN_OR_RETURN(const auto result, queue.ConnectController(identity, nvme::kDiscoveryName, patience));
    answers.controller_id = nvme::ControllerIdOf(result);
    answers.discovery_authentication = nvme::DemandsAuthentication(result);
    return absl::OkStatus();
  });
  if (!admitted) return false;
  const bool enabled = walk.Step(kStepNvmeEnable, seconds(20),
                                 [&](const Patience& patience) { return Enable(queue, answers, patience); });
  const bool listed = enabled && walk.Step(kStepNvmeDiscoveryLog, seconds(10), [&](const Patience& patience) {
    const absl::StatusOr<Log> log = ReadLog(queue, patience);
    if (log.ok()) TellLog(*log, answers);
    return log.status();
  });
  Clock& clock = *walk.watch().clock;
  queue.Shutdown({.deadline = clock.Now() + seconds(1), .clock = &clock});
  return listed;
}

absl::Status ConnectOurselves(const ProbeTarget& target, const ProbeTools& tools, const Identity& identity,
                              const std::string& subsystem, const Patience& patience) {
  if (!nvme::IsName(subsystem)) return MakeFailure(FailureKind::kSetup, subsystem + ": not a subsystem's NQN");
  Queue queue(tools.make_link);
  RR_RETURN_IF_ERROR(queue.Connect(NvmeEndpointOf(target), target.local_address, patience));
  RR_ASSIGN_OR_RETURN(const auto result, queue.ConnectController(identity, subsystem, patience));
  if (nvme::DemandsAuthentication(result))
    return MakeFailure(FailureKind::kRejected,
                       "Connect to " + subsystem + ": it demands DH-HMAC-CHAP authentication");
  return absl::OkStatus();
}

void Prove(const ProbeTarget& target, const ProbeTools& tools, const Identity& identity, Walk& walk) {
  const std::string& subsystem = target.volume;
  NvmeAnswers& answers = walk.answers().nvme;
  answers.proof_subsystem = subsystem;
  const bool admitted = walk.Step(kStepNvmeSubsystemConnect, seconds(10), [&](const Patience& patience) {
    return ConnectOurselves(target, tools, identity, subsystem, patience);
  });
  if (!admitted) return;
  tools.prove({.protocol = Protocol::kNvme,
               .address = target.address,
               .port_number = NvmeEndpointOf(target).port,
               .local_address = target.local_address,
               .volume = subsystem},
              walk);
}

}  // namespace

std::vector<std::string_view> NvmeSteps() {
  return {kStepRdmaConnect, kStepNvmeDiscoveryConnect, kStepNvmeEnable, kStepNvmeDiscoveryLog};
}

std::vector<std::string_view> NvmeProofSteps() {
  return {kStepNvmeSubsystemConnect, kStepNvmeKernelConnect, kStepNvmeKernelRead, kStepNvmeKernelDisconnect};
}

void ProbeNvme(const ProbeTarget& target, const ProbeTools& tools, Walk& walk) {
  if (target.local_address.empty()) return;
  walk.result().port_number = NvmeEndpointOf(target).port;
  const Identity identity = nvme::ReadIdentity();
  walk.answers().nvme_host = {.nqn = identity.host_name, .nqn_from = identity.source};
  const bool listed = Discover(target, tools, identity, walk);
  // A subsystem that nobody named is not connected: its disk may be another host's, and udev looks into disks.
  if (listed && target.prove && !target.volume.empty()) Prove(target, tools, identity, walk);
}

}  // namespace rdmaready
