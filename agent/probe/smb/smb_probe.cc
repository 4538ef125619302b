// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/smb/smb_probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <random>
#include <span>
#include <variant>

#include "agent/link/failure.h"
#include "agent/probe/rdma_step.h"
#include "agent/probe/smb/smb2_wire.h"
#include "agent/probe/smb/smbd_client.h"
#include "api/base/octets.h"
#include "api/base/status.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

using std::chrono::seconds;
using OwnedOctets = std::vector<std::byte>;

constexpr std::uint16_t kTcpPort = 445;
constexpr std::uint16_t kRdmaPort = 445;    // InfiniBand and RoCE, [MS-SMBD] 1.9
constexpr std::uint16_t kIwarpPort = 5445;  // iWARP shares TCP's ports
constexpr std::size_t kMostTcpBytes = 64 << 10;

// TCP is also spoken to servers without SMB 3, to be able to say so.
constexpr std::array<std::uint16_t, 5> kTcpDialects{0x0202, 0x0210, 0x0300, 0x0302, 0x0311};
constexpr std::array<std::uint16_t, 3> kRdmaDialects{0x0300, 0x0302, 0x0311};

// How long nothing must come to be called no answer; within the limit of its step.
constexpr seconds kSilence{3};

constexpr smbdirect::Timers kTimers{.negotiate_active = std::chrono::milliseconds(5'000)};

// ksmbd that refuses a negotiation before its connection manager told it that the connection is there does not
// hang up, and keeps the connection until this end does.
constexpr std::chrono::milliseconds kUntilServerKnows{200};
constexpr smbdirect::Settings kUsual{.receive_credit_max = 16,
                                     .max_sends_in_flight = 16,
                                     .max_writes_in_flight = 1,
                                     .max_queued_messages = 8,
                                     .max_queued_rdma = 1,
                                     .timers = kTimers};
// The least that [MS-SMBD] 3.1.5.6 lets a client ask for.
constexpr smbdirect::Settings kLeast{.receive_credit_max = 16,
                                     .max_receive_bytes = smbdirect::kMinReceiveBytes,
                                     .max_fragmented_bytes = smbdirect::kMinFragmentedBytes,
                                     .max_sends_in_flight = 16,
                                     .max_writes_in_flight = 1,
                                     .max_queued_messages = 8,
                                     .max_queued_rdma = 1,
                                     .timers = kTimers};

smb2::NegotiateSeed FreshSeed() {
  std::random_device random;
  smb2::NegotiateSeed seed;
  for (std::byte& byte : seed.client_guid) byte = static_cast<std::byte>(random() & 0xff);
  for (std::byte& byte : seed.salt) byte = static_cast<std::byte>(random() & 0xff);
  return seed;
}

// The answer to NEGOTIATE with a dialect in it; kRejected for a refusal, kCorrupt for what is no answer.
absl::StatusOr<smb2::NegotiateAnswer> Understand(std::span<const std::byte> bytes) {
  const auto decoded = smb2::DecodeNegotiateAnswer(bytes);
  if (const auto* wrong = std::get_if<std::string_view>(&decoded)) {
    return MakeFailure(FailureKind::kCorrupt, fmt::format("SMB2 NEGOTIATE: the answer is {}", *wrong));
  }
  const auto& answer = std::get<smb2::NegotiateAnswer>(decoded);
  if (answer.status == 0) return answer;
  return MakeFailure(FailureKind::kRejected,
                     fmt::format("SMB2 NEGOTIATE: refused with NTSTATUS {:#010x}", answer.status));
}

// Direct TCP, [MS-SMB2] 2.1: a zero byte and the length in three before each message.
absl::StatusOr<smb2::NegotiateAnswer> AskByTcp(ByteStream& stream, const Patience& patience) {
  const OwnedOctets request = smb2::EncodeNegotiate(kTcpDialects, FreshSeed());
  OwnedOctets framed(4);
  PutBig(framed, 2, static_cast<std::uint16_t>(request.size()));
  framed.insert(framed.end(), request.begin(), request.end());
  RR_RETURN_IF_ERROR(stream.Send(framed, patience));
  std::array<std::byte, 4> head{};
  RR_RETURN_IF_ERROR(stream.Receive(head, patience));
  const std::size_t length = GetBig<std::uint32_t>(head, 0);  // the zero byte too: else it is too long
  if (length > kMostTcpBytes) {
    return MakeFailure(FailureKind::kCorrupt, "SMB2 NEGOTIATE: the answer by TCP is no SMB message");
  }
  OwnedOctets answer(length);
  RR_RETURN_IF_ERROR(stream.Receive(answer, patience));
  return Understand(answer);
}

// False when nobody answered at all.
bool ProbeByTcp(const ProbeTarget& target, const ProbeTools& tools, Walk& walk) {
  std::unique_ptr<ByteStream> stream;
  bool answered = true;
  const bool connected = walk.Step(kStepTcpConnect, seconds(5), [&](const Patience& patience) {
    auto made = tools.connect_tcp({.address = target.address, .port = kTcpPort}, patience);
    answered = FailureOf(made.status()).kind != FailureKind::kUnreachable;
    if (made.ok()) stream = std::move(*made);
    return made.status();
  });
  if (!connected) return answered;
  walk.Step(kStepTcpNegotiate, seconds(5), [&](const Patience& patience) {
    RR_ASSIGN_OR_RETURN(const smb2::NegotiateAnswer answer, AskByTcp(*stream, patience));
    walk.answers().tcp = {.dialect = smb2::DialectText(answer.dialect),
                          .multi_channel = (answer.capabilities & smb2::kCapMultiChannel) != 0};
    return absl::OkStatus();
  });
  return true;
}

std::vector<std::uint16_t> PortsToTry(const ProbeTarget& target) {
  if (target.port_number != 0) return {target.port_number};
  // An older ksmbd has one port for all of its devices: that of iWARP as soon as there is such a device. The
  // other way round makes no sense: on iWARP port 445 is that of SMB over TCP, which keeps silent to RDMA.
  if (target.iwarp) return {kIwarpPort};
  return {kRdmaPort, kIwarpPort};
}

// Connects to the first port on which somebody listens; the failure is that of the first port.
absl::StatusOr<std::unique_ptr<SmbdClient>> ConnectAnyPort(const ProbeTarget& target, const ProbeTools& tools,
                                                           Walk& walk, const Patience& patience) {
  absl::Status first;
  RdmaRefusal refusal;
  for (const std::uint16_t port : PortsToTry(target)) {
    Knock knock;
    if (absl::Status status = KnockOnIwarp(target, port, tools, patience, knock); !status.ok()) {
      walk.result().port_number = port;
      if (FailureOf(status).kind == FailureKind::kUnreachable)
        walk.answers().rdma.refusal = {.kind = RdmaRefusal::Kind::kNoAnswer};
      return status;
    }
    auto client = std::make_unique<SmbdClient>(tools.make_link, kUsual);
    const absl::Status status =
        client->Connect({target.address, port}, target.local_address, target.iwarp, patience);
    if (first.ok() || status.ok()) walk.result().port_number = port;
    if (status.ok()) knock.Accepted();
    if (status.ok()) return client;
    if (first.ok()) {
      first = status;
      refusal = RefusalOf(client->handshake());
    }
    if (client->handshake().refusal != Refusal::kNoListener) break;
  }
  walk.answers().rdma.refusal = refusal;
  return first;
}

void TellNegotiated(const SmbdClient& client, SmbAnswers& answers) {
  const auto& response = client.connection().response();
  if (!response) return;
  if (response->status != smbdirect::kStatusSuccess) {
    answers.smbd_status = fmt::format("{:#010x}", response->status);
    return;
  }
  answers.smbd_credits_asked = kUsual.send_credit_target;
  answers.smbd_credits_granted = response->credits_granted;
  answers.smbd_credits_wanted = response->credits_requested;
  answers.smbd_max_read_write = response->max_read_write_bytes;
  answers.smbd_preferred_send = response->preferred_send_bytes;
  answers.smbd_max_receive = response->max_receive_bytes;
  answers.smbd_max_fragmented = response->max_fragmented_bytes;
}

std::string CiphersText(const smb2::NegotiateAnswer& answer) {
  if (!smb2::CanEncrypt(answer)) return "no";
  if (answer.ciphers.empty()) return "AES-128-CCM";  // what 3.0 and 3.0.2 have
  std::vector<std::string> ciphers;
  for (const std::uint16_t cipher : answer.ciphers) ciphers.push_back(smb2::CipherText(cipher));
  return fmt::format("{}", fmt::join(ciphers, " "));
}

SmbAnswers::Signing SigningOf(const smb2::NegotiateAnswer& answer) {
  if ((answer.security_mode & smb2::kSigningRequired) != 0) return SmbAnswers::Signing::kRequired;
  return (answer.security_mode & smb2::kSigningEnabled) != 0 ? SmbAnswers::Signing::kEnabled
                                                             : SmbAnswers::Signing::kDisabled;
}

void TellAnswer(const smb2::NegotiateAnswer& answer, std::uint32_t max_read_write, SmbAnswers& answers) {
  answers.dialect = smb2::DialectText(answer.dialect);
  answers.capabilities = smb2::CapabilitiesText(answer.capabilities);
  answers.multi_channel = (answer.capabilities & smb2::kCapMultiChannel) != 0;
  answers.signing = SigningOf(answer);
  answers.encryption = CiphersText(answer);
  answers.rdma_transform = !answer.rdma_transforms.empty();
  answers.max_transact = answer.max_transact_bytes;
  answers.max_read = answer.max_read_bytes;
  answers.max_write = answer.max_write_bytes;
  answers.io_size = std::min({answer.max_read_bytes, answer.max_write_bytes, max_read_write});
}

bool ProbeByRdma(const ProbeTarget& target, const ProbeTools& tools, Walk& walk) {
  std::unique_ptr<SmbdClient> client;
  RdmaAnswers& rdma = walk.answers().rdma;
  rdma.local_iwarp = target.iwarp;
  const bool connected = walk.Step(kStepRdmaConnect, seconds(8), [&](const Patience& patience) {
    RR_ASSIGN_OR_RETURN(client, ConnectAnyPort(target, tools, walk, patience));
    walk.result().transport = client->facts().transport;
    rdma.ird = client->depths().ird;
    rdma.ord = client->depths().ord;
    return absl::OkStatus();
  });
  if (!connected) return false;
  const bool negotiated = walk.Step(kStepSmbdNegotiate, seconds(6), [&](const Patience& patience) {
    const absl::Status status = client->Negotiate(patience);
    TellNegotiated(*client, walk.answers().smb);
    return status;
  });
  if (!negotiated) return false;
  return walk.Step(kStepSmb2Negotiate, seconds(6), [&](const Patience& patience) {
    RR_ASSIGN_OR_RETURN(const OwnedOctets bytes,
                        client->Ask(smb2::EncodeNegotiate(kRdmaDialects, FreshSeed()), patience));
    RR_ASSIGN_OR_RETURN(const smb2::NegotiateAnswer answer, Understand(bytes));
    TellAnswer(answer, client->connection().response()->max_read_write_bytes, walk.answers().smb);
    return absl::OkStatus();
  });
}

// A server that keeps to the letter agrees to the least. An older ksmbd hangs up without a message, and where
// it refuses before its side of the connection is established it forgets even that (its disconnect is
// overwritten by the late event).
void ProbeMinimum(const ProbeTarget& target, const ProbeTools& tools, Walk& walk) {
  walk.Step(kStepSmbdMinimum, seconds(5), [&](const Patience& patience) {
    SmbdClient client(tools.make_link, kLeast);
    const auto port = static_cast<std::uint16_t>(walk.result().port_number);
    RR_RETURN_IF_ERROR(client.Connect({target.address, port}, target.local_address, target.iwarp, patience));
    Clock& clock = *patience.clock;
    clock.SleepUntil(clock.Now() + kUntilServerKnows, {});
    const TimePoint enough = clock.Now() + kSilence;
    const absl::Status status = client.Negotiate(Within(patience, kSilence));
    const FailureKind kind = FailureOf(status).kind;
    const bool refused = kind == FailureKind::kRejected || kind == FailureKind::kDisconnected;
    const bool silent = kind == FailureKind::kStalled && enough <= patience.deadline;
    if (!status.ok() && !refused && !silent) return status;
    walk.answers().smb.smbd_minimum = status.ok() ? SmbAnswers::Minimum::kAccepted
                                      : refused   ? SmbAnswers::Minimum::kDropped
                                                  : SmbAnswers::Minimum::kSilent;
    return absl::OkStatus();
  });
}

}  // namespace

std::vector<std::string_view> SmbSteps() {
  return {kStepTcpConnect,    kStepTcpNegotiate,  kStepRdmaConnect,
          kStepSmbdNegotiate, kStepSmb2Negotiate, kStepSmbdMinimum};
}

void ProbeSmb(const ProbeTarget& target, const ProbeTools& tools, Walk& walk) {
  const bool answered = ProbeByTcp(target, tools, walk);
  if (target.local_address.empty()) return;
  // The soft iWARP device waits in the kernel for TCP to give up, which takes two minutes.
  if (!answered && target.iwarp) return;
  if (ProbeByRdma(target, tools, walk)) ProbeMinimum(target, tools, walk);
}

}  // namespace rdmaready
