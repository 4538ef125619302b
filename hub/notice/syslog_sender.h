// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "api/base/clock.h"
#include "hub/notice/address_rules.h"
#include "hub/notice/sender.h"

namespace rdmaready::hub {

// RFC 5424 to a datagram socket of this machine, over UDP (RFC 5426), and over TCP and TLS with counted octets
// (RFC 6587, RFC 5425), a connection for each message. Syslog acknowledges nothing: what the kernel took was
// sent.
class SyslogSender final : public NoticeSender {
 public:
  SyslogSender(SyslogTarget target, AddressRules rules, std::string hub, SendLimits limits, Clock& clock)
      : target_(std::move(target)),
        rules_(std::move(rules)),
        hub_(std::move(hub)),
        limits_(limits),
        clock_(clock) {}
  SendResult Send(const v1::Notice& notice, const std::stop_token& stop) override;

 private:
  SendResult SendDatagram(const std::string& message) const;
  SendResult SendUnix(const std::string& message) const;
  SendResult SendCounted(const std::string& message, const std::stop_token& stop) const;

  const SyslogTarget target_;
  const AddressRules rules_;
  const std::string hub_;
  const SendLimits limits_;
  Clock& clock_;
};

}  // namespace rdmaready::hub
