// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>

#include "agent/link/failure.h"
#include "agent/transfer/data.h"
#include "agent/transfer/data_numbered.h"
#include "agent/transfer/data_smbd.h"
#include "agent/transfer/introduction.h"
#include "agent/transfer/lane.h"
#include "agent/transfer/merge.h"
#include "agent/transfer/run.h"
#include "agent/transfer/session.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using Data = DataPhase<SendInitiator, WriteInitiator, ReadInitiator, SmbdSendInitiator, SmbdMoveInitiator,
                       NumberedInitiator>;

absl::Status CheckOffer(const PeerMessage& offer, const TransferCase& test, const RunOptions& options) {
  const bool same = std::string_view(offer.case_name) == test.name &&
                    offer.message_bytes == test.message_bytes && offer.depth == test.depth &&
                    offer.verify == options.verify && offer.lanes == LanesOf(options);
  if (same) return absl::OkStatus();
  return MakeFailure(FailureKind::kPeerGone,
                     "the ends do not agree on the test: the responder offers another one");
}

// That the responder offers this test, at an address where this end may connect.
absl::Status TakeOffer(const PeerMessage& offer, Session& session) {
  RR_RETURN_IF_ERROR(CheckOffer(offer, session.test(), session.options()));
  RR_RETURN_IF_ERROR(session.AgreeOnLimit(offer.limit_bytes_per_s));
  RR_RETURN_IF_ERROR(CheckEndpoint(offer.endpoint, session.options()));
  const auto& may_connect = session.options().may_connect;
  return may_connect ? may_connect(offer.endpoint.address) : absl::OkStatus();
}

// Makes the data phase in place; `pattern` outlives it.
absl::Status MakeData(Session& session, const Pattern& pattern, const RemoteMemory& memory, Data& data) {
  if (const auto& numbered = session.options().numbered)
    return data.Make<NumberedInitiator>(session, *numbered->writes, pattern, memory).Prepare();
  switch (session.test().operation) {
    case Operation::kSend:
      return data.Make<SendInitiator>(session, pattern).Prepare();
    case Operation::kWrite:
      return data.Make<WriteInitiator>(session, pattern, memory).Prepare();
    case Operation::kRead:
      return data.Make<ReadInitiator>(session, pattern, memory).Prepare();
    case Operation::kUnknown:
      break;
  }
  return MakeFailure(FailureKind::kSetup, fmt::format("case {} names no operation", session.test().name));
}

// SMB Direct prepares before the connection stands and negotiates before the measured part.
absl::Status ConnectSmbDirect(Session& session, const PeerMessage& offer, const Patience& patience,
                              SmbdEnd& end) {
  RR_RETURN_IF_ERROR(session.link().Connect(offer.endpoint, offer.nonce, session.options().local_address,
                                            end.link_settings(), patience));
  RR_RETURN_IF_ERROR(session.Expect(PeerMessageKind::kReady, session.deadline()).status());
  session.Progress();
  return end.Negotiate();
}

absl::Status InitiateSmbDirect(Session& session, const PeerMessage& offer, const Patience& patience,
                               const Pattern& pattern, Data& data, Phase& phase) {
  SmbdEnd& end = session.test().operation == Operation::kSend
                     ? static_cast<SmbdEnd&>(data.Make<SmbdSendInitiator>(session, pattern))
                     : static_cast<SmbdEnd&>(data.Make<SmbdMoveInitiator>(session, pattern));
  RR_RETURN_IF_ERROR(ConnectSmbDirect(session, offer, patience, end));
  RR_RETURN_IF_ERROR(session.Start());
  return data.Run(phase);
}

// From the offer to the last completion.
absl::Status Initiate(Session& session, std::optional<Pattern>& pattern, Data& data, Phase& phase) {
  RR_RETURN_IF_ERROR(session.SayLimit());
  RR_ASSIGN_OR_RETURN(const PeerMessage offer, session.Expect(PeerMessageKind::kOffer, session.deadline()));
  RR_RETURN_IF_ERROR(TakeOffer(offer, session));
  const Patience patience = session.PatienceUntil(
      std::chrono::steady_clock::now() + session.options().connect_limit, PeerMessageKind::kReady);
  if (session.test().wrapping == Wrapping::kSmbDirect) {
    return InitiateSmbDirect(session, offer, patience, pattern.emplace(offer.nonce), data, phase);
  }
  LinkSettings settings = SettingsOf(Role::kInitiator, session.test(), session.options());
  AddConnection(session, settings);
  RR_RETURN_IF_ERROR(
      session.link().Connect(offer.endpoint, offer.nonce, session.options().local_address, settings, patience));
  RR_ASSIGN_OR_RETURN(const PeerMessage ready, session.Expect(PeerMessageKind::kReady, session.deadline()));
  // The payload of numbered writes is that of the run: another path may verify it.
  const Nonce& key = session.options().numbered ? session.options().numbered->key : offer.nonce;
  RR_RETURN_IF_ERROR(MakeData(session, pattern.emplace(key), ready.memory, data));
  RR_RETURN_IF_ERROR(session.Start());
  return data.Run(phase);
}

