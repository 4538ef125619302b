// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/iser/iser_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <random>

#include "agent/link/failure.h"
#include "agent/probe/iser/scsi_wire.h"
#include "api/base/status.h"

namespace rdmaready::iser {
namespace {

constexpr std::size_t kMostKeys = 128;             // of one answer
constexpr std::size_t kMostTextBytes = 256 << 10;  // of all answers to SendTargets
constexpr int kMostLoginSteps = 8;
constexpr int kMostForeignPdus = 32;  // PDUs that are no answer, before it is none any more
constexpr int kMostAttentions = 8;
constexpr std::uint8_t kClassRedirect = 1;
constexpr std::uint32_t kLoginTag = 0;  // all requests of one login have the same

std::string ExplainIserReject(Octets) {
  return "the iSER target's portal is switched off, or it has no resources";
}

Keys OperationalKeys(bool discovery) {
  Keys keys = {{"RDMAExtensions", "Yes"},
               {"InitiatorRecvDataSegmentLength", std::to_string(kMaxDataBytes)},
               {"TargetRecvDataSegmentLength", std::to_string(kMaxDataBytes)},
               {"MaxRecvDataSegmentLength", std::to_string(kMaxDataBytes)},
               {"DefaultTime2Wait", "2"},
               {"DefaultTime2Retain", "0"},
               {"ErrorRecoveryLevel", "0"}};
  if (discovery) return keys;
  const Keys normal = {{"InitialR2T", "Yes"},        {"ImmediateData", "No"},
                       {"MaxBurstLength", "262144"}, {"FirstBurstLength", "65536"},
                       {"MaxOutstandingR2T", "1"},   {"MaxConnections", "1"},
                       {"DataPDUInOrder", "Yes"},    {"DataSequenceInOrder", "Yes"}};
  keys.insert(keys.end(), normal.begin(), normal.end());
  return keys;
}

// What a target states and nobody answers.
bool IsDeclaration(std::string_view key) {
  return key == "TargetAlias" || key == "TargetPortalGroupTag" || key == "TargetAddress" ||
         key == "TargetName" || key == "MaxRecvDataSegmentLength" || key == "AuthMethod";
}

absl::Status LoginRefused(const LoginAnswer& answer, const Keys& keys) {
  std::string text = "login: " + LoginStatusText(answer.status_class, answer.status_detail);
  if (const std::string* to = FindKey(keys, "TargetAddress");
      to != nullptr && answer.status_class == kClassRedirect)
    text += " to " + *to;
  return MakeFailure(FailureKind::kRejected, text);
}

}  // namespace

Initiator ReadInitiator(const std::string& file) {
  constexpr std::string_view kKey = "InitiatorName=";
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(kKey)) continue;
    const std::string name = line.substr(kKey.size(), line.find_last_not_of(" \t\r") + 1 - kKey.size());
    if (IsName(name)) return {.name = name, .source = file};
  }
  std::random_device random;
  return {.name = fmt::format("iqn.2026-11.invalid.rdmaready:{:08x}", random()),
          .source = "made for this probe"};
}

// A random ISID: never that of a session which this host's own initiator has under the same name.
Session::Session(const LinkMaker& make_link)
    : link_(make_link, {.receives = 8,
                        .receive_bytes = static_cast<std::uint32_t>(kMaxPduBytes),
                        .send_bytes = static_cast<std::uint32_t>(kMaxPduBytes)}) {
  std::random_device random;
  for (std::byte& byte : id_) byte = static_cast<std::byte>(random() & 0xff);
  id_[0] = std::byte{0x80};
}

absl::Status Session::Connect(const Endpoint& to, const std::string& local_address, const Patience& patience) {
  return link_.Connect(to, local_address, EncodeConnectPrivate(), ExplainIserReject, patience);
}

Sequence Session::Next(bool immediate) {
  const Sequence sequence{
      .task_tag = next_tag_++, .command = next_command_, .expected_status = expected_status_};
  if (!immediate) ++next_command_;
  return sequence;
}

