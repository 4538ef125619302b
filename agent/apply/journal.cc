// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/journal.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/base/status.h"
#include "api/convert/model_json.h"
#include "checks/setting/older_values.h"
#include "checks/setting/table.h"

namespace rdmaready::apply {
namespace {

using Json = nlohmann::json;

// A change of twenty steps with its taking back is a tenth of it.
constexpr std::uint64_t kRoomOfAChangeBytes = 1U << 20U;

absl::Status NoSense(std::string_view what) {
  return absl::DataLossError("it makes no sense: " + std::string(what));
}

std::string Line(const Json& record) { return record.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string TextAt(const Json& record, std::string_view key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

template <class T>
bool ReadAt(const Json& record, std::string_view key, T& value) {
  const auto found = record.find(key);
  return found != record.end() && convert::ReadKeptJson(*found, value);
}

Json MarkJson(const ChainMark& mark) { return {{"lines", mark.lines}, {"head", mark.head}}; }

bool ReadMark(const Json& record, ChainMark& mark) {
  const auto found = record.find("audit");
  if (found == record.end() || !found->is_object()) return false;
  const auto lines = found->find("lines");
  if (lines == found->end() || !lines->is_number_unsigned()) return false;
  mark = {lines->get<std::uint64_t>(), TextAt(*found, "head")};
  return true;
}

Json IdentitiesJson(const std::map<SettingObject, std::string>& identities) {
  Json list = Json::array();
  for (const auto& [object, identity] : identities)
    list.push_back({{"object", convert::KeptJson(object)}, {"identity", identity}});
  return list;
}

// Earlier versions wrote none.
bool ReadIdentities(const Json& record, std::map<SettingObject, std::string>& identities) {
  const auto list = record.find("devices");
  if (list == record.end()) return true;
  if (!list->is_array()) return false;
  for (const Json& entry : *list) {
    SettingObject object;
    if (!entry.is_object() || !ReadAt(entry, "object", object)) return false;
    identities[object] = TextAt(entry, "identity");
  }
  return true;
}

Json ObjectsJson(const std::set<SettingObject>& objects) {
  Json list = Json::array();
  for (const SettingObject& object : objects) list.push_back(convert::KeptJson(object));
  return list;
}

// Earlier versions wrote none, and wrote back the whole snapshot.
bool ReadRewritten(const Json& record, Undertaking& begun) {
  const auto list = record.find("rewritten");
  if (list == record.end()) {
    for (const Setting& setting : begun.snapshot) {
      if (IsDcbSetting(setting.object.kind) || setting.object.kind == SettingKind::kMtu)
        begun.rewritten.insert(setting.object);
    }
    return true;
  }
  if (!list->is_array()) return false;
  for (const Json& entry : *list) {
    SettingObject object;
    if (!convert::ReadKeptJson(entry, object)) return false;
    begun.rewritten.insert(std::move(object));
  }
  return true;
}

template <class T>
Json ListJson(const std::vector<T>& list) {
  Json entries = Json::array();
  for (const T& one : list) entries.push_back(convert::KeptJson(one));
  return entries;
}

// Earlier versions wrote none.
template <class T>
bool ReadList(const Json& record, std::string_view key, std::vector<T>& list) {
  const auto entries = record.find(key);
  if (entries == record.end()) return true;
  if (!entries->is_array()) return false;
  for (const Json& entry : *entries)
    if (!convert::ReadKeptJson(entry, list.emplace_back())) return false;
  return true;
}

absl::Status FoldBegin(const Json& record, JournalPast& past) {
  if (past.open) return NoSense("a change begins within another one");
  Undertaking begun;
  begun.boot_id = TextAt(record, "boot_id");
  const auto snapshot = record.find("snapshot");
  if (!ReadAt(record, "change", begun.change) || begun.change.id.empty() || snapshot == record.end() ||
      begun.change.state != ChangeState::kWriting || !snapshot->is_array() || !ReadMark(record, past.audit))
    return NoSense("the beginning of a change");
  for (const Json& entry : *snapshot) {
    Setting setting;
    if (!convert::ReadKeptJson(entry, setting)) return NoSense("a setting of a snapshot");
    setting.value = TodaysValue(setting.object.kind, std::move(setting.value));
    if (!IsCanonical(setting.object.kind, setting.value)) return NoSense("a setting of a snapshot");
    begun.snapshot.push_back(std::move(setting));
  }
  if (!ReadIdentities(record, begun.identities)) return NoSense("the devices of a change");
  if (!ReadRewritten(record, begun)) return NoSense("what a change may rewrite");
  if (!ReadList(record, "files", begun.files)) return NoSense("the files of a change");
  past.begun.push_back(begun.change.begun_unix_ns);
  if (past.begun.size() > kMostBegun) past.begun.pop_front();
  past.open = std::move(begun);
  return absl::OkStatus();
}

// Of what could not be read before an earlier step, it is known only then what it was.
void TakeFrom(const Json& record, const Undertaking& open, PlanStep& step) {
  std::string from = TodaysValue(step.object.kind, TextAt(record, "from"));
  if (IsCanonical(step.object.kind, from) &&
      std::ranges::find(open.snapshot, step.object, &Setting::object) == open.snapshot.end())
    step.from = std::move(from);
}

absl::Status FoldStep(const Json& record, JournalPast& past) {
  const auto index = record.find("index");
  const auto state = record.find("state");
  if (!past.open || past.open->change.id != TextAt(record, "id") || index == record.end() ||
      state == record.end() || !index->is_number_unsigned() || !state->is_number_unsigned() ||
      index->get<std::size_t>() >= past.open->change.steps.size() ||
      state->get<std::size_t>() > static_cast<std::size_t>(StepState::kNotTakenBack))
    return NoSense("a step of no change");
  ChangeStep& step = past.open->change.steps[index->get<std::size_t>()];
  step.state = static_cast<StepState>(state->get<std::uint8_t>());
  step.text = TextAt(record, "text");
  TakeFrom(record, *past.open, step.step);
  return absl::OkStatus();
}

void TakeOut(std::vector<Undertaking>& list, const std::string& id) {
  std::erase_if(list, [&](const Undertaking& one) { return one.change.id == id; });
}

absl::Status FoldState(const Json& record, JournalPast& past) {
  Change change;
  if (!ReadAt(record, "change", change) || change.state > ChangeState::kRollbackFailed ||
      !ReadMark(record, past.audit))
    return NoSense("the state of a change");
  const bool open = past.open && past.open->change.id == change.id;
  const auto failed =
      std::ranges::find_if(past.failed, [&](const Undertaking& one) { return one.change.id == change.id; });
  if (!open && failed == past.failed.end()) return NoSense("the state of a change that is not open");
  Undertaking& whose = open ? *past.open : *failed;
  whose.change = change;
  if (change.state == ChangeState::kRollbackFailed) {
    if (open) past.failed.push_back(std::move(whose));
  } else if (HasEnded(change)) {
    const bool files_alone = change.state == ChangeState::kNothingToDo && !whose.files.empty();
    if (change.state == ChangeState::kConfirmed || files_alone) past.unkept = whose;
    past.ended.push_back(change);
    if (past.ended.size() > kMostPastChanges) past.ended.pop_front();
    if (!open) TakeOut(past.failed, change.id);
  } else {
    return absl::OkStatus();
  }
  if (open) past.open.reset();
  return absl::OkStatus();
}

absl::Status FoldKept(const Json& record, JournalPast& past) {
  std::vector<BootFile> files;
  if (!ReadList(record, "files", files)) return NoSense("the files of a change that is kept");
  past.unkept.reset();
  const auto change = std::ranges::find(past.ended, TextAt(record, "id"), &Change::id);
  if (change != past.ended.end() && !files.empty()) change->files = std::move(files);
  return absl::OkStatus();
}

// Undoing takes the snapshot alone; a step that the record announces may have been made.
absl::Status FoldWrite(const Json& record, JournalPast& past) {
  SettingObject object;
  if (!ReadAt(record, "object", object)) return NoSense("a write");
  if (!past.open || past.open->change.id != TextAt(record, "id") || TextAt(record, "why") != kWhyApply)
    return absl::OkStatus();
  for (ChangeStep& step : past.open->change.steps) {
    if (step.step.object != object) continue;
    step.state = StepState::kNotTaken;
    step.text = "the applier ended while it was written";
    TakeFrom(record, *past.open, step.step);
  }
  return absl::OkStatus();
}

// The summary that a segment begins with: the state of a journal in which no change is open.
Json SummaryOf(const JournalPast& past, const std::string& boot_id, const ChainMark& audit,
               std::int64_t unix_ns) {
  Json ended = Json::array();
  for (const Change& change : past.ended) {
    Change shown = change;
    if (&change != &past.ended.back()) shown.steps.clear();  // the segment before has them
    ended.push_back(convert::KeptJson(shown));
  }
  Json own = Json::array();
  for (const OwnWrite& write : past.own) {
    own.push_back(write.port_id);
    own.push_back(write.sequence);
  }
  return {{"unix_ns", unix_ns},  {"boot_id", boot_id},    {"ended", std::move(ended)},
          {"begun", past.begun}, {"own", std::move(own)}, {"audit", MarkJson(audit)}};
}

bool ReadNumbers(const Json& record, std::string_view key, std::vector<std::int64_t>& numbers) {
  const auto list = record.find(key);
  if (list == record.end() || !list->is_array()) return false;
  for (const Json& number : *list) {
    if (!number.is_number_integer()) return false;
    numbers.push_back(number.get<std::int64_t>());
  }
  return true;
}

absl::Status FoldSegment(const Json& record, std::string_view boot_id, JournalPast& past) {
  const auto summary = record.find("summary");
  JournalPast begun;
  std::vector<std::int64_t> times;
  std::vector<std::int64_t> own;
  const bool sound = past == JournalPast{} && summary != record.end() && summary->is_object() &&
                     ReadMark(*summary, begun.audit) && ReadNumbers(*summary, "begun", times) &&
                     times.size() <= kMostBegun && ReadNumbers(*summary, "own", own) && own.size() % 2 == 0 &&
                     own.size() <= 2 * kMostOwnWrites;
  const auto ended = sound ? summary->find("ended") : record.end();
  if (!sound || ended == summary->end() || !ended->is_array() || ended->size() > kMostPastChanges)
    return NoSense("the beginning of a segment");
  for (const Json& entry : *ended) {
    Change change;
    if (!convert::ReadKeptJson(entry, change) || !HasEnded(change)) return NoSense("a change of the past");
    begun.ended.push_back(std::move(change));
  }
  begun.begun.assign(times.begin(), times.end());
  for (std::size_t i = 0; TextAt(*summary, "boot_id") == boot_id && i < own.size(); i += 2) {
    if (!std::in_range<std::uint32_t>(own[i]) || !std::in_range<std::uint32_t>(own[i + 1]))
      return NoSense("a request of the past");
    begun.own.push_back({static_cast<std::uint32_t>(own[i]), static_cast<std::uint32_t>(own[i + 1])});
  }
  past = std::move(begun);
  return absl::OkStatus();
}

absl::Status FoldSend(const Json& record, std::string_view boot_id, JournalPast& past) {
  const auto port_id = record.find("port_id");
  const auto sequence = record.find("sequence");
  if (port_id == record.end() || sequence == record.end() || !port_id->is_number_unsigned() ||
      !sequence->is_number_unsigned())
    return NoSense("a request");
  if (TextAt(record, "boot_id") != boot_id) return absl::OkStatus();
  past.own.push_back({port_id->get<std::uint32_t>(), sequence->get<std::uint32_t>()});
  if (past.own.size() > kMostOwnWrites) past.own.pop_front();
  return absl::OkStatus();
}

}  // namespace

bool HasEnded(const Change& change) {
  switch (change.state) {
    case ChangeState::kNothingToDo:
    case ChangeState::kConfirmed:
    case ChangeState::kRolledBack:
      return true;
    case ChangeState::kUnknown:
    case ChangeState::kWriting:
    case ChangeState::kProving:
    case ChangeState::kAwaitingConfirm:
    case ChangeState::kRollbackFailed:
      return false;
  }
  return false;
}

absl::Status FoldRecord(std::string_view text, std::string_view boot_id, JournalPast& past) {
  const Json record = Json::parse(text, nullptr, false);
  if (!record.is_object()) return NoSense("no record");
  if (record.contains("segment")) return FoldSegment(record, boot_id, past);
  const std::string type = TextAt(record, "type");
  if (type == "begin") return FoldBegin(record, past);
  if (type == "step") return FoldStep(record, past);
  if (type == "state") return FoldState(record, past);
  if (type == "send") return FoldSend(record, boot_id, past);
  if (type == "write") return FoldWrite(record, past);
  if (type == "kept") return FoldKept(record, past);
  return NoSense("a record of a kind that this version does not know");
}

absl::StatusOr<Journal> Journal::Open(Disk& disk, const std::string& path, std::string boot_id,
                                      const ChainMark& known, JournalPast& past) {
  RR_ASSIGN_OR_RETURN(ChainedFile file,
                      ChainedFile::Open(disk, path, known, [&](std::string_view record, const ChainEnd&) {
                        return FoldRecord(record, boot_id, past);
                      }));
  const std::uint64_t torn_bytes = file.end().torn_bytes;
  Journal journal(std::move(file), std::move(boot_id));
  journal.torn_bytes_ = torn_bytes;
  journal.past_ = past;
  return journal;
}

absl::Status Journal::AppendOne(const std::string& record) {
  RR_RETURN_IF_ERROR(file_.Append(record));
  // A record of this process makes sense; one that did not would leave the segment unsealed, no more.
  static_cast<void>(FoldRecord(record, boot_id_, past_));
  return absl::OkStatus();
}

absl::Status Journal::AppendOwed() {
  while (!owed_.empty()) {
    RR_RETURN_IF_ERROR(AppendOne(owed_.front()));
    owed_.erase(owed_.begin());
  }
  return absl::OkStatus();
}

absl::Status Journal::Append(const std::string& record) {
  RR_RETURN_IF_ERROR(AppendOwed());
  return AppendOne(record);
}

absl::Status Journal::Seal(const ChainMark& audit, std::int64_t unix_ns) {
  if (past_.open || !past_.failed.empty() || past_.unkept || owes()) return absl::OkStatus();
  return file_.Seal(Line(SummaryOf(past_, boot_id_, audit, unix_ns)));
}

absl::Status Journal::Begin(const Undertaking& undertaking, const ChainMark& audit, std::int64_t unix_ns) {
  Json snapshot = Json::array();
  for (const Setting& setting : undertaking.snapshot) snapshot.push_back(convert::KeptJson(setting));
  RR_RETURN_IF_ERROR(file_.Reserve(kRoomOfAChangeBytes));
  return Append(Line({{"type", "begin"},
                      {"unix_ns", unix_ns},
                      {"boot_id", undertaking.boot_id},
                      {"change", convert::KeptJson(undertaking.change)},
                      {"snapshot", snapshot},
                      {"devices", IdentitiesJson(undertaking.identities)},
                      {"rewritten", ObjectsJson(undertaking.rewritten)},
                      {"files", ListJson(undertaking.files)},
                      {"audit", MarkJson(audit)}}));
}

absl::Status Journal::WillWrite(std::string_view change_id, std::string_view why, const Setting& to,
                                std::string_view from, std::int64_t unix_ns) {
  return Append(Line({{"type", "write"},
                      {"unix_ns", unix_ns},
                      {"id", change_id},
                      {"why", why},
                      {"what", TextOf(to.object)},
                      {"object", convert::KeptJson(to.object)},
                      {"from", from},
                      {"to", to.value}}));
}

absl::Status Journal::WillSend(const OwnWrite& own) {
  return Append(
      Line({{"type", "send"}, {"boot_id", boot_id_}, {"port_id", own.port_id}, {"sequence", own.sequence}}));
}

absl::Status Journal::Step(std::string_view change_id, std::size_t index, const ChangeStep& step) {
  return Append(Line({{"type", "step"},
                      {"id", change_id},
                      {"index", index},
                      {"state", static_cast<unsigned>(step.state)},
                      {"from", step.step.from},
                      {"text", step.text}}));
}

absl::Status Journal::State(const Change& change, const ChainMark& audit, std::int64_t unix_ns) {
  return Append(Line({{"type", "state"},
                      {"unix_ns", unix_ns},
                      {"change", convert::KeptJson(change)},
                      {"audit", MarkJson(audit)}}));
}

absl::Status Journal::Kept(const Change& change) {
  return Append(Line({{"type", "kept"}, {"id", change.id}, {"files", ListJson(change.files)}}));
}

void Journal::Owe(const Change& change, const ChainMark& audit, std::int64_t unix_ns) {
  owed_.push_back(Line({{"type", "state"},
                        {"unix_ns", unix_ns},
                        {"change", convert::KeptJson(change)},
                        {"audit", MarkJson(audit)}}));
}

}  // namespace rdmaready::apply
