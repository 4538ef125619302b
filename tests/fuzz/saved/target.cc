// SPDX-License-Identifier: Apache-2.0
// What `check --facts DIR` does with a folder that a stranger made: the files are decoded, the collectors ask
// the recording, the judge judges what they found, alone and beside a host that is well. The first byte of an
// input chooses the recording, the second the profile and the way (kUnsealed, kThroughFolder), the rest is
// damage (damage.h).
#include "tests/fuzz/target.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <system_error>

#include "api/profile/load.h"
#include "checks/fleet/agreement.h"
#include "checks/judge.h"
#include "checks/readiness.h"
#include "checks/words/words.h"
#include "collectors/collect.h"
#include "collectors/dcb/dcb_writes.h"
#include "collectors/lldp/lldp.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/recorded_host.h"
#include "collectors/recording/recording_host.h"
#include "tests/fuzz/facts/demands.h"
#include "tests/fuzz/saved/damage.h"
#include "tests/support/lldp_wire.h"
#include "tests/support/source_tree.h"
#include "tests/unit/collectors/hardware_fake_host.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;

using fuzz::DamageBytes;
using fuzz::DamageKind;
using fuzz::Demand;

constexpr const char* kRecordings[] = {"/two-rails-healthy/saved/storage1", "/stack/saved/storage4",
                                       "/iwarp/saved/storage3", "/infiniband/saved/storage1",
                                       "/no-rdma/saved/plain1"};
constexpr std::uint8_t kUnsealed = 0x80;       // the digests are those of the files before the damage
constexpr std::uint8_t kThroughFolder = 0x40;  // it is read as files, too

template <class T>
T Needed(absl::StatusOr<T> value, const std::string& what) {
  if (value.ok()) return *std::move(value);
  std::cerr << what << ": " << value.status() << "\n";
  std::exit(2);
}

Recording Loaded(const std::string& place) {
  std::vector<SavedRecording> saved =
      Needed(LoadRecordings(test::SourceTree() + "/tests/fixtures/hosts" + place), place);
  return Needed(std::move(saved.front().recording), place);
}

// With what no recorded host has: hardware, lldpad, and LLDP frames that were listened for.
Recording OfHardware() {
  FakeHost host = HardwareFakeHost();
  host.lldp["dcb0"] = LldpFrames{.listened_ms = 35'000,
                                 .left_out = 0,
                                 .frames = {{.sent_here = false,
                                             .times = 2,
                                             .first_ms = 100,
                                             .last_ms = 30'100,
                                             .bytes = lldp_wire::FullFrame()}}};
  RecordingHost recorder(host);
  Facts facts = CollectFacts(recorder);
  ReadLldp(recorder, {}, facts);
  host.dcb_notices = DcbNotices{.listened_ms = 35'000,
                                .residents = {{612, "lldpad"}},
                                .notices = {{.type = 79, .sequence = 7, .payload = wire::FullDcb("dcb0")}}};
  ReadDcbWrites(recorder, {}, facts);
  Recording recording = recorder.Take();
  recording.host = recording.hostname = "hardware";
  return recording;
}

const std::vector<RecordingFiles>& Seeds() {
  static const auto* const all = [] {
    auto* seeds = new std::vector<RecordingFiles>{Needed(EncodeRecording(OfHardware()), "hardware")};
    for (const char* place : kRecordings) seeds->push_back(Needed(EncodeRecording(Loaded(place)), place));
    return seeds;
  }();
  return *all;
}

const std::vector<Profile>& Profiles() {
  static const auto* const all = [] {
    auto* profiles = new std::vector<Profile>();
    for (const std::string& name : BuiltInProfileNames()) profiles->push_back(Needed(LoadProfile(name), name));
    return profiles;
  }();
  return *all;
}

Facts FactsOf(const Recording& recording) {
  RecordedHost host(recording);
  Facts facts = CollectFacts(host);
  if (recording.answers.Asked<LldpQuestion>()) ReadLldp(host, {}, facts);
  if (recording.answers.Asked<DcbNoticesQuestion>()) ReadDcbWrites(host, {}, facts);
  return facts;
}

// A folder in memory that is a recording: what changed since the last input is written.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path().string());
    pattern += "/saved_fuzz.XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
      std::cerr << pattern << ": cannot be made\n";
      std::exit(2);
    }
    place_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(place_, ignored);
  }

  absl::StatusOr<Recording> Load(const RecordingFiles& files) {
    Write(files);
    absl::StatusOr<std::vector<SavedRecording>> saved = LoadRecordings(place_);
    if (!saved.ok()) return saved.status();
    Demand(saved->size() == 1 && saved->front().folder == place_);
    return std::move(saved->front().recording);
  }

 private:
  void Write(const RecordingFiles& files) {
    std::erase_if(there_, [&](const auto& one) {
      return !files.contains(one.first) && fs::remove(fs::path(place_) / one.first);
    });
    for (const auto& [path, text] : files) {
      const auto found = there_.find(path);
      if (found != there_.end() && found->second == text) continue;
      const fs::path file = fs::path(place_) / path;
      RemoveInTheWay(file);
      fs::create_directories(file.parent_path());
      std::ofstream(file, std::ios::binary) << text;
      there_[path] = text;
    }
  }

  // Folders and files of the recording before, which may have one where this one has the other.
  void RemoveInTheWay(const fs::path& file) {
    if (fs::is_directory(file)) Forget(file);
    for (fs::path parent = file.parent_path(); parent != place_; parent = parent.parent_path()) {
      if (fs::is_regular_file(parent)) Forget(parent);
    }
  }
  void Forget(const fs::path& old) {
    fs::remove_all(old);
    const std::string name = old.lexically_relative(place_).string();
    std::erase_if(there_,
                  [&](const auto& one) { return one.first == name || one.first.starts_with(name + "/"); });
  }

  std::string place_{};
  RecordingFiles there_{};
};

