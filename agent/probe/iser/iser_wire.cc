// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/iser/iser_wire.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rdmaready::iser {
namespace {

constexpr std::uint8_t kControlPdu = 0x10;
constexpr std::uint8_t kControlMask = 0xf0;
constexpr std::uint8_t kReadTagValid = 0x04;
constexpr std::uint8_t kImmediate = 0x40;
constexpr std::uint8_t kFinal = 0x80;
constexpr std::uint8_t kContinue = 0x40;
constexpr std::uint8_t kReadsData = 0x40;
constexpr std::uint8_t kSimpleTask = 0x01;
constexpr std::uint8_t kNoZeroBased = 0x80;
constexpr std::uint8_t kNoRemoteInvalidation = 0x40;
constexpr std::size_t kMaxKeyBytes = 63;
constexpr std::size_t kHeaderBytes = kPduHeaderBytes - kIserHeaderBytes;

std::uint8_t ByteAt(Octets bytes, std::size_t at) { return std::to_integer<std::uint8_t>(bytes[at]); }

std::uint32_t Get24(Octets bytes, std::size_t at) {
  return (std::uint32_t{ByteAt(bytes, at)} << 16) | (std::uint32_t{ByteAt(bytes, at + 1)} << 8) |
         ByteAt(bytes, at + 2);
}

std::size_t Padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

// The iSER header and what all requests have in common of the basic header.
std::vector<std::byte> Make(std::uint8_t opcode, std::uint8_t flags, const Sequence& sequence,
                            Octets data = {}) {
  std::vector<std::byte> bytes(kPduHeaderBytes + Padded(data.size()));
  bytes[0] = static_cast<std::byte>(kControlPdu);
  const MutableOctets header = MutableOctets(bytes).subspan(kIserHeaderBytes, kHeaderBytes);
  header[0] = static_cast<std::byte>(opcode);
  header[1] = static_cast<std::byte>(flags);
  PutBig(header, 4, static_cast<std::uint32_t>(data.size() & 0xffffff));
  PutBig(header, 16, sequence.task_tag);
  PutBig(header, 24, sequence.command);
  PutBig(header, 28, sequence.expected_status);
  std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(kPduHeaderBytes));
  return bytes;
}

MutableOctets HeaderOf(std::vector<std::byte>& pdu) {
  return MutableOctets(pdu).subspan(kIserHeaderBytes, kHeaderBytes);
}

std::string_view LoginStatusName(std::uint8_t status_class, std::uint8_t detail) {
  switch (status_class * 256 + detail) {
    case 0x000:
      return "success";
    case 0x101:
      return "target moved temporarily";
    case 0x102:
      return "target moved for good";
    case 0x200:
      return "initiator error";
    case 0x201:
      return "authentication failure";
    case 0x202:
      return "authorization failure: this initiator may not use the target";
    case 0x203:
      return "target not found";
    case 0x204:
      return "target removed";
    case 0x205:
      return "unsupported version";
    case 0x206:
      return "too many connections";
    case 0x207:
      return "missing parameter";
    case 0x208:
      return "cannot include in session";
    case 0x209:
      return "session type not supported";
    case 0x20a:
      return "session does not exist";
    case 0x20b:
      return "invalid request during login";
    case 0x300:
      return "target error";
    case 0x301:
      return "service unavailable";
    case 0x302:
      return "out of resources";
    default:
      return {};
  }
}

std::string Printable(std::string_view text) {
  std::string printable(text);
  for (char& letter : printable) {
    if (letter < ' ' || letter > '~') letter = '?';
  }
  return printable;
}

}  // namespace

std::array<std::byte, kConnectPrivateBytes> EncodeConnectPrivate() {
  return {static_cast<std::byte>(kNoZeroBased | kNoRemoteInvalidation)};
}

std::optional<ConnectAccept> DecodeConnectAccept(Octets bytes) {
  if (bytes.size() < kConnectPrivateBytes) return std::nullopt;
  const std::uint8_t flags = ByteAt(bytes, 0);
  return ConnectAccept{.zero_based_addresses = (flags & kNoZeroBased) == 0,
                       .remote_invalidation = (flags & kNoRemoteInvalidation) == 0};
}

