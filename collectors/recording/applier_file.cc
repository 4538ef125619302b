// SPDX-License-Identifier: Apache-2.0
#include "collectors/recording/applier_file.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "api/base/status.h"
#include "collectors/recording/json.h"

namespace rdmaready::recording {
namespace {

template <class Value>
struct Word {
  const char* word;
  Value value;
};

constexpr std::array<Word<ChangeState>, 8> kStates{{{"unknown", ChangeState::kUnknown},
                                                    {"nothing-to-do", ChangeState::kNothingToDo},
                                                    {"writing", ChangeState::kWriting},
                                                    {"proving", ChangeState::kProving},
                                                    {"awaiting-confirm", ChangeState::kAwaitingConfirm},
                                                    {"confirmed", ChangeState::kConfirmed},
                                                    {"rolled-back", ChangeState::kRolledBack},
                                                    {"rollback-failed", ChangeState::kRollbackFailed}}};

constexpr std::array<Word<Missing::Kind>, 4> kReasons{{{"not-collected", Missing::Kind::kNotCollected},
                                                       {"unsupported", Missing::Kind::kUnsupported},
                                                       {"denied", Missing::Kind::kDenied},
                                                       {"failed", Missing::Kind::kFailed}}};

// A value or a word that has no row is the first row's.
template <class Words, class Value>
const char* WordOf(const Words& words, Value value) {
  const auto row = std::ranges::find(words, value, &Words::value_type::value);
  return row == words.end() ? words.front().word : row->word;
}

template <class Words>
auto ValueOf(const Words& words, std::string_view word) {
  const auto row = std::ranges::find(words, word, &Words::value_type::word);
  return row == words.end() ? words.front().value : row->value;
}

Json ToJson(const StandingChange& change) {
  return {{"id", FromText(change.id)},
          {"state", WordOf(kStates, change.state)},
          {"requester", FromText(change.requester)},
          {"settings", change.settings},
          {"back_in_ms", change.back_in_ms},
          {"reason", FromText(change.reason)}};
}

StandingChange ReadChange(Reader& reader) {
  return {.id = reader.Text("id"),
          .state = ValueOf(kStates, reader.Text("state")),
          .requester = reader.Text("requester"),
          .settings = reader.Unsigned<std::uint32_t>("settings"),
          .back_in_ms = reader.Unsigned<std::uint32_t>("back_in_ms"),
          .reason = reader.Text("reason")};
}

Json ToJson(const Fact<ApplyState>& state) {
  if (!state)
    return {{"missing", WordOf(kReasons, state.missing().kind)}, {"detail", FromText(state.missing().detail)}};
  Json changes = Json::array();
  for (const StandingChange& change : state->changes) changes.push_back(ToJson(change));
  Json notices = Json::array();
  for (const std::string& notice : state->notices) notices.push_back(FromText(notice));
  return {{"changes", std::move(changes)}, {"notices", std::move(notices)}};
}

}  // namespace

std::string WriteApplier(const Fact<ApplyState>& state) { return ToJson(state).dump(1) + "\n"; }

absl::StatusOr<Fact<ApplyState>> ReadApplier(std::string_view text) {
  RR_ASSIGN_OR_RETURN(const Json object, ParseObject(text));
  Reader reader(object);
  Fact<ApplyState> state;
  if (reader.Has("missing")) {
    state = Missing{ValueOf(kReasons, reader.Text("missing")), reader.Text("detail")};
  } else {
    state = ApplyState{.changes = reader.List<StandingChange>("changes", ReadChange),
                       .notices = reader.Texts("notices")};
  }
  RR_RETURN_IF_ERROR(reader.status());
  return state;
}

}  // namespace rdmaready::recording
