// SPDX-License-Identifier: Apache-2.0
// iSCSI (RFC 7143) with iSER (RFC 7145, and the RDMA-CM header of its Annex A12), as far as a discovery session
// and one that only reads need it: all fields big-endian.
//
// Pure functions over values, callable from any thread. A decoder reads nothing outside the span it is given,
// whatever the bytes say; bytes behind what a message needs are tolerated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/octets.h"

namespace rdmaready::iser {

inline constexpr std::uint16_t kPort = 3260;
inline constexpr std::size_t kIserHeaderBytes = 28;
inline constexpr std::size_t kPduHeaderBytes = kIserHeaderBytes + 48;  // with the basic header segment
inline constexpr std::size_t kMaxDataBytes = 8192;                     // of one PDU, until agreed otherwise
inline constexpr std::size_t kMaxPduBytes = kPduHeaderBytes + kMaxDataBytes;
inline constexpr std::size_t kMaxNameBytes = 223;  // of an initiator or a target

// ---- RDMA connection
// --------------------------------------------------------------------------------------------

inline constexpr std::size_t kConnectPrivateBytes = 4;

// Private data of the request: neither zero-based addresses nor remote invalidation, which user memory cannot
// do everywhere.
std::array<std::byte, kConnectPrivateBytes> EncodeConnectPrivate();

struct ConnectAccept {
  bool zero_based_addresses = false;
  bool remote_invalidation = false;
  bool operator==(const ConnectAccept&) const = default;
};
std::optional<ConnectAccept> DecodeConnectAccept(Octets private_data);

// ---- text
// -------------------------------------------------------------------------------------------------------

using Keys = std::vector<std::pair<std::string, std::string>>;

// "key=value" and a zero byte each.
std::vector<std::byte> EncodeKeys(const Keys& keys);

// nullopt for text that is no list of keys, or more than `max_keys`, or a key of more than 63 bytes. Values are
// made printable as GetText does.
std::optional<Keys> DecodeKeys(Octets text, std::size_t max_keys);

// Null when there is none of that name.
const std::string* FindKey(const Keys& keys, std::string_view name);

struct Target {
  std::string name{};
  std::vector<std::string> addresses{};  // "10.0.0.2:3260,1"
  bool operator==(const Target&) const = default;
};

// What SendTargets answered.
std::vector<Target> TargetsOf(const Keys& keys);

// 1 to 223 bytes of what a name may consist of.
bool IsName(std::string_view name);

// ---- requests
// ---------------------------------------------------------------------------------------------------

enum class Stage : std::uint8_t { kSecurity = 0, kOperational = 1, kFullFeature = 3 };

inline constexpr std::uint32_t kNoTag = 0xffffffff;

// What every request carries.
struct Sequence {
  std::uint32_t task_tag = 0;
  std::uint32_t command = 0;          // CmdSN
  std::uint32_t expected_status = 0;  // ExpStatSN
};

struct LoginRequest {
  Stage current = Stage::kSecurity;
  Stage next = Stage::kOperational;
  std::array<std::byte, 6> initiator_session{};  // ISID
  Sequence sequence{};
};

// Memory of ours that the target writes.
struct ReadBuffer {
  std::uint64_t address = 0;
  std::uint32_t key = 0;
  std::uint32_t length_bytes = 0;
};

using CommandBlock = std::array<std::byte, 16>;  // of SCSI

// Whole PDUs. `text` is at most kMaxDataBytes.
std::vector<std::byte> EncodeLogin(const LoginRequest& request, Octets text);
// `continued`: the target's tag of the answer that goes on; kNoTag for a new request.
std::vector<std::byte> EncodeText(const Sequence& sequence, std::uint32_t continued, Octets text);
std::vector<std::byte> EncodeLogout(const Sequence& sequence);
std::vector<std::byte> EncodeNopOut(const Sequence& sequence, std::uint32_t answered_tag, std::uint64_t lun);
std::vector<std::byte> EncodeRead(const Sequence& sequence, std::uint64_t lun, const CommandBlock& command,
                                  const ReadBuffer& to);
// A command that moves no data.
std::vector<std::byte> EncodeCommand(const Sequence& sequence, std::uint64_t lun, const CommandBlock& command);

// ---- answers
// ----------------------------------------------------------------------------------------------------

enum class Opcode : std::uint8_t {
  kNopIn = 0x20,
  kScsiResponse = 0x21,
  kLoginResponse = 0x23,
  kTextResponse = 0x24,
  kLogoutResponse = 0x26,
  kAsyncMessage = 0x32,
  kReject = 0x3f,
};

struct Pdu {
  std::uint8_t opcode = 0;
  std::uint8_t flags = 0;
  std::uint32_t task_tag = 0;
  Octets header{};  // the 48 bytes
  Octets data{};    // inside the bytes that were decoded
};

// nullopt when it is no iSCSI control PDU, or shorter than it says.
std::optional<Pdu> DecodePdu(Octets bytes);

// Of every answer.
struct Numbers {
  std::uint32_t status = 0;            // StatSN
  std::uint32_t expected_command = 0;  // ExpCmdSN
  std::uint32_t most_command = 0;      // MaxCmdSN
};
Numbers NumbersOf(const Pdu& pdu);

struct LoginAnswer {
  bool transit = false;
  bool goes_on = false;  // C: more text follows
  Stage current = Stage::kSecurity;
  Stage next = Stage::kSecurity;
  std::uint16_t session = 0;  // TSIH
  std::uint8_t status_class = 0;
  std::uint8_t status_detail = 0;
};
LoginAnswer LoginAnswerOf(const Pdu& pdu);
// "authentication failure (02/01)"
std::string LoginStatusText(std::uint8_t status_class, std::uint8_t status_detail);

struct TextAnswer {
  bool final = false;
  std::uint32_t continued = kNoTag;  // to be given back for the rest
};
TextAnswer TextAnswerOf(const Pdu& pdu);

std::uint8_t LogoutResponseOf(const Pdu& pdu);  // 0: closed
std::uint8_t RejectReasonOf(const Pdu& pdu);
std::string RejectText(std::uint8_t reason);
// What a NOP-In asks to be answered with; kNoTag when it wants no answer.
std::uint32_t PingTagOf(const Pdu& pdu);
std::uint64_t LunOf(const Pdu& pdu);

struct ScsiAnswer {
  std::uint8_t response = 0;  // 0: the command was executed
  std::uint8_t status = 0;    // of SCSI
  bool underflow = false;
  bool overflow = false;
  std::uint32_t residual_bytes = 0;
  Octets sense{};  // inside the PDU
};
ScsiAnswer ScsiAnswerOf(const Pdu& pdu);

}  // namespace rdmaready::iser