std::vector<std::byte> EncodeKeys(const Keys& keys) {
  std::vector<std::byte> bytes;
  for (const auto& [key, value] : keys) {
    for (const char letter : absl::StrCat(key, "=", value)) bytes.push_back(static_cast<std::byte>(letter));
    bytes.push_back(std::byte{0});
  }
  return bytes;
}

std::optional<Keys> DecodeKeys(Octets text, std::size_t max_keys) {
  const std::string_view all(reinterpret_cast<const char*>(text.data()), text.size());
  Keys keys;
  for (std::size_t at = 0; at < all.size();) {
    const std::string_view rest = all.substr(at);
    const std::string_view one = rest.substr(0, rest.find('\0'));
    at += one.size() + 1;
    if (one.empty()) continue;  // padding
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals > kMaxKeyBytes) return std::nullopt;
    if (keys.size() == max_keys) return std::nullopt;
    keys.emplace_back(Printable(one.substr(0, equals)), Printable(one.substr(equals + 1)));
  }
  return keys;
}

const std::string* FindKey(const Keys& keys, std::string_view name) {
  for (const auto& [key, value] : keys) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::vector<Target> TargetsOf(const Keys& keys) {
  std::vector<Target> targets;
  for (const auto& [key, value] : keys) {
    if (key == "TargetName") targets.push_back({.name = value});
    if (key == "TargetAddress" && !targets.empty()) targets.back().addresses.push_back(value);
  }
  return targets;
}

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes &&
         std::all_of(name.begin(), name.end(), [](char letter) {
           return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' || letter == '-' ||
                  letter == ':' || letter == '_';
         });
}

std::vector<std::byte> EncodeLogin(const LoginRequest& request, Octets text) {
  const auto flags = static_cast<std::uint8_t>(kFinal | (static_cast<std::uint8_t>(request.current) << 2) |
                                               static_cast<std::uint8_t>(request.next));
  std::vector<std::byte> pdu =
      Make(kImmediate | 0x03, flags, request.sequence, text);  // version 0, connection 0
  std::copy(request.initiator_session.begin(), request.initiator_session.end(), HeaderOf(pdu).begin() + 8);
  return pdu;
}

std::vector<std::byte> EncodeText(const Sequence& sequence, std::uint32_t continued, Octets text) {
  std::vector<std::byte> pdu = Make(0x04, kFinal, sequence, text);
  PutBig(HeaderOf(pdu), 20, continued);
  return pdu;
}

std::vector<std::byte> EncodeLogout(const Sequence& sequence) {
  return Make(kImmediate | 0x06, kFinal, sequence);  // reason 0: close the session
}

std::vector<std::byte> EncodeNopOut(const Sequence& sequence, std::uint32_t answered_tag, std::uint64_t lun) {
  Sequence answer = sequence;
  answer.task_tag = kNoTag;
  std::vector<std::byte> pdu = Make(kImmediate | 0x00, kFinal, answer);
  PutBig(HeaderOf(pdu), 8, lun);
  PutBig(HeaderOf(pdu), 20, answered_tag);
  return pdu;
}

std::vector<std::byte> EncodeCommand(const Sequence& sequence, std::uint64_t lun, const CommandBlock& command) {
  std::vector<std::byte> pdu = Make(0x01, kFinal | kSimpleTask, sequence);
  const MutableOctets header = HeaderOf(pdu);
  PutBig(header, 8, lun);
  std::copy(command.begin(), command.end(), header.begin() + 32);
  return pdu;
}

std::vector<std::byte> EncodeRead(const Sequence& sequence, std::uint64_t lun, const CommandBlock& command,
                                  const ReadBuffer& to) {
  std::vector<std::byte> pdu = EncodeCommand(sequence, lun, command);
  pdu[0] = static_cast<std::byte>(kControlPdu | kReadTagValid);
  PutBig(MutableOctets(pdu), 16, to.key);
  PutBig(MutableOctets(pdu), 20, to.address);
  const MutableOctets header = HeaderOf(pdu);
  header[1] |= static_cast<std::byte>(kReadsData);
  PutBig(header, 20, to.length_bytes);
  return pdu;
}

