// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/iser/iser_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "agent/link/arena.h"
#include "agent/link/failure.h"
#include "agent/probe/iser/iser_session.h"
#include "agent/probe/iser/scsi_wire.h"
#include "agent/probe/proof.h"
#include "agent/probe/rdma_step.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using iser::Initiator;
using iser::Session;
using std::chrono::seconds;

constexpr std::string_view kLogin = "iser-discovery-login";
constexpr std::string_view kSendTargets = "iser-send-targets";
constexpr std::string_view kLogout = "iser-discovery-logout";
constexpr std::string_view kSessionLogin = "iser-session-login";
constexpr std::string_view kUnit = "iser-unit";
constexpr std::string_view kRead = "iser-read";
constexpr std::string_view kSessionLogout = "iser-session-logout";

constexpr std::uint32_t kReadBytes = 128 << 10;
constexpr std::uint64_t kMostReadBytes = 2 << 20;
constexpr std::uint32_t kLeastBlockBytes = 512;
constexpr std::uint32_t kMostBlockBytes = 64 << 10;
static_assert(kReadBytes / kLeastBlockBytes <= 65'535, "READ(10) counts blocks in 16 bits");

Endpoint EndpointOf(const ProbeTarget& target) {
  return {.address = target.address, .port = target.port_number == 0 ? iser::kPort : target.port_number};
}

void TellTargets(const std::vector<iser::Target>& targets, Walk& walk) {
  walk.Tell("iser-targets", std::uint64_t{targets.size()});
  for (std::size_t i = 0; i < std::min(targets.size(), kMostTargets); ++i) {
    const std::string name = fmt::format("iser-target-{}", i + 1);
    walk.Tell(name, targets[i].name);
    walk.Tell(name + "-at", fmt::format("{}", fmt::join(targets[i].addresses, " ")));
  }
}

void TellAgreed(const Session& session, Walk& walk) {
  if (const auto accept = iser::DecodeConnectAccept(session.link().private_data())) {
    walk.Tell("iser-zero-based-addresses", accept->zero_based_addresses);
    walk.Tell("iser-remote-invalidation", accept->remote_invalidation);
  }
  constexpr std::pair<std::string_view, std::string_view> kTold[] = {
      {"RDMAExtensions", "iser-rdma-extensions"},
      {"InitiatorRecvDataSegmentLength", "iser-initiator-receive"},
      {"TargetRecvDataSegmentLength", "iser-target-receive"},
      {"MaxBurstLength", "iser-max-burst"},
      {"FirstBurstLength", "iser-first-burst"},
      {"TargetPortalGroupTag", "iser-portal-group"}};
  for (const auto& [key, name] : kTold) {
    if (const std::string* value = iser::FindKey(session.agreed(), key)) walk.Tell(name, *value);
  }
}

std::optional<std::vector<iser::Target>> Discover(const ProbeTarget& target, const ProbeTools& tools,
                                                  const Initiator& initiator, Walk& walk) {
  Session session(tools.make_link);
  const bool connected = ConnectByRdma(
      target, tools, session.link(),
      [&](const Patience& patience) {
        return session.Connect(EndpointOf(target), target.local_address, patience);
      },
      walk);
  if (!connected) return std::nullopt;
  const bool logged_in = walk.Step(kLogin, seconds(10), [&](const Patience& patience) {
    const absl::Status status = session.Login(initiator.name, {}, patience);
    if (!session.authentication().empty()) walk.Tell("iser-discovery-authentication", session.authentication());
    if (status.ok()) TellAgreed(session, walk);
    return status;
  });
  if (!logged_in) return std::nullopt;
  std::optional<std::vector<iser::Target>> targets;
  walk.Step(kSendTargets, seconds(10), [&](const Patience& patience) {
    absl::StatusOr<std::vector<iser::Target>> told = session.SendTargets(patience);
    if (!told.ok()) return told.status();
    TellTargets(*told, walk);
    targets = *std::move(told);
    return absl::OkStatus();
  });
  walk.Step(kLogout, seconds(5), [&](const Patience& patience) { return session.Logout(patience); });
  return targets;
}

// What the caller named, or the first that was listed; empty when there is none.
std::string TargetToProve(const ProbeTarget& target, const std::vector<iser::Target>& listed) {
  if (!target.volume.empty()) return target.volume;
  return listed.empty() ? std::string() : listed.front().name;
}

absl::Status LogIn(Session& session, const ProbeTarget& target, const Initiator& initiator,
                   const std::string& name, Walk& walk, const Patience& patience) {
  walk.Tell("iser-proof-target", name);
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
  if (!session.authentication().empty()) walk.Tell("iser-authentication", session.authentication());
  if (status.ok()) TellAgreed(session, walk);
  return status;
}

struct Unit {
  std::uint64_t lun = 0;
  scsi::Capacity capacity{};
};

// Of a command that answers with at least `least_bytes`; Octets are those that came.
absl::StatusOr<std::vector<std::byte>> Ask(Session& session, std::uint64_t lun,
                                           const scsi::CommandBlock& command, std::size_t size_bytes,
                                           std::string what, const Patience& patience) {
  const auto buffer = session.Lend(static_cast<std::uint32_t>(size_bytes));
  if (!buffer.ok()) return buffer.status();
  const absl::StatusOr<std::uint32_t> bytes = session.Read(lun, command, **buffer, what, patience);
  if (!bytes.ok()) return bytes.status();
  const std::span<std::byte> all = (*buffer)->all().first(*bytes);
  return std::vector<std::byte>(all.begin(), all.end());
}

absl::StatusOr<Unit> FindUnit(Session& session, Walk& walk, const Patience& patience) {
  const auto cut = [](const std::string& what) {
    return MakeFailure(FailureKind::kCorrupt, what + ": the answer is cut");
  };
  const auto list = Ask(session, 0, scsi::ReportLuns(), scsi::kReportLunsBytes, "REPORT LUNS", patience);
  if (!list.ok()) return list.status();
  const auto luns = scsi::DecodeLuns(*list);
  if (!luns) return cut("REPORT LUNS");
  if (luns->empty()) return MakeFailure(FailureKind::kRejected, "REPORT LUNS: no unit for this initiator");
  Unit unit{.lun = luns->front()};
  walk.Tell("iser-units", std::uint64_t{luns->size()});
  const auto inquiry = Ask(session, unit.lun, scsi::Inquiry(), scsi::kInquiryBytes, "INQUIRY", patience);
  if (!inquiry.ok()) return inquiry.status();
  const auto described = scsi::DecodeInquiry(*inquiry);
  if (!described) return cut("INQUIRY");
  walk.Tell("iser-unit-vendor", described->vendor);
  walk.Tell("iser-unit-product", described->product);
  RR_RETURN_IF_ERROR(session.Command(unit.lun, scsi::TestUnitReady(), "TEST UNIT READY", patience));
  const auto told =
      Ask(session, unit.lun, scsi::ReadCapacity(), scsi::kCapacityBytes, "READ CAPACITY", patience);
  if (!told.ok()) return told.status();
  const auto capacity = scsi::DecodeCapacity(*told);
  if (!capacity) return cut("READ CAPACITY");
  unit.capacity = *capacity;
  walk.Tell("iser-unit-blocks", capacity->blocks);
  walk.Tell("iser-unit-block", std::uint64_t{capacity->block_bytes});
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
  const auto bytes = session.Read(
      unit.lun, scsi::Read(static_cast<std::uint32_t>(blocks.first), static_cast<std::uint16_t>(blocks.count)),
      lent, "READ(10)", patience);
  if (!bytes.ok()) return bytes.status();
  if (*bytes != to.size())
    return MakeFailure(FailureKind::kLost, fmt::format("READ(10): {} bytes instead of {}", *bytes, to.size()));
  std::ranges::copy(lent.all(), to.begin());
  return absl::OkStatus();
}

absl::Status ReadUnit(Session& session, const Unit& unit, TransferResult& result, const Patience& patience) {
  const std::uint32_t block_bytes = unit.capacity.block_bytes;
  const auto count = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::max(kReadBytes / block_bytes, 1u), unit.capacity.blocks));
  const auto lent = session.Lend(count * block_bytes);
  if (!lent.ok()) return lent.status();
  const absl::StatusOr<Arena> first = Arena::Make(count * block_bytes);
  const absl::StatusOr<Arena> second = Arena::Make(count * block_bytes);
  if (!first.ok()) return first.status();
  if (!second.ok()) return second.status();
  ProofMeter meter(result, "iser-read", Operation::kRead, count * block_bytes);
  absl::Status status;
  const std::uint64_t end = std::min<std::uint64_t>(unit.capacity.blocks, kMostReadBytes / block_bytes);
  for (std::uint64_t at = 0; status.ok() && at + count <= std::max<std::uint64_t>(end, count); at += count) {
    status = ReadTwice(
        {first->bytes(), second->bytes()},
        [&](int buffer) {
          return ReadBlocks(session, unit, {.first = at, .count = count}, **lent,
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
  const bool logged_in = walk.Step(kSessionLogin, seconds(15), [&](const Patience& patience) {
    return LogIn(session, target, initiator, name, walk, patience);
  });
  if (!logged_in) return;
  std::optional<Unit> unit;
  walk.Step(kUnit, seconds(10), [&](const Patience& patience) {
    const absl::StatusOr<Unit> found = FindUnit(session, walk, patience);
    if (found.ok()) unit = *found;
    return found.status();
  });
  if (unit) {
    walk.Step(kRead, seconds(20), [&](const Patience& patience) {
      return ReadUnit(session, *unit, walk.result().transfers.emplace_back(), patience);
    });
  }
  walk.Step(kSessionLogout, seconds(5), [&](const Patience& patience) { return session.Logout(patience); });
}

}  // namespace

std::vector<std::string_view> IserSteps() { return {kStepRdmaConnect, kLogin, kSendTargets, kLogout}; }

std::vector<std::string_view> IserProofSteps() { return {kSessionLogin, kUnit, kRead, kSessionLogout}; }

void ProbeIser(const ProbeTarget& target, const ProbeTools& tools, Walk& walk) {
  if (target.local_address.empty()) return;
  walk.result().port_number = EndpointOf(target).port;
  const Initiator initiator = iser::ReadInitiator();
  walk.Tell("iser-initiator", initiator.name);
  walk.Tell("iser-initiator-from", initiator.source);
  const auto targets = Discover(target, tools, initiator, walk);
  if (targets && target.prove) Prove(target, tools, initiator, *targets, walk);
}

}  // namespace rdmaready
