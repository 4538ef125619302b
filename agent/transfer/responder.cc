// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "agent/link/failure.h"
#include "agent/transfer/data.h"
#include "agent/transfer/data_numbered.h"
#include "agent/transfer/data_smbd.h"
#include "agent/transfer/introduction.h"
#include "agent/transfer/lane.h"
#include "agent/transfer/merge.h"
#include "agent/transfer/nonce.h"
#include "agent/transfer/run.h"
#include "agent/transfer/session.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using ResponderData = DataPhase<SendResponder, WriteResponder, ReadResponder, SmbdSendResponder,
                                SmbdMoveResponder, NumberedResponder>;

// Makes the data phase in place and returns the memory that the initiator may reach (none for send).
absl::StatusOr<RemoteMemory> MakeData(Session& session, const Pattern& pattern, ResponderData& data) {
  if (const auto& numbered = session.options().numbered) {
    NumberedResponder& end = data.Make<NumberedResponder>(session, *numbered->log);
    RR_RETURN_IF_ERROR(end.Prepare());
    return end.memory();
  }
  switch (session.test().operation) {
    case Operation::kSend:
      RR_RETURN_IF_ERROR(data.Make<SendResponder>(session, pattern).Prepare());
      return RemoteMemory{};
    case Operation::kWrite: {
      WriteResponder& end = data.Make<WriteResponder>(session, pattern);
      RR_RETURN_IF_ERROR(end.Prepare());
      return end.memory();
    }
    case Operation::kRead: {
      ReadResponder& end = data.Make<ReadResponder>(session, pattern);
      RR_RETURN_IF_ERROR(end.Prepare());
      return end.memory();
    }
    case Operation::kUnknown:
      break;
  }
  return MakeFailure(FailureKind::kSetup, fmt::format("case {} names no operation", session.test().name));
}

// Null where the case does not speak SMB Direct, which is there before the connection.
SmbdEnd* MakeSmbDirect(Session& session, const Pattern& pattern, ResponderData& data) {
  if (session.test().wrapping != Wrapping::kSmbDirect) return nullptr;
  if (session.test().operation == Operation::kSend) return &data.Make<SmbdSendResponder>(session, pattern);
  return &data.Make<SmbdMoveResponder>(session, pattern);
}

std::uint64_t LimitOf(const RunOptions& options) {
  return options.pacer ? options.pacer->limit_bytes_per_s() : 0;
}

// From listening to the initiator's kDone.
absl::Status Respond(Session& session, std::optional<Pattern>& pattern, ResponderData& data, Phase& phase) {
  const TransferCase& test = session.test();
  RR_RETURN_IF_ERROR(session.HearLimit());
  RR_ASSIGN_OR_RETURN(const Nonce nonce, FreshNonce());
  SmbdEnd* const smbd = MakeSmbDirect(session, pattern.emplace(nonce), data);
  LinkSettings settings =
      smbd != nullptr ? smbd->link_settings() : SettingsOf(Role::kResponder, test, session.options());
  AddConnection(session, settings);
  RR_ASSIGN_OR_RETURN(const Endpoint endpoint,
                      session.link().Listen(session.options().local_address, settings));
  RR_RETURN_IF_ERROR(session.Tell({.kind = PeerMessageKind::kOffer,
                                   .case_name = std::string(test.name),
                                   .message_bytes = test.message_bytes,
                                   .depth = test.depth,
                                   .verify = session.options().verify,
                                   .lanes = LanesOf(session.options()),
                                   .endpoint = endpoint,
                                   .nonce = nonce,
                                   .limit_bytes_per_s = LimitOf(session.options())}));
  RR_RETURN_IF_ERROR(session.link().Accept(nonce, session.PatienceUntil(session.deadline())));
  RR_ASSIGN_OR_RETURN(const RemoteMemory memory,
                      smbd != nullptr ? RemoteMemory{} : MakeData(session, *pattern, data));
  RR_RETURN_IF_ERROR(session.Tell({.kind = PeerMessageKind::kReady, .memory = memory}));
  RR_RETURN_IF_ERROR(session.Start());
  return data.Run(phase);
}

// Tells what this end saw and returns the result that the initiator made of it, or failing that one made here.
TransferResult ConcludeResponder(Session& session, const EndView& own, std::vector<std::uint64_t> numbers) {
  const bool over = session.heard() != nullptr && session.heard()->kind == PeerMessageKind::kResult;
  absl::Status told = absl::OkStatus();
  if (!over) {
    told = session.Tell({.kind = PeerMessageKind::kView,
                         .counts = own.counts,
                         .result = own.result,
                         .numbers = std::move(numbers)});
  }
  const PeerMessage* last = told.ok() ? session.AwaitLastWord(PeerMessageKind::kResult) : nullptr;
  TransferResult result = own.result;
  if (last == nullptr) {
    result.failure =
        MoreTelling(result.failure, session.WhyNoLastWord("the initiator's result of the transfer never came"));
    return result;
  }
  result = last->result;
  result.case_name = own.result.case_name;
  result.operation = own.result.operation;
  result.message_bytes = own.result.message_bytes;
  result.unverified = own.result.unverified;
  result.path_mtu_bytes = own.result.path_mtu_bytes;
  result.failure = MoreTelling(result.failure, own.result.failure);
  return result;
}

}  // namespace

TransferResult RunResponder(const TransferCase& test, RdmaLink& link, PeerChannel& peer,
                            const RunOptions& options) {
  return RunResponderLane(test, link, peer, options, nullptr).result;
}

LaneEnd RunResponderLane(const TransferCase& test, RdmaLink& link, PeerChannel& peer, const RunOptions& options,
                         StartGate* gate) {
  Session session(Role::kResponder, test, link, peer, options, gate);
  std::optional<Pattern> pattern;
  ResponderData data;  // holds memory registered
  Phase phase;
  const absl::Status status = Respond(session, pattern, data, phase);
  session.LeaveGate();
  phase.failure = MoreTelling(session.Explain(status), phase.failure);
  EndView own = ViewOf(Role::kResponder, test, options, link.Describe(), phase);
  std::vector<std::uint64_t> numbers = data.Numbers();
  // While the last words are said, which may take as long as the other end likes, no memory stays reachable.
  link.Disconnect();
  data.Reset();
  if (options.numbered) own.result.numbered = NumberedIo{.log = options.numbered->log->View()};
  LaneEnd end{.result = ConcludeResponder(session, own, std::move(numbers))};
  link.Disconnect();
  return end;
}

}  // namespace rdmaready