std::optional<Pdu> DecodePdu(Octets bytes) {
  if (bytes.size() < kPduHeaderBytes || (ByteAt(bytes, 0) & kControlMask) != kControlPdu) return std::nullopt;
  const Octets header = bytes.subspan(kIserHeaderBytes, kHeaderBytes);
  const Octets rest = bytes.subspan(kPduHeaderBytes);
  const std::size_t more_header_bytes = std::size_t{ByteAt(header, 4)} * 4;
  const std::size_t data_bytes = Get24(header, 5);
  if (more_header_bytes + data_bytes > rest.size()) return std::nullopt;
  return Pdu{.opcode = static_cast<std::uint8_t>(ByteAt(header, 0) & 0x3f),
             .flags = ByteAt(header, 1),
             .task_tag = GetBig<std::uint32_t>(header, 16),
             .header = header,
             .data = rest.subspan(more_header_bytes, data_bytes)};
}

Numbers NumbersOf(const Pdu& pdu) {
  return {.status = GetBig<std::uint32_t>(pdu.header, 24),
          .expected_command = GetBig<std::uint32_t>(pdu.header, 28),
          .most_command = GetBig<std::uint32_t>(pdu.header, 32)};
}

LoginAnswer LoginAnswerOf(const Pdu& pdu) {
  return {.transit = (pdu.flags & kFinal) != 0,
          .goes_on = (pdu.flags & kContinue) != 0,
          .current = static_cast<Stage>((pdu.flags >> 2) & 3),
          .next = static_cast<Stage>(pdu.flags & 3),
          .session = GetBig<std::uint16_t>(pdu.header, 14),
          .status_class = ByteAt(pdu.header, 36),
          .status_detail = ByteAt(pdu.header, 37)};
}

std::string LoginStatusText(std::uint8_t status_class, std::uint8_t status_detail) {
  const std::string_view name = LoginStatusName(status_class, status_detail);
  return absl::StrFormat("%s (%02x/%02x)", name.empty() ? "status without a name" : std::string(name),
                         status_class, status_detail);
}

TextAnswer TextAnswerOf(const Pdu& pdu) {
  return {.final = (pdu.flags & kFinal) != 0 && (pdu.flags & kContinue) == 0,
          .continued = GetBig<std::uint32_t>(pdu.header, 20)};
}

std::uint8_t LogoutResponseOf(const Pdu& pdu) { return ByteAt(pdu.header, 2); }
std::uint8_t RejectReasonOf(const Pdu& pdu) { return ByteAt(pdu.header, 2); }

std::string RejectText(std::uint8_t reason) {
  constexpr std::array<std::string_view, 12> kNames = {
      "reserved",         "command before login",  "data digest error", "SNACK reject",
      "protocol error",   "command not supported", "immediate command", "task in progress",
      "invalid data ack", "invalid PDU field",     "out of resources",  "negotiation reset"};
  return reason < kNames.size() ? std::string(kNames[reason]) : absl::StrCat("reason ", reason);
}

std::uint32_t PingTagOf(const Pdu& pdu) { return GetBig<std::uint32_t>(pdu.header, 20); }
std::uint64_t LunOf(const Pdu& pdu) { return GetBig<std::uint64_t>(pdu.header, 8); }

ScsiAnswer ScsiAnswerOf(const Pdu& pdu) {
  ScsiAnswer answer{.response = ByteAt(pdu.header, 2),
                    .status = ByteAt(pdu.header, 3),
                    .underflow = (pdu.flags & 0x02) != 0,
                    .overflow = (pdu.flags & 0x04) != 0,
                    .residual_bytes = GetBig<std::uint32_t>(pdu.header, 44)};
  if (pdu.data.size() < 2) return answer;
  const std::size_t size = GetBig<std::uint16_t>(pdu.data, 0);
  answer.sense = pdu.data.subspan(2, std::min(size, pdu.data.size() - 2));
  return answer;
}

}  // namespace rdmaready::iser