absl::StatusOr<Pdu> Session::Answer(Opcode opcode, std::uint32_t tag, const std::string& what,
                                    const Patience& patience) {
  for (int i = 0; i < kMostForeignPdus; ++i) {
    RR_ASSIGN_OR_RETURN(const Octets message, link_.Receive(patience));
    const auto pdu = DecodePdu(message);
    if (!pdu) return MakeFailure(FailureKind::kCorrupt, what + ": the answer is no iSCSI PDU");
    const bool ping = pdu->opcode == static_cast<std::uint8_t>(Opcode::kNopIn);
    if (!ping || PingTagOf(*pdu) == kNoTag) expected_status_ = NumbersOf(*pdu).status + 1;
    if (pdu->opcode == static_cast<std::uint8_t>(Opcode::kReject))
      return MakeFailure(FailureKind::kRejected, what + ": rejected: " + RejectText(RejectReasonOf(*pdu)));
    if (ping && PingTagOf(*pdu) != kNoTag) {
      const auto pong = EncodeNopOut(Next(true), PingTagOf(*pdu), LunOf(*pdu));
      RR_RETURN_IF_ERROR(link_.Send(pong, patience));
    }
    if (pdu->opcode == static_cast<std::uint8_t>(opcode) && pdu->task_tag == tag) return *pdu;
  }
  return MakeFailure(FailureKind::kCorrupt, what + ": no answer among the target's PDUs");
}

absl::StatusOr<Pdu> Session::Exchange(Octets request, Opcode opcode, std::uint32_t tag, const std::string& what,
                                      const Patience& patience) {
  RR_RETURN_IF_ERROR(link_.Send(request, patience));
  return Answer(opcode, tag, what, patience);
}

absl::StatusOr<LoginAnswer> Session::LoginStep(Stage stage, const Keys& offer, Keys& answered,
                                               const Patience& patience) {
  const LoginRequest request{
      .current = stage,
      .next = stage == Stage::kSecurity ? Stage::kOperational : Stage::kFullFeature,
      .initiator_session = id_,
      .sequence = {.task_tag = kLoginTag, .command = next_command_, .expected_status = expected_status_}};
  RR_ASSIGN_OR_RETURN(const auto pdu, Exchange(EncodeLogin(request, EncodeKeys(offer)), Opcode::kLoginResponse,
                                               kLoginTag, "login", patience));
  const std::optional<Keys> keys = DecodeKeys(pdu.data, kMostKeys);
  if (!keys) return MakeFailure(FailureKind::kCorrupt, "login: the answer's text is no list of keys");
  const LoginAnswer answer = LoginAnswerOf(pdu);
  if (answer.status_class != 0) return LoginRefused(answer, *keys);
  if (answer.goes_on) return MakeFailure(FailureKind::kCorrupt, "login: an answer in several parts");
  answered = *keys;
  return answer;
}

// Offers, then accepts what the target proposes, until it goes on to the next stage.
absl::Status Session::Negotiate(Stage stage, Keys offer, const Patience& patience) {
  for (int step = 0; step < kMostLoginSteps; ++step) {
    Keys answered;
    RR_ASSIGN_OR_RETURN(const LoginAnswer answer, LoginStep(stage, offer, answered, patience));
    if (const std::string* method = FindKey(answered, "AuthMethod")) authentication_ = *method;
    Keys accepted;
    for (const auto& [key, value] : answered) {
      agreed_.emplace_back(key, value);
      if (FindKey(offer, key) == nullptr && !IsDeclaration(key)) accepted.emplace_back(key, value);
    }
    if (answer.transit) return absl::OkStatus();
    if (stage == Stage::kSecurity && !authentication_.empty() && authentication_ != "None")
      return LeaveUnauthenticated(patience);
    offer = std::move(accepted);
  }
  return MakeFailure(FailureKind::kRejected, "login: the target does not go on to the next stage");
}

absl::Status Session::LeaveUnauthenticated(const Patience& patience) {
  Keys ignored;
  static_cast<void>(LoginStep(Stage::kSecurity, {}, ignored, Within(patience, std::chrono::seconds(2))));
  return MakeFailure(FailureKind::kRejected, "login: the target demands authentication by " + authentication_);
}

