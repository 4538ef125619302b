// SPDX-License-Identifier: Apache-2.0
// IserSession: one iSCSI session over iSER: login, then text or reading commands, one at a time, then logout.
// One thread. The target writes memory of ours only while the command is under way that names it.
//
// Failures are those of MessageLink; kRejected with the target's own words when it refuses, kCorrupt when its
// answer is none. A target that demands authentication is left by a login that it refuses: LIO admits nobody
// else to the portal while a login is pending.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/probe/iser/iser_wire.h"
#include "agent/probe/message_link.h"

namespace rdmaready::iser {

// From /etc/iscsi/initiatorname.iscsi, else one made for this probe.
struct Initiator {
  std::string name{};
  std::string source{};
};
Initiator ReadInitiator(const std::string& file = "/etc/iscsi/initiatorname.iscsi");

class Session {
 public:
  // Of a Session to a target that demands authentication it does not get: "CHAP".
  explicit Session(const LinkMaker& make_link);
  // Without a word, unless Logout was called.
  ~Session() = default;

  absl::Status Connect(const Endpoint& to, const std::string& local_address, const Patience& patience);
  // An empty target: a discovery session.
  absl::Status Login(const std::string& initiator, const std::string& target, const Patience& patience);
  // What the target chose of the methods that were offered; empty when it did not say.
  const std::string& authentication() const { return authentication_; }
  // What was agreed on, as the target told it.
  const Keys& agreed() const { return agreed_; }

  absl::StatusOr<std::vector<Target>> SendTargets(const Patience& patience);

  // A command that moves no data; one refused with UNIT ATTENTION is repeated.
  absl::Status Command(std::uint64_t lun, const CommandBlock& command, const std::string& what,
                       const Patience& patience);
  // A command whose data the target writes into `to`, a buffer that was lent: the number of its bytes.
  absl::StatusOr<std::uint32_t> Read(std::uint64_t lun, const CommandBlock& command, const Buffer& to,
                                     const std::string& what, const Patience& patience);
  absl::StatusOr<std::unique_ptr<Buffer>> Lend(std::uint32_t size_bytes) {
    return link_.Lend(size_bytes, Access::kRemoteWrite);
  }

  absl::Status Logout(const Patience& patience);

  const MessageLink& link() const { return link_; }

 private:
  // The next answer to the request of that tag; answers pings meanwhile.
  absl::StatusOr<Pdu> Answer(Opcode opcode, std::uint32_t tag, const std::string& what,
                             const Patience& patience);
  absl::StatusOr<Pdu> Exchange(Octets request, Opcode opcode, std::uint32_t tag, const std::string& what,
                               const Patience& patience);
  absl::Status Negotiate(Stage stage, Keys offer, const Patience& patience);
  absl::StatusOr<LoginAnswer> LoginStep(Stage stage, const Keys& offer, Keys& answered,
                                        const Patience& patience);
  absl::Status LeaveUnauthenticated(const Patience& patience);
  absl::StatusOr<ScsiAnswer> Execute(const std::function<std::vector<std::byte>(const Sequence&)>& encode,
                                     const std::string& what, const Patience& patience);
  // With the next tag; a command also takes a number.
  Sequence Next(bool immediate);

  MessageLink link_;
  std::array<std::byte, 6> id_{};  // ISID
  std::uint32_t next_tag_ = 1;
  std::uint32_t next_command_ = 1;
  std::uint32_t expected_status_ = 0;
  std::string authentication_{};
  Keys agreed_{};
};

}  // namespace rdmaready::iser
