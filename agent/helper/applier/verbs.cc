// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/verbs.h"

#include <functional>
#include <utility>

#include "agent/helper/applier/order.h"
#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

template <class Value>
absl::StatusOr<Json> Answered(const absl::StatusOr<Value>& value) {
  if (!value.ok()) return value.status();
  return AnswerOf(*value);
}

// A verb of these arguments that blocks and tells of no progress.
template <class Order>
Verb PlainVerb(std::string_view name, absl::StatusOr<Order> (*decode)(Arguments&),
               std::function<absl::StatusOr<Json>(const Order&)> make) {
  return {name, [decode, make = std::move(make)](Arguments& arguments) -> absl::StatusOr<Work> {
            RR_ASSIGN_OR_RETURN(Order order, decode(arguments));
            return Work([make, kept = std::move(order)](const std::stop_token&, const Progress&) {
              return make(kept);
            });
          }};
}

struct NoArguments {};

absl::StatusOr<NoArguments> DecodeNothing(Arguments&) { return NoArguments{}; }

Verb ApplyVerb(Configurer& configurer) {
  return {kApplyVerb, [&configurer](Arguments& arguments) -> absl::StatusOr<Work> {
            RR_ASSIGN_OR_RETURN(ApplyOrder order, DecodeApplyOrder(arguments));
            return Work(
                [&configurer, kept = std::move(order)](const std::stop_token& stop, const Progress& progress) {
                  return Answered(configurer.Apply(
                      kept, [&progress](const Change& change) { progress(ProgressOf(change)); }, stop));
                });
          }};
}

Verb FilesVerb(Configurer& configurer) {
  return {kFilesVerb, [&configurer](Arguments& arguments) -> absl::StatusOr<Work> {
            RR_ASSIGN_OR_RETURN(FilesOrder order, DecodeFilesOrder(arguments));
            return Work([&configurer, kept = std::move(order)](const std::stop_token& stop,
                                                               const Progress&) -> absl::StatusOr<Json> {
              RR_ASSIGN_OR_RETURN(const OrderFiles files, configurer.FilesOf(kept, stop));
              return AnswerOf(files);
            });
          }};
}

// Root does not wait for its turn to try a failed rollback again; an agent that says it is root is not root.
Verb RollBackVerb(Configurer& configurer) {
  Verb verb = PlainVerb<ChangeOrder>(kRollBackVerb, DecodeChangeOrder, [&](const ChangeOrder& order) {
    return Answered(configurer.RollBack(order.change_id, order.requester));
  });
  verb.decode_for_root =
      PlainVerb<ChangeOrder>(kRollBackVerb, DecodeChangeOrder, [&](const ChangeOrder& order) {
        return Answered(configurer.RollBackForRoot(order.change_id, order.requester));
      }).decode;
  return verb;
}

}  // namespace

std::vector<Verb> ApplierVerbs(Configurer& configurer) {
  return {ApplyVerb(configurer),
          FilesVerb(configurer),
          PlainVerb<ProvedOrder>(kProvedVerb, DecodeProvedOrder,
                                 [&](const ProvedOrder& order) {
                                   return Answered(configurer.Proved(order.change_id, order.proof));
                                 }),
          PlainVerb<ChangeOrder>(kConfirmVerb, DecodeChangeOrder,
                                 [&](const ChangeOrder& order) {
                                   return Answered(configurer.Confirm(order.change_id, order.requester));
                                 }),
          RollBackVerb(configurer),
          PlainVerb<ForgetOrder>(kForgetVerb, DecodeForgetOrder,
                                 [&](const ForgetOrder& order) {
                                   return Answered(configurer.Forget(order.objects, order.requester));
                                 }),
          PlainVerb<ForgetOrder>(kForgetFilesVerb, DecodeForgetOrder,
                                 [&](const ForgetOrder& order) {
                                   return Answered(configurer.ForgetFiles(order.objects, order.requester));
                                 }),
          PlainVerb<NoArguments>(kStatusVerb, DecodeNothing,
                                 [&](const NoArguments&) { return Answered(configurer.Status()); }),
          PlainVerb<NoArguments>(kOwnWritesVerb, DecodeNothing,
                                 [&](const NoArguments&) { return Answered(configurer.OwnWrites()); })};
}

}  // namespace rdmaready::helper