absl::Status Session::Login(const std::string& initiator, const std::string& target, const Patience& patience) {
  Keys keys = {{"InitiatorName", initiator}, {"SessionType", target.empty() ? "Discovery" : "Normal"}};
  if (!target.empty()) keys.emplace_back("TargetName", target);
  keys.emplace_back("AuthMethod", "None,CHAP");
  RR_RETURN_IF_ERROR(Negotiate(Stage::kSecurity, std::move(keys), patience));
  return Negotiate(Stage::kOperational, OperationalKeys(target.empty()), patience);
}

absl::StatusOr<std::vector<Target>> Session::SendTargets(const Patience& patience) {
  const std::string what = "SendTargets";
  std::vector<std::byte> text;
  std::uint32_t continued = kNoTag;
  std::vector<std::byte> request = EncodeKeys({{"SendTargets", "All"}});
  const std::uint32_t tag = next_tag_;
  while (text.size() <= kMostTextBytes) {
    Sequence sequence = Next(false);
    sequence.task_tag = tag;  // a text request that goes on keeps its tag
    RR_ASSIGN_OR_RETURN(const auto pdu, Exchange(EncodeText(sequence, continued, request),
                                                 Opcode::kTextResponse, tag, what, patience));
    text.insert(text.end(), pdu.data.begin(), pdu.data.end());
    const TextAnswer answer = TextAnswerOf(pdu);
    if (answer.final || answer.continued == kNoTag) {
      const std::optional<Keys> keys = DecodeKeys(text, kMostTextBytes);
      if (!keys) return MakeFailure(FailureKind::kCorrupt, what + ": the answer's text is no list of keys");
      return TargetsOf(*keys);
    }
    continued = answer.continued;
    request.clear();
  }
  return MakeFailure(FailureKind::kCorrupt, what + ": a list without an end");
}

absl::StatusOr<ScsiAnswer> Session::Execute(
    const std::function<std::vector<std::byte>(const Sequence&)>& encode, const std::string& what,
    const Patience& patience) {
  for (int i = 0; i < kMostAttentions; ++i) {
    const Sequence sequence = Next(false);
    RR_ASSIGN_OR_RETURN(const auto pdu,
                        Exchange(encode(sequence), Opcode::kScsiResponse, sequence.task_tag, what, patience));
    const ScsiAnswer answer = ScsiAnswerOf(pdu);
    if (answer.response == 0 && answer.status == scsi::kGood) return answer;
    const std::optional<scsi::Sense> sense = scsi::DecodeSense(answer.sense);
    if (sense && scsi::IsUnitAttention(*sense)) continue;  // told once to each new initiator
    return MakeFailure(FailureKind::kRejected,
                       fmt::format("{}: {}{}", what, scsi::StatusText(answer.status),
                                   sense ? ": " + scsi::SenseText(*sense) : std::string()));
  }
  return MakeFailure(FailureKind::kRejected, what + ": Unit Attention without an end");
}

absl::Status Session::Command(std::uint64_t lun, const CommandBlock& command, const std::string& what,
                              const Patience& patience) {
  return Execute([&](const Sequence& sequence) { return EncodeCommand(sequence, lun, command); }, what,
                 patience)
      .status();
}

absl::StatusOr<std::uint32_t> Session::Read(std::uint64_t lun, const CommandBlock& command, const Buffer& to,
                                            const std::string& what, const Patience& patience) {
  const RemoteMemory memory = to.remote();
  const auto size = static_cast<std::uint32_t>(memory.length_bytes);
  const auto answer = Execute(
      [&](const Sequence& sequence) {
        return EncodeRead(sequence, lun, command,
                          {.address = memory.address, .key = memory.rkey, .length_bytes = size});
      },
      what, patience);
  if (!answer.ok()) return answer.status();
  return size - (answer->underflow ? std::min(answer->residual_bytes, size) : 0);
}

absl::Status Session::Logout(const Patience& patience) {
  const Sequence sequence = Next(true);
  const auto pdu =
      Exchange(EncodeLogout(sequence), Opcode::kLogoutResponse, sequence.task_tag, "logout", patience);
  link_.Disconnect();
  if (!pdu.ok()) return pdu.status();
  const std::uint8_t response = LogoutResponseOf(*pdu);
  if (response == 0) return absl::OkStatus();
  return MakeFailure(FailureKind::kRejected, fmt::format("logout: response {}", response));
}

}  // namespace rdmaready::iser