void DemandLine(const std::string& text) { Demand(Printable(text) == text && text.find('\n') == text.npos); }

void DemandRefused(const absl::Status& status) {
  Demand(status.code() == absl::StatusCode::kInvalidArgument && !status.message().empty());
  DemandLine(std::string(status.message()));
}

// What was read is written down as it is: nothing is lost, and nothing throws.
void DemandRoundTrip(const Recording& recording) {
  const absl::StatusOr<RecordingFiles> files = EncodeRecording(recording);
  Demand(files.ok());
  const absl::StatusOr<Recording> again = DecodeRecording(*files);
  Demand(again.ok());
  Demand(*EncodeRecording(*again) == *files);
}

void DemandSane(const Finding& finding) {
  Demand(!finding.id.empty() && !finding.title.empty() && !finding.subject.empty());
  for (const std::string* text : {&finding.subject, &finding.observed, &finding.expected, &finding.source,
                                  &finding.why, &finding.fix, &finding.hidden_by}) {
    DemandLine(*text);
  }
  const bool told = finding.outcome == Outcome::kFail || finding.outcome == Outcome::kWarn;
  if (told) Demand(!finding.expected.empty() && !finding.source.empty());
  if (told || finding.outcome == Outcome::kUnknown)
    Demand(!finding.observed.empty() && !finding.why.empty() && finding.remedy && !finding.remedy->empty());
  Demand(!Sentence(finding).empty());
}

void DemandSane(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) DemandSane(finding);
}

// Beside a host that is well: the first of the recorded ones.
void JudgeBeside(const Facts& facts, const std::vector<Finding>& findings, std::size_t profile) {
  static const Facts good = FactsOf(Loaded(kRecordings[0]));
  static std::map<std::size_t, std::vector<Finding>> of_good;  // by profile
  const auto known = of_good.try_emplace(profile).first;
  if (known->second.empty()) known->second = JudgeHost(good, Profiles()[profile]);
  const ComparedHost hosts[] = {{"good", &good, known->second}, {"changed", &facts, findings}};
  const Agreed agreed = JudgeAgreement(hosts, Profiles()[profile]);
  for (const std::vector<Finding>& of_host : agreed.of_hosts) DemandSane(of_host);
  for (const PairFinding& one : agreed.between) DemandSane(one.finding);
}

void Judge(const Recording& recording, std::size_t profile) {
  const Facts facts = FactsOf(recording);
  fuzz::DemandSane(facts);
  const std::vector<Finding> findings = JudgeHost(facts, Profiles()[profile]);
  Demand(!findings.empty());
  DemandSane(findings);
  MakeLadder(findings, {}, Rung::kHost);
  for (const Finding* finding : WorthSaying(findings)) Demand(finding != nullptr);
  JudgeBeside(facts, findings, profile);
}

void Play(const RecordingFiles& files, bool through_folder, std::size_t profile) {
  const absl::StatusOr<Recording> recording = DecodeRecording(files);
  if (through_folder) {
    static Folder folder;
    const absl::StatusOr<Recording> loaded = folder.Load(files);
    if (!loaded.ok()) DemandRefused(loaded.status());
    Demand(loaded.ok() || !recording.ok());
  }
  if (!recording.ok()) return DemandRefused(recording.status());
  DemandRoundTrip(*recording);
  Judge(*recording, profile);
}

std::vector<std::uint8_t> Input(std::size_t recording, std::size_t way,
                                const std::vector<std::uint8_t>& damage) {
  std::vector<std::uint8_t> input{static_cast<std::uint8_t>(recording), static_cast<std::uint8_t>(way)};
  input.insert(input.end(), damage.begin(), damage.end());
  return input;
}

}  // namespace

// Each recording as it is, and with some kinds of damage to each of its own files and to some of the host's:
// each kind comes at each file of one recording or another.
std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  constexpr std::uint8_t kOfTheFormat = 14;
  constexpr std::uint8_t kOfTheHost = 2;
  constexpr std::size_t kEach = 3;
  std::vector<std::vector<std::uint8_t>> seeds;
  for (std::size_t recording = 0; recording < Seeds().size(); ++recording) {
    seeds.push_back(Input(recording, kThroughFolder, {}));
    seeds.push_back(Input(recording, kUnsealed, {}));
    for (std::uint8_t number = 0; number < kOfTheFormat + kOfTheHost; ++number) {
      const std::uint8_t file =
          number < kOfTheFormat ? number : static_cast<std::uint8_t>(fuzz::kFirstTreeFile + number);
      for (std::size_t turn = 0; turn < kEach; ++turn) {
        const auto kind = static_cast<std::uint8_t>((kEach * recording + turn + number) % fuzz::kDamageKinds);
        const auto line = static_cast<std::uint8_t>(3 * number + kind);
        const std::vector<std::uint8_t> rest{static_cast<std::uint8_t>(31 * kind), 0, 3, '0', 0xff, 8, 1};
        seeds.push_back(
            Input(recording, seeds.size() % 16, DamageBytes(file, static_cast<DamageKind>(kind), line, rest)));
      }
    }
  }
  return seeds;
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmaready;
  if (size < 2) return 0;
  RecordingFiles files = Seeds()[data[0] % Seeds().size()];
  const std::uint8_t way = data[1];
  fuzz::Damage({data + 2, size - 2}, (way & kUnsealed) == 0, &files);
  const std::size_t profile = way % kThroughFolder % Profiles().size();
  Play(files, (way & kThroughFolder) != 0, profile);
  return 0;
}
