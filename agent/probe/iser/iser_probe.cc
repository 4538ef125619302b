// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/iser/iser_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "agent/link/arena.h"
#include "agent/link/failure.h"
#include "agent/probe/iser/iser_session.h"
#include "agent/probe/iser/scsi_wire.h"
#include "agent/probe/proof.h"
#include "agent/probe/rdma_step.h"
#include "api/base/status.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

using iser::Initiator;
using iser::Session;
using std::chrono::seconds;

constexpr std::uint32_t kReadBytes = 128 << 10;
constexpr std::uint64_t kMostReadBytes = 2 << 20;
constexpr std::uint32_t kLeastBlockBytes = 512;
constexpr std::uint32_t kMostBlockBytes = 64 << 10;
static_assert(kReadBytes / kLeastBlockBytes <= 65'535, "READ(10) counts blocks in 16 bits");

Endpoint EndpointOf(const ProbeTarget& target) {
  return {.address = target.address, .port = target.port_number == 0 ? iser::kPort : target.port_number};
}

void TellTargets(const std::vector<iser::Target>& targets, IserAnswers& answers) {
  answers.targets = targets.size();
  for (const iser::Target& target : targets | std::views::take(kMostTargets))
    answers.listed.push_back({.name = target.name, .portals = target.addresses});
}

void TellAgreed(const Session& session, IserAnswers& answers) {
  if (const auto accept = iser::DecodeConnectAccept(session.link().private_data())) {
    answers.zero_based_addresses = accept->zero_based_addresses;
    answers.remote_invalidation = accept->remote_invalidation;
  }
  const auto tell = [&](std::string_view key, std::optional<std::string>& answer) {
    if (const std::string* value = iser::FindKey(session.agreed(), key)) answer = *value;
  };
  tell("RDMAExtensions", answers.rdma_extensions);
  tell("InitiatorRecvDataSegmentLength", answers.initiator_receive);
  tell("TargetRecvDataSegmentLength", answers.target_receive);
  tell("MaxBurstLength", answers.max_burst);
  tell("FirstBurstLength", answers.first_burst);
  tell("TargetPortalGroupTag", answers.portal_group);
}

std::optional<std::vector<iser::Target>> Discover(const ProbeTarget& target, const ProbeTools& tools,
                                                  const Initiator& initiator, Walk& walk) {
  IserAnswers& answers = walk.answers().iser;
  Session session(tools.make_link);
  const bool connected = ConnectByRdma(
      target, tools, session.link(),
      [&](const Patience& patience) {
        return session.Connect(EndpointOf(target), target.local_address, patience);
      },
      walk);
  if (!connected) return std::nullopt;
  const bool logged_in = walk.Step(kStepIserDiscoveryLogin, seconds(10), [&](const Patience& patience) {
    const absl::Status status = session.Login(initiator.name, {}, patience);
    if (!session.authentication().empty()) answers.discovery_authentication = session.authentication();
    if (status.ok()) TellAgreed(session, answers);
    return status;
  });
  if (!logged_in) return std::nullopt;
  std::optional<std::vector<iser::Target>> targets;
  walk.Step(kStepIserSendTargets, seconds(10), [&](const Patience& patience) {
    RR_ASSIGN_OR_RETURN(std::vector<iser::Target> listed, session.SendTargets(patience));
    TellTargets(listed, answers);
    targets = std::move(listed);
    return absl::OkStatus();
  });
  walk.Step(kStepIserDiscoveryLogout, seconds(5),
            [&](const Patience& patience) { return session.Logout(patience); });
  return targets;
}

// What the caller named, or the first that was listed; empty when there is none.
std::string TargetToProve(const ProbeTarget& target, const std::vector<iser::Target>& listed) {
  if (!target.volume.empty()) return target.volume;
  return listed.empty() ? std::string() : listed.front().name;
}

absl::Status LogIn(Session& session, const ProbeTarget& target, const Initiator& initiator,
                   const std::string& name, IserAnswers& answers, const Patience& patience) {
  answers.proof_target = name;
  if (name.empty())
    return MakeFailure(FailureKind::kRejected,
                       "SendTargets lists no target for the initiator " + initiator.name);
  if (!iser::IsName(name)) {
    // What the caller named, or what the target listed.
    return MakeFailure(target.volume.empty() ? FailureKind::kCorrupt : FailureKind::kSetup,
                       name + ": not an iSCSI target's name");
  }
  RR_RETURN_IF_ERROR(session.Connect(EndpointOf(target), target.local_address, patience));
  const absl::Status status = session.Login(initiator.name, name, patience);
  if (!session.authentication().empty()) answers.authentication = session.authentication();
  if (status.ok()) TellAgreed(session, answers);
  return status;
}

struct Unit {
  std::uint64_t lun = 0;
  scsi::Capacity capacity{};
};

// Of a command that answers with at least `least_bytes`; Octets are those that came.
absl::StatusOr<std::vector<std::byte>> Ask(Session& session, std::uint64_t lun,
                                           const scsi::CommandBlock& command, std::size_t size_bytes,
                                           const std::string& what, const Patience& patience) {
  RR_ASSIGN_OR_RETURN(const auto buffer, session.Lend(static_cast<std::uint32_t>(size_bytes)));
  RR_ASSIGN_OR_RETURN(const std::uint32_t bytes, session.Read(lun, command, *buffer, what, patience));
  const std::span<std::byte> all = buffer->all().first(bytes);
  return std::vector<std::byte>(all.begin(), all.end());
}

absl::StatusOr<Unit> FindUnit(Session& session, IserAnswers& answers, const Patience& patience) {
  const auto cut = [](const std::string& what) {
    return MakeFailure(FailureKind::kCorrupt, what + ": the answer is cut");
  };
  RR_ASSIGN_OR_RETURN(const auto list,
                      Ask(session, 0, scsi::ReportLuns(), scsi::kReportLunsBytes, "REPORT LUNS", patience));
  const auto luns = scsi::DecodeLuns(list);
  if (!luns) return cut("REPORT LUNS");
  if (luns->empty()) return MakeFailure(FailureKind::kRejected, "REPORT LUNS: no unit for this initiator");
  Unit unit{.lun = luns->front()};
  answers.units = luns->size();
  RR_ASSIGN_OR_RETURN(const auto inquiry,
                      Ask(session, unit.lun, scsi::Inquiry(), scsi::kInquiryBytes, "INQUIRY", patience));
  const auto described = scsi::DecodeInquiry(inquiry);
  if (!described) return cut("INQUIRY");
  answers.unit_vendor = described->vendor;
  answers.unit_product = described->product;
  RR_RETURN_IF_ERROR(session.Command(unit.lun, scsi::TestUnitReady(), "TEST UNIT READY", patience));
  RR_ASSIGN_OR_RETURN(const auto size, Ask(session, unit.lun, scsi::ReadCapacity(), scsi::kCapacityBytes,
                                           "READ CAPACITY", patience));
  const auto capacity = scsi::DecodeCapacity(size);
  if (!capacity) return cut("READ CAPACITY");
  unit.capacity = *capacity;
  answers.unit_blocks = capacity->blocks;
  answers.unit_block = capacity->block_bytes;
  if (capacity->blocks == 0 || capacity->block_bytes < kLeastBlockBytes ||
      capacity->block_bytes > kMostBlockBytes)
    return MakeFailure(FailureKind::kCorrupt, fmt::format("READ CAPACITY: {} blocks of {} bytes",
                                                          capacity->blocks, capacity->block_bytes));
  return unit;
}

struct Blocks {
  std::uint64_t first = 0;
  std::uint32_t count = 0;
};

// Into `lent`, which the target can write to as long as it is registered, and from there into `to`, which it
// never can: of two readings, the later cannot change the earlier.
absl::Status ReadBlocks(Session& session, const Unit& unit, const Blocks& blocks, const Buffer& lent,
                        std::span<std::byte> to, const Patience& patience) {
  std::ranges::copy(to, lent.all().begin());
  RR_ASSIGN_OR_RETURN(const auto bytes, session.Read(unit.lun,
                                                     scsi::Read(static_cast<std::uint32_t>(blocks.first),
                                                                static_cast<std::uint16_t>(blocks.count)),
                                                     lent, "READ(10)", patience));
  if (bytes != to.size())
    return MakeFailure(FailureKind::kLost, fmt::format("READ(10): {} bytes instead of {}", bytes, to.size()));
  std::ranges::copy(lent.all(), to.begin());
  return absl::OkStatus();
}

absl::Status ReadUnit(Session& session, const Unit& unit, TransferResult& result, const Patience& patience) {
  const std::uint32_t block_bytes = unit.capacity.block_bytes;
  const auto count = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::max(kReadBytes / block_bytes, 1u), unit.capacity.blocks));
  const std::uint32_t read_bytes = count * block_bytes;
  RR_ASSIGN_OR_RETURN(const auto lent, session.Lend(read_bytes));
  const absl::StatusOr<Arena> first = Arena::Make(read_bytes);
  const absl::StatusOr<Arena> second = Arena::Make(read_bytes);
  if (!first.ok()) return first.status();
  if (!second.ok()) return second.status();
  ProofMeter meter(result, std::string(kProofIserRead), Operation::kRead, read_bytes, *patience.clock,
                   patience.pace);
  absl::Status status;
  const std::uint64_t end = std::min<std::uint64_t>(unit.capacity.blocks, kMostReadBytes / block_bytes);
  for (std::uint64_t at = 0; status.ok() && at + count <= std::max<std::uint64_t>(end, count); at += count) {
    status = ReadTwice(
        {first->bytes(), second->bytes()},
        [&](int buffer) {
          return ReadBlocks(session, unit, {.first = at, .count = count}, *lent,
                            (buffer == 0 ? *first : *second).bytes(), patience);
        },
        meter);
  }
  meter.Finish(status);
  return status;
}

