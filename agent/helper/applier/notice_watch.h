// SPDX-License-Identifier: Apache-2.0
// NoticeWatch: whether somebody else writes DCB settings, by the kernel's notices: those of our own requests
// are known by their numbers. Other settings are not announced with a number; the engine finds a foreign write
// of those when it reads before it writes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "agent/apply/foreign.h"
#include "collectors/net/notices.h"

namespace rdmaready::helper {

class NoticeWatch final : public ForeignWatch {
 public:
  // `take` gives what was announced since it was called last (HostNotices::Take), and never blocks.
  explicit NoticeWatch(std::function<HeardNotices()> take) : take_(std::move(take)) {}

  void Begin() override;
  void Only(std::set<std::string> netdevs) override { only_ = std::move(netdevs); }
  void Own(const OwnWrite& write) override { own_.insert(write.sequence); }
  std::optional<std::string> Foreign() override;

 private:
  std::optional<std::string> ForeignIn(const HeardSubject& subject) const;

  const std::function<HeardNotices()> take_;
  std::set<std::uint32_t> own_{};
  std::optional<std::set<std::string>> only_{};
  std::optional<std::string> foreign_{};
};

}  // namespace rdmaready::helper
