// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "api/base/clock.h"
#include "hub/notice/address_rules.h"
#include "hub/notice/sender.h"

namespace rdmaready::hub {

// One POST of the notice as JSON, signed where there is a secret. 2xx: it was taken. 400, 413, 415 and 422:
// this one never will be. All else, also a redirect: later.
class WebhookSender final : public NoticeSender {
 public:
  WebhookSender(WebhookTarget target, AddressRules rules, SendLimits limits, Clock& clock)
      : target_(std::move(target)), rules_(std::move(rules)), limits_(limits), clock_(clock) {}
  SendResult Send(const v1::Notice& notice, const std::stop_token& stop) override;

 private:
  const WebhookTarget target_;
  const AddressRules rules_;
  const SendLimits limits_;
  Clock& clock_;
};

}  // namespace rdmaready::hub
