// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/helped_applier.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "agent/helper/applier/apply_file.h"
#include "agent/helper/applier/order.h"
#include "agent/helper/asker.h"
#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

using std::chrono::milliseconds;

// The applier ends by its own limits; a driver may keep each write of a plan for seconds.
constexpr milliseconds kWriteWithin = std::chrono::minutes(15);
constexpr milliseconds kAnswerWithin = std::chrono::seconds(30);
// Who gave up still hears that all was taken back.
constexpr milliseconds kTakeBackWithin = std::chrono::minutes(2);

class HelpedApplier final : public Configurer {
 public:
  explicit HelpedApplier(const std::string& directory)
      : asker_(directory, kApplierName, {.progress = kApplierProgress, .last_words = kTakeBackWithin}) {}

  absl::StatusOr<Change> Apply(const ApplyOrder& order, const std::function<void(const Change&)>& progress,
                               const std::stop_token& stop) override {
    const Json question = ToJson(order);
    if (QuestionBody(kApplyVerb, question).size() > kMostQuestionBytes) return TooLong();
    const auto heard = [&](std::string_view text) {
      const absl::StatusOr<Change> change = ReadProgressOf(text);
      if (change.ok() && progress) progress(*change);
    };
    return ChangeFrom(
        asker_.Ask(kApplyVerb, question, TimedWait({.longest = kWriteWithin, .stop = stop}), heard));
  }

  absl::StatusOr<OrderFiles> FilesOf(const FilesOrder& order, const std::stop_token& stop) override {
    const Json question = ToJson(order);
    if (QuestionBody(kFilesVerb, question).size() > kMostQuestionBytes) return TooLong();
    const absl::StatusOr<Json> answer =
        AnswerIn(asker_.Ask(kFilesVerb, question, TimedWait({.longest = kAnswerWithin, .stop = stop})));
    if (IsNoSuchVerb(answer.status())) {
      return absl::UnimplementedError(fmt::format(
          "{} is of an earlier version, and does not answer which files it would write", asker_.program()));
    }
    RR_RETURN_IF_ERROR(answer.status());
    return ReadOrderFiles(*answer);
  }

  absl::StatusOr<Change> Proved(const std::string& change_id, const ChangeProof& proof) override {
    const Json question = ToJson(ProvedOrder{.change_id = change_id, .proof = proof});
    return ChangeFrom(asker_.Ask(kProvedVerb, question, Within(kWriteWithin)));
  }

  absl::StatusOr<Change> Confirm(const std::string& change_id, const std::string& requester) override {
    const Json question = ToJson(ChangeOrder{.change_id = change_id, .requester = requester});
    return ChangeFrom(asker_.Ask(kConfirmVerb, question, Within(kAnswerWithin)));
  }

  absl::StatusOr<Change> RollBack(const std::string& change_id, const std::string& requester) override {
    const Json question = ToJson(ChangeOrder{.change_id = change_id, .requester = requester});
    return ChangeFrom(asker_.Ask(kRollBackVerb, question, Within(kWriteWithin)));
  }

  absl::StatusOr<std::vector<Setting>> Forget(const std::vector<SettingObject>& objects,
                                              const std::string& requester) override {
    RR_ASSIGN_OR_RETURN(const Json answer, ForgottenBy(kForgetVerb, objects, requester));
    return ReadSettings(answer);
  }

  absl::StatusOr<std::vector<BootFile>> ForgetFiles(const std::vector<SettingObject>& objects,
                                                    const std::string& requester) override {
    RR_ASSIGN_OR_RETURN(const Json answer, ForgottenBy(kForgetFilesVerb, objects, requester));
    return ReadBootFiles(answer);
  }

  absl::StatusOr<ApplierStatus> Status() override {
    RR_ASSIGN_OR_RETURN(const Json answer,
                        AnswerIn(asker_.Ask(kStatusVerb, Json::object(), Within(kAnswerWithin))));
    return ReadApplierStatus(answer);
  }

  absl::StatusOr<std::vector<OwnWrite>> OwnWrites() override {
    RR_ASSIGN_OR_RETURN(const Json answer,
                        AnswerIn(asker_.Ask(kOwnWritesVerb, Json::object(), Within(kAnswerWithin))));
    return ReadOwnWrites(answer);
  }

 private:
  static absl::Status TooLong() {
    return absl::InvalidArgumentError("the profiles and names of ports are longer than the applier takes");
  }

  static TimedWait Within(milliseconds longest) { return TimedWait({.longest = longest, .stop = {}}); }

  absl::StatusOr<Json> AnswerIn(const HelperAnswer& got) const {
    if (!got.reached.ok()) {
      return absl::UnavailableError(
          fmt::format("{}; settings are changed by {} alone, those that root's {} allows", Message(got.reached),
                      asker_.program(), kApplyFile));
    }
    return got.answer;
  }

  absl::StatusOr<Json> ForgottenBy(std::string_view verb, const std::vector<SettingObject>& objects,
                                   const std::string& requester) const {
    if (objects.size() > kMostForgotten)
      return absl::InvalidArgumentError(fmt::format("more than {} settings at once", kMostForgotten));
    const Json question = ToJson(ForgetOrder{.objects = objects, .requester = requester});
    return AnswerIn(asker_.Ask(verb, question, Within(kAnswerWithin)));
  }

  absl::StatusOr<Change> ChangeFrom(const HelperAnswer& got) const {
    RR_ASSIGN_OR_RETURN(const Json answer, AnswerIn(got));
    return ReadChange(answer);
  }

  const HelperAsker asker_;
};

}  // namespace

std::shared_ptr<Configurer> HelpedConfigurer(const std::string& directory) {
  return std::make_shared<HelpedApplier>(directory);
}

}  // namespace rdmaready::helper
