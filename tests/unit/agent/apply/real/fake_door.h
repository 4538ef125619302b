// SPDX-License-Identifier: Apache-2.0
// FakeKernelDoor: a kernel that remembers what it was sent.
#pragma once

#include <cerrno>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/apply/real/kernel_door.h"
#include "api/base/status.h"

namespace rdmaready {

class FakeKernelDoor final : public KernelDoor {
 public:
  std::map<std::string, std::vector<std::uint32_t>> indices{};  // the next answer each; the last one stays
  std::vector<NetlinkAnswer> answers{};                         // the same; none: acknowledged
  std::vector<NetlinkRequest> sent{};

  absl::StatusOr<NetlinkAnswer> Send(const NetlinkRequest& request, std::string_view) override {
    sent.push_back(request);
    if (answers.empty()) return NetlinkAnswer{.done = true};
    NetlinkAnswer answer = answers.front();
    if (answers.size() > 1) answers.erase(answers.begin());
    return answer;
  }

  absl::StatusOr<std::uint32_t> IndexOf(const std::string& netdev) override {
    std::vector<std::uint32_t>& left = indices[netdev];
    if (left.empty()) return ErrnoStatus(ENODEV, "look for " + netdev);
    const std::uint32_t index = left.front();
    if (left.size() > 1) left.erase(left.begin());
    return index;
  }
};

}  // namespace rdmaready
