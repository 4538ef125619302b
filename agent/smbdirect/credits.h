// SPDX-License-Identifier: Apache-2.0
// Credits: the account of both directions of one connection. Section numbers are those of [MS-SMBD].
//
// One send credit is one receive posted at the other end. Two rules keep two ends from falling silent for ever:
// the last send credit is only spent on a message that grants (3.1.5.1), and for that grant one receive is kept
// back (3.1.5.9 wants one posted then, whatever the target). The account owes this: an end that has a send
// credit has a receive to grant, because spending the last one takes a message of the peer to get another, and
// that message gave a receive back.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rdmaready::smbdirect {

class Credits {
 public:
  // `maximum` receives may be outstanding, and one more.
  explicit Credits(std::uint16_t maximum) : maximum_(maximum) {}

  // After the negotiation: `send` credits are ours, `posted` receives the peer's; it asks for `target`. With
  // none posted the peer cannot speak, so a grant is due: cifs.ko too sends one at once, before its
  // first payload.
  void Start(std::uint16_t send, std::uint16_t posted, std::uint16_t target) {
    send_ = send;
    posted_ = posted;
    target_ = target;
    due_ = posted == 0;
  }

  std::uint32_t send() const { return send_; }
  std::uint32_t posted() const { return posted_; }

  // Receives to post now and to grant in the message that is about to be sent; `must_send` when that has a
  // reason of its own (payload, an answer). Ends with at most maximum + 1 outstanding, and with more than the
  // peer asked for only where the last credit is about to be spent.
  std::uint16_t ToGrant(bool must_send) const {
    std::uint32_t wanted = std::min<std::uint32_t>(target_, maximum_);
    if (send_ == 1) {
      // Two rather than one: with one, a peer in the same need would have to give its own last credit back at
      // once, and the two would grant each other one credit to and fro for ever.
      wanted = std::max<std::uint32_t>(wanted, 2);
      if (must_send) wanted = std::max(wanted, posted_ + 1);
    }
    wanted = std::min<std::uint32_t>(wanted, std::uint32_t{maximum_} + 1);
    return static_cast<std::uint16_t>(wanted > posted_ ? wanted - posted_ : 0);
  }

  // The last-credit rule, 3.1.5.1.
  bool MaySend(std::uint16_t granting) const { return send_ > 1 || (send_ == 1 && granting > 0); }

  // MaySend was true.
  void Sent(std::uint16_t granting) {
    --send_;
    posted_ += granting;
    due_ = false;
  }

  // A message came, in one of the posted receives.
  void Received(std::uint16_t requested, std::uint16_t granted, bool payload) {
    --posted_;
    // More than could ever be used is as good as the most that can be counted.
    send_ = std::min<std::uint32_t>(send_ + granted, kMostSendCredits);
    const bool grew = requested > target_;
    target_ = requested;
    due_ = due_ || grew || RunsLow(payload);
  }

  // The peer needs credits even if there is nothing else to tell it (3.1.5.8). Not after each message, or two
  // idle ends would answer grant with grant; the mark is that of Linux, one quarter of the target.
  bool due() const { return due_ && ToGrant(false) > 0; }

 private:
  static constexpr std::uint32_t kMostSendCredits = 65'535;

  bool RunsLow(bool payload) const {
    if (posted_ == 0) return true;
    const std::uint32_t wanted = std::min<std::uint32_t>(target_, maximum_);
    if (posted_ <= wanted / 4) return true;
    // A peer that keeps no receive back cannot spend its last credit by itself. Only after payload: it shows
    // that the peer uses its credits, and an empty message must not be answered for its own sake.
    return payload && posted_ == 1 && wanted > 1;
  }

  const std::uint16_t maximum_;
  std::uint32_t send_ = 0;
  std::uint32_t posted_ = 0;
  std::uint16_t target_ = 1;
  bool due_ = false;
};

}  // namespace rdmaready::smbdirect
