// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: lines of the applier's chained files, records of its journal, and what it keeps.
#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "agent/apply/chain.h"
#include "agent/apply/journal.h"
#include "agent/apply/kept.h"
#include "api/convert/model_json.h"

namespace rdmaready {
namespace {

using nlohmann::json;

constexpr std::string_view kBoot = "boot";

void Demand(bool holds) {
  if (!holds) std::abort();
}

const Change& OpenChange() {
  static const Change change{
      .id = "00ff",
      .requester = "alice",
      .begun_unix_ns = 1,
      .state = ChangeState::kWriting,
      .confirm_within_ms = 60'000,
      .steps = {{.step = {.object = {SettingKind::kMtu, "dcb0", ""}, .from = "1500", .to = "9000"},
                 .state = StepState::kNotBegun}}};
  return change;
}

std::string BeginRecord() {
  const Setting mtu{{SettingKind::kMtu, "dcb0", ""}, "1500"};
  return json{{"type", "begin"},
              {"boot_id", kBoot},
              {"change", convert::KeptJson(OpenChange())},
              {"snapshot", json::array({convert::KeptJson(mtu)})},
              {"audit", {{"lines", 1}, {"head", "start"}}}}
      .dump();
}

std::string StateRecord(ChangeState state) {
  Change change = OpenChange();
  change.state = state;
  return json{
      {"type", "state"}, {"change", convert::KeptJson(change)}, {"audit", {{"lines", 1}, {"head", "start"}}}}
      .dump();
}

// Whatever a record says, the past stays one that a life can begin with.
void DemandSound(const apply::JournalPast& past) {
  if (past.open) {
    Demand(!past.open->change.id.empty() && !apply::HasEnded(past.open->change));
    for (const Setting& setting : past.open->snapshot) Demand(IsCanonical(setting.object.kind, setting.value));
  }
  for (const apply::Undertaking& failed : past.failed)
    Demand(failed.change.state == ChangeState::kRollbackFailed);
  Demand(std::ranges::all_of(past.ended, apply::HasEnded));
  Demand(past.own.size() <= apply::kMostOwnWrites && past.ended.size() <= apply::kMostPastChanges);
}

// The first record of a journal, and one while a change is open.
void Record(std::string_view text) {
  apply::JournalPast fresh;
  static_cast<void>(apply::FoldRecord(text, kBoot, fresh));
  DemandSound(fresh);
  apply::JournalPast past;
  Demand(apply::FoldRecord(BeginRecord(), kBoot, past).ok());
  static_cast<void>(apply::FoldRecord(text, kBoot, past));
  DemandSound(past);
}

void Line(std::string_view text) {
  apply::ChainEnd end;
  const auto record = apply::NextRecord(text, end);
  Demand(end.lines == (record.ok() ? 1U : 0U));
  if (record.ok()) Demand(end.head.size() == 64);
}

void Kept(std::string_view text) {
  const auto kept = apply::KeptSettingsOf(text);
  if (!kept.ok()) return;
  for (const auto* list : {&kept->kept, &kept->owed}) {
    Demand(std::ranges::is_sorted(*list, {}, [](const auto& entry) { return entry.setting.object; }));
    for (const apply::KeptSetting& entry : *list)
      Demand(IsCanonical(entry.setting.object.kind, entry.setting.value));
  }
  const auto again = apply::KeptSettingsOf(apply::TextOf(*kept));
  Demand(again.ok());
}

constexpr void (*kDecoders[])(std::string_view) = {Record, Line, Kept};

std::vector<std::uint8_t> Seed(std::uint8_t decoder, std::string_view text) {
  std::vector<std::uint8_t> seed{decoder};
  seed.insert(seed.end(), text.begin(), text.end());
  return seed;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  apply::KeptSettings kept;
  Put(kept.kept, {.setting = {{SettingKind::kMtu, "dcb0", ""}, "9000"}, .boot_id = "b", .device = 4});
  return {Seed(0, BeginRecord()),
          Seed(0, StateRecord(ChangeState::kConfirmed)),
          Seed(0, StateRecord(ChangeState::kRollbackFailed)),
          Seed(0, R"({"type":"step","id":"00ff","index":0,"state":2,"text":""})"),
          Seed(0, R"({"type":"send","boot_id":"boot","port_id":7,"sequence":9})"),
          Seed(1, R"({"n":1,"prev":"start","record":{},"sum":"0"})"),
          Seed(2, apply::TextOf(kept))};
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmaready;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  kDecoders[data[0] % std::size(kDecoders)](text);
  return 0;
}
