// SPDX-License-Identifier: Apache-2.0
// ibsim_host judge PROFILE | save DIRECTORY HOST
//
// Runs with ibsim's libumad2sim.so preloaded. ibsim has management datagrams and some files of sysfs, but
// neither verbs nor RDMA netlink: so the port of a made host (infiniband_host.h) is put on the simulated
// fabric. Its LID, its subnet manager, its P_Keys, its state and all datagrams are those of the port that
// SIM_HOST names, read as on any host (RealHost); the rest is the made host's. `judge` prints facts and
// findings in JSON, `save` writes a recording.
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "api/base/status.h"
#include "api/profile/load.h"
#include "checks/judge.h"
#include "checks/words/names.h"
#include "collectors/collect.h"
#include "collectors/real/host.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/format.h"
#include "collectors/recording/recording_host.h"
#include "tests/integration/ibsim/infiniband_host.h"

namespace rdmaready {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMadePort = "/sys/class/infiniband/mlx5_0/ports/1/";
constexpr std::string_view kSimulatedPort = "/sys/class/infiniband/ibsim0/ports/1/";

// The made host with its port on the simulated fabric.
class SimulatedHost final : public HostReader {
 public:
  explicit SimulatedHost(FakeHost made) : made_(std::move(made)) {}

  using HostReader::Ask;
  Answer Ask(const Question& question) override {
    if (const auto* file = std::get_if<FileQuestion>(&question); file != nullptr && IsSimulated(file->path))
      return real_.Ask(Question(FileQuestion{Simulated(file->path)}));
    if (const auto* folder = std::get_if<DirectoryQuestion>(&question);
        folder != nullptr && IsSimulated(folder->path))
      return real_.Ask(Question(DirectoryQuestion{Simulated(folder->path)}));
    if (const auto* datagram = std::get_if<MadRequest>(&question)) {
      MadRequest simulated = *datagram;
      simulated.device = "ibsim0";
      return real_.Ask(Question(simulated));
    }
    return made_.Ask(question);
  }

 private:
  // Is it what a subnet manager sets?
  static bool IsSimulated(std::string_view path) {
    if (!path.starts_with(kMadePort)) return false;
    const std::string_view file = path.substr(kMadePort.size());
    return file == "lid" || file == "sm_lid" || file.starts_with("pkeys");
  }
  static std::string Simulated(std::string_view path) {
    return std::string(kSimulatedPort) + std::string(path.substr(kMadePort.size()));
  }

  FakeHost made_;
  RealHost real_;
};

int Fail(std::string_view why) {
  std::cerr << "ibsim_host: " << why << '\n';
  return 1;
}

// "4: ACTIVE"; 0 when there is none.
std::uint8_t SimulatedState() {
  const absl::StatusOr<std::string> text = RealHost().ReadFile(std::string(kSimulatedPort) + "state");
  return text.ok() && !text->empty() && text->front() >= '1' && text->front() <= '5'
             ? static_cast<std::uint8_t>(text->front() - '0')
             : std::uint8_t{0};
}

template <class T>
Json Told(const Fact<T>& fact) {
  return fact ? Json(*fact)
              : Json{{"missing", std::string(Name(fact.missing().kind))}, {"why", fact.missing().detail}};
}

Json ToJson(const Fact<IbLink>& link) {
  if (!link) return {{"missing", std::string(Name(link.missing().kind))}, {"why", link.missing().detail}};
  return {{"lanes", link->lanes},
          {"lanes_supported", link->lanes_supported},
          {"lanes_enabled", link->lanes_enabled},
          {"lane_mbps", link->lane_mbps},
          {"lane_mbps_supported", link->lane_mbps_supported},
          {"lane_mbps_enabled", link->lane_mbps_enabled},
          {"mtu_bytes", link->mtu_bytes},
          {"mtu_bytes_supported", link->mtu_bytes_supported}};
}

Json ToJson(const Fact<std::vector<Counter>>& counters) {
  if (!counters)
    return {{"missing", std::string(Name(counters.missing().kind))}, {"why", counters.missing().detail}};
  Json json = Json::object();
  for (const Counter& counter : *counters) json[counter.name] = counter.value;
  return json;
}

int Judge(HostReader& host, const std::string& profile_name) {
  const absl::StatusOr<Profile> profile = LoadProfile(profile_name);
  if (!profile.ok()) return Fail(Message(profile.status()));
  const Facts facts = CollectFacts(host);
  if (!facts.ports || facts.ports->empty()) return Fail("the made host has no port");
  const Infiniband& ib = facts.ports->front().ib;
  Json json{{"lid", Told(ib.lid)},
            {"sm_lid", Told(ib.sm_lid)},
            {"pkeys", Told(ib.pkeys)},
            {"link", ToJson(ib.link)},
            {"counters", ToJson(ib.pma_counters)}};
  Json& findings = json["findings"] = Json::array();
  for (const Finding& finding : JudgeHost(facts, *profile)) {
    findings.push_back({{"id", finding.id},
                        {"outcome", std::string(Name(finding.outcome))},
                        {"observed", finding.observed},
                        {"hidden_by", finding.hidden_by}});
  }
  std::cout << json.dump(1) << '\n';
  return 0;
}

int Save(HostReader& host, const std::string& directory, const std::string& name) {
  RecordingHost recorder(host);
  const Facts facts = CollectFacts(recorder);
  Recording recording = recorder.Take();
  recording.host = name;
  recording.hostname = facts.hostname;
  recording.kernel = facts.kernel ? facts.kernel->release : "";
  recording.rdmaready = "0.1.0";
  recording.recorded_unix_ns = 1'700'000'000'000'000'000;  // the same each time
  recording.apply_state = Missing{Missing::Kind::kUnsupported, "no applier: not installed"};
  const absl::StatusOr<RecordingFiles> files = EncodeRecording(recording);
  if (!files.ok()) return Fail(Message(files.status()));
  RecordingSaver saver(directory);
  const absl::StatusOr<std::string> saved = saver.Save(*files, name);
  return saved.ok() ? 0 : Fail(Message(saved.status()));
}

int Main(const std::vector<std::string>& words) {
  const std::uint8_t state = SimulatedState();
  if (state == 0) return Fail("no simulated port: is libumad2sim.so preloaded, and does ibsim run?");
  FakeHost made = InfinibandHost(state);
  if (words.size() == 3 && words[0] == "save") made.files["/proc/sys/kernel/hostname"] = words[2] + "\n";
  SimulatedHost host(std::move(made));
  if (words.size() == 2 && words[0] == "judge") return Judge(host, words[1]);
  if (words.size() == 3 && words[0] == "save") return Save(host, words[1], words[2]);
  return Fail("usage: ibsim_host judge PROFILE | save DIRECTORY HOST");
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main({argv + 1, argv + argc}); }