// Tells that this end is done, hears what the other one saw, and leaves both with the same result.
TransferResult Conclude(Session& session, const EndView& own) {
  absl::Status told = absl::OkStatus();
  if (session.heard() == nullptr) {
    told = session.Tell({.kind = PeerMessageKind::kDone, .counts = own.counts});
  }
  std::optional<EndView> theirs;
  if (told.ok()) {
    if (const PeerMessage* view = session.AwaitLastWord(PeerMessageKind::kView)) {
      theirs = EndView{.counts = view->counts, .result = view->result};
    }
  }
  EndView mine = own;
  if (!theirs) {
    mine.result.failure = MoreTelling(mine.result.failure,
                                      session.WhyNoLastWord("the responder's view of the transfer never came"));
  }
  TransferResult merged = Merge(mine, theirs, session.options().verify);
  // Fails only when the other end is gone, and then there is nobody to be told.
  static_cast<void>(session.Tell({.kind = PeerMessageKind::kResult, .result = merged}));
  return merged;
}

// The numbered writes as this end knows them by now, with the log as the responder's view of this path had it;
// absent without a view.
std::optional<NumberedIo> WithLogOf(NumberedIo io, const TransferResult& merged) {
  if (!merged.numbered) return std::nullopt;
  io.log = merged.numbered->log;
  return io;
}

}  // namespace

TransferResult RunInitiator(const TransferCase& test, RdmaLink& link, PeerChannel& peer,
                            const RunOptions& options) {
  return RunInitiatorLane(test, link, peer, options, nullptr).result;
}

LaneEnd RunInitiatorLane(const TransferCase& test, RdmaLink& link, PeerChannel& peer, const RunOptions& options,
                         StartGate* gate) {
  Session session(Role::kInitiator, test, link, peer, options, gate);
  std::optional<Pattern> pattern;
  Data data;  // holds memory registered
  Phase phase;
  const absl::Status status = Initiate(session, pattern, data, phase);
  session.LeaveGate();
  const Failure ended_by = session.Explain(status);
  phase.failure = MoreTelling(ended_by, phase.failure);
  if (phase.messages == 0 && phase.failure.kind == FailureKind::kNone && session.heard() == nullptr &&
      !options.numbered) {
    phase.failure = {.kind = FailureKind::kStalled, .detail = "nothing was transferred"};
  }
  if (session.heard() != nullptr && session.heard()->result.failure.kind == FailureKind::kNone) {
    phase.failure = MoreTelling(phase.failure, {.kind = FailureKind::kPeerGone,
                                                .detail = "the responder ended the test without a reason"});
  }
  LaneEnd end{.begun_ns = phase.begun_ns, .latencies = phase.latencies, .interval_bytes = phase.interval_bytes};
  const EndView own = ViewOf(Role::kInitiator, test, options, link.Describe(), phase);
  // While the last words are said, which may take as long as the other end likes, the peer reaches no memory.
  // Else the connection stands: by what the responder still takes from it, it is known what was lost.
  if (status.ok()) {
    data.Conceal();
  } else if (data.Reachable()) {
    link.Disconnect();
    data.Reset();
  }
  end.result = Conclude(session, own);
  if (options.numbered) {
    const PeerMessage* const last = session.heard();
    data.Settle(last != nullptr && last->kind == PeerMessageKind::kView ? last : nullptr);
    end.result.numbered = WithLogOf(options.numbered->writes->View(), end.result);
  }
  if (options.keep_intervals) {
    end.result.interval_bytes = end.interval_bytes;
    end.result.interval_ms = options.interval_ms;
  }
  link.Disconnect();
  return end;
}

}  // namespace rdmaready
