// SPDX-License-Identifier: Apache-2.0
// Machine: one Connection between a hostile peer, a hostile clock and a busy user, played from a script; and
// the judge of what the connection does: whatever comes, it keeps its contract, its memory and its own stream
// of messages.
//
// A script is one byte of configuration and records: an operation, a length (16 bits, little-endian) and that
// many bytes of operand. A record cut off by the end of the script has what is left. Every byte string is
// a script.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "tests/unit/agent/smbdirect/driver.h"

namespace rdmaready::smbdirect {

// Operands are read as little-endian numbers; missing bytes are 0.
enum class Op : std::uint8_t {
  kConnect,            // u8 read depth
  kReceive,            // the message
  kReceiveInvalidate,  // u32 token, the message
  kSendDone,           // u8 how many
  kTimer,              // u32 ms to let pass
  kSubmit,             // u24 bytes, u8 whether to invalidate
  kWrite,              // u32 offset, u32 length, descriptors
  kRead,               // the same
  kWriteDone,
  kReadDone,
  kLimits,  // u16 fragment limit, u16 credit target
  kEnd,     // u8: closed by the peer, by us, or failed
  kDecode,  // bytes for the decoders that no connection calls
};
inline constexpr std::uint8_t kOps = 13;

// Of the first byte: bit 0 the role, the others which settings.
Role RoleOf(std::uint8_t configuration);
Settings SettingsOf(std::uint8_t configuration);

// Content of the `number`th message submitted, and the one of every RDMA buffer.
Bytes SubmittedContent(std::uint64_t number, std::size_t size);

class Machine {
 public:
  explicit Machine(std::uint8_t configuration);

  // Plays one record. Aborts the process when the connection breaks its contract.
  void Apply(Op op, Bytes operand);

  bool ended() const { return driver_.end.has_value(); }
  Driver& driver() { return driver_; }
  TimePoint now() const { return now_; }
  // What it has sent and the peer not yet taken. Filled only when asked for before the first record.
  std::deque<WireMessage> sent{};
  bool keep_sent = false;

 private:
  void Receive(Bytes message, std::optional<std::uint32_t> token);
  void Submit(Bytes operand);
  void Move(Op op, Bytes operand);
  void Judge();
  void JudgeSent(const WireMessage& message);
  void JudgeMessage(Bytes message);

  const Settings settings_;
  Driver driver_;
  TimePoint now_;
  bool connected_ = false;
  bool negotiated_ = false;
  // Memory given to the connection, freed when it says that it is done, so that a sanitizer sees a later use.
  std::map<std::uint64_t, std::vector<std::byte>> memory_{};
  std::uint64_t next_cookie_ = 0;
  std::deque<std::vector<std::byte>> expected_{};  // messages submitted, not yet seen on the wire
  Reassembler outgoing_;
  std::size_t writes_done_ = 0;
  std::size_t reads_done_ = 0;
};

// Plays a whole script. How the connection ended; nullopt when it lives.
std::optional<EndReason> Play(Bytes script);

// The record, as a part of a script.
void Append(std::vector<std::byte>& script, Op op, Bytes operand);

}  // namespace rdmaready::smbdirect
