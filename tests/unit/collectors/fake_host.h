// SPDX-License-Identifier: Apache-2.0
// FakeHost: a host in memory that remembers what it was asked. What it was not told does not exist.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/status.h"
#include "collectors/commands.h"
#include "collectors/host_reader.h"
#include "collectors/lines.h"

namespace rdmaready {

class FakeHost final : public HostReader {
 public:
  using NetlinkAnswer = absl::StatusOr<std::vector<NetlinkMessage>>;
  template <class Key, class Value>
  using Answers = std::map<Key, absl::StatusOr<Value>>;

  Answers<std::string, std::string> files{};  // also what FindLines looks through
  Answers<std::string, std::vector<std::string>> directories{};
  Answers<std::string, std::string> links{};
  Answers<std::string, std::uint32_t> modes{};
  Answers<std::pair<std::string, std::uint32_t>, VerbsPortAnswer> verbs_ports{};
  Answers<std::string, VerbsDeviceAnswer> verbs_devices{};
  Answers<std::string, std::vector<VerbsGid>> gid_tables{};
  Answers<std::pair<std::string, std::uint32_t>, RdmaCmAnswer> cm_defaults{};
  Answers<std::pair<std::string, std::uint32_t>, std::vector<std::byte>> ethtool{};  // by command
  Answers<std::string, LldpFrames> lldp{};
  absl::StatusOr<DcbNotices> dcb_notices = ErrnoStatus(ENOSYS, "listen for DCB");
  Answers<MadRequest, std::vector<std::byte>> mads{};
  Answers<std::string, std::string> lldpad{};
  absl::StatusOr<MemlockAnswer> memlock = ErrnoStatus(ENOSYS, "get RLIMIT_MEMLOCK");

  std::vector<std::string> asked{};  // in order: "read /proc/...", "ask netlink protocol 0 type 18", ...

  // Replaces whatever is answered to the question: of netlink, or of a kind that has no member above.
  template <QuestionKind Kind = NetlinkRequest>
  void Answer(const Kind& question, absl::StatusOr<typename Kind::Answer> answer) {
    others_[question] = {AnswerOf<Kind>(std::move(answer))};
  }

  // The next answer after those already given; the last one stays.
  template <QuestionKind Kind = NetlinkRequest>
  void ThenAnswer(const Kind& question, absl::StatusOr<typename Kind::Answer> answer) {
    others_[question].push_back(AnswerOf<Kind>(std::move(answer)));
  }

  bool Asked(std::string_view what) const {
    for (const std::string& one : asked) {
      if (one.starts_with(what)) return true;
    }
    return false;
  }

  using HostReader::Ask;
  rdmaready::Answer Ask(const Question& question) override {
    return AnswerBy(question, [this](const auto& kind) { return Look(kind); });
  }

 private:
  auto Look(const FileQuestion& one) { return Find(files, one.path, one.What()); }
  auto Look(const DirectoryQuestion& one) { return Find(directories, one.path, one.What()); }
  auto Look(const LinkQuestion& one) { return Find(links, one.path, one.What()); }
  auto Look(const ModeQuestion& one) { return Find(modes, one.path, one.What()); }
  auto Look(const VerbsPortQuestion& one) {
    return Find(verbs_ports, std::pair(one.device, one.port), one.What());
  }
  auto Look(const VerbsDeviceQuestion& one) { return Find(verbs_devices, one.device, one.What()); }
  auto Look(const VerbsGidTableQuestion& one) { return Find(gid_tables, one.device, one.What()); }
  auto Look(const RdmaCmQuestion& one) {
    return Find(cm_defaults, std::pair(one.device, one.port), one.What());
  }
  auto Look(const LldpQuestion& one) { return Find(lldp, one.netdev, one.What()); }
  auto Look(const MadRequest& one) { return Find(mads, one, one.What()); }
  auto Look(const LldpadQuestion& one) { return Find(lldpad, one.message, one.What() + " " + one.message); }
  // Not among what was asked: another thread asks it meanwhile.
  auto Look(const DcbNoticesQuestion&) { return dcb_notices; }
  auto Look(const MemlockQuestion& one) {
    asked.push_back(one.What());
    return memlock;
  }
  absl::StatusOr<std::vector<std::string>> Look(const LinesQuestion& one) {
    const absl::StatusOr<std::string> text = Find(files, one.path, one.What());
    if (!text.ok()) return text.status();
    return LinesToKeep(one.path, *text, one.words);
  }
  absl::StatusOr<std::vector<std::string>> Look(const CommandsQuestion& one) {
    const absl::StatusOr<std::string> text = Find(files, one.path, one.What());
    if (!text.ok()) return text.status();
    return CommandsToKeep(one.path, *text);
  }
  auto Look(const EthtoolQuestion& one) {
    std::uint32_t command = 0;
    if (one.request.size() >= sizeof command) std::memcpy(&command, one.request.data(), sizeof command);
    return Find(ethtool, std::pair(one.netdev, command), one.What(), EOPNOTSUPP);
  }
  template <QuestionKind Kind>
  absl::StatusOr<typename Kind::Answer> Look(const Kind& one) {
    asked.push_back(one.What());
    std::vector<rdmaready::Answer>& answers = others_[one];
    if (answers.empty()) return ErrnoStatus(ENODEV, one.What());
    rdmaready::Answer answer = answers.front();
    if (answers.size() > 1) answers.erase(answers.begin());
    return AnswerTo<Kind>(std::move(answer));
  }

  template <class Map, class Key>
  typename Map::mapped_type Find(const Map& map, const Key& key, const std::string& what, int absent = ENOENT) {
    asked.push_back(what);
    const auto found = map.find(key);
    if (found == map.end()) return ErrnoStatus(absent, what);
    return found->second;
  }

  std::map<Question, std::vector<rdmaready::Answer>> others_{};
};

}  // namespace rdmaready