void Prove(const ProbeTarget& target, const ProbeTools& tools, const Initiator& initiator,
           const std::vector<iser::Target>& listed, Walk& walk) {
  Session session(tools.make_link);
  const std::string name = TargetToProve(target, listed);
  const bool logged_in = walk.Step(kStepIserSessionLogin, seconds(15), [&](const Patience& patience) {
    return LogIn(session, target, initiator, name, walk.answers().iser, patience);
  });
  if (!logged_in) return;
  std::optional<Unit> unit;
  walk.Step(kStepIserUnit, seconds(10), [&](const Patience& patience) {
    const absl::StatusOr<Unit> found = FindUnit(session, walk.answers().iser, patience);
    if (found.ok()) unit = *found;
    return found.status();
  });
  if (unit) {
    walk.Step(kStepIserRead, seconds(20), [&](const Patience& patience) {
      return ReadUnit(session, *unit, walk.result().transfers.emplace_back(), patience);
    });
  }
  walk.Step(kStepIserSessionLogout, seconds(5),
            [&](const Patience& patience) { return session.Logout(patience); });
}

}  // namespace

std::vector<std::string_view> IserSteps() {
  return {kStepRdmaConnect, kStepIserDiscoveryLogin, kStepIserSendTargets, kStepIserDiscoveryLogout};
}

std::vector<std::string_view> IserProofSteps() {
  return {kStepIserSessionLogin, kStepIserUnit, kStepIserRead, kStepIserSessionLogout};
}

void ProbeIser(const ProbeTarget& target, const ProbeTools& tools, Walk& walk) {
  if (target.local_address.empty()) return;
  walk.result().port_number = EndpointOf(target).port;
  const Initiator initiator = iser::ReadInitiator();
  walk.answers().iser_initiator = {.name = initiator.name, .name_from = initiator.source};
  const auto targets = Discover(target, tools, initiator, walk);
  if (targets && target.prove) Prove(target, tools, initiator, *targets, walk);
}

}  // namespace rdmaready
