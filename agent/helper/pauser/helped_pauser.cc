// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/helped_pauser.h"

#include <fmt/format.h>

#include "agent/helper/asker.h"
#include "agent/helper/pauser/order.h"
#include "agent/helper/pauser/pauses_file.h"
#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

constexpr std::chrono::milliseconds kBeyondTheBursts{5'000};

class Helped final : public Pauser {
 public:
  explicit Helped(const std::string& directory) : asker_(directory, kPauserName) {}

  absl::Status IsThere() const override {
    const absl::Status there = asker_.IsThere();
    return there.ok() ? there : Off(there);
  }

  absl::StatusOr<PausesSent> Pause(const PauseOrder& order, const std::stop_token& stop) override {
    RR_RETURN_IF_ERROR(CheckPauseOrder(order));
    const auto longest = (order.burst + order.gap) * order.bursts + kBeyondTheBursts;
    const HelperAnswer got =
        asker_.Ask(kPauseVerb, ToJson(order), TimedWait({.longest = longest, .stop = stop}));
    if (!got.reached.ok()) return Off(got.reached);
    if (!got.answer.ok()) return got.answer.status();
    return ReadPausesSent(*got.answer);
  }

 private:
  absl::Status Off(const absl::Status& why) const {
    return absl::PermissionDeniedError(
        fmt::format("{}; pauses are off until root names interfaces in {}, for {}", Message(why), kPausesFile,
                    asker_.program()));
  }

  const HelperAsker asker_;
};

}  // namespace

std::shared_ptr<Pauser> HelpedPauser(const std::string& directory) {
  return std::make_shared<Helped>(directory);
}

}  // namespace rdmaready::helper
