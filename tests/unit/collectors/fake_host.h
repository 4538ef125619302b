// SPDX-License-Identifier: Apache-2.0
// FakeHost: a host in memory that remembers what it was asked. What it was not told does not exist.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/status.h"
#include "collectors/host_reader.h"
#include "collectors/lines.h"

namespace rdmaready {

class FakeHost final : public HostReader {
 public:
  using NetlinkAnswer = absl::StatusOr<std::vector<NetlinkMessage>>;

  std::map<std::string, absl::StatusOr<std::string>> files{};
  std::map<std::string, absl::StatusOr<std::vector<std::string>>> directories{};
  std::map<std::string, absl::StatusOr<std::string>> links{};
  std::map<std::string, absl::StatusOr<std::uint32_t>> modes{};
  std::map<std::pair<std::string, std::uint32_t>, absl::StatusOr<VerbsPortAnswer>> verbs_ports{};
  std::map<std::string, absl::StatusOr<VerbsDeviceAnswer>> verbs_devices{};
  std::map<std::string, absl::StatusOr<std::vector<VerbsGid>>> gid_tables{};
  std::map<std::pair<std::string, std::uint32_t>, absl::StatusOr<RdmaCmAnswer>> cm_defaults{};
  std::map<std::pair<std::string, std::uint32_t>, absl::StatusOr<std::vector<std::byte>>>
      ethtool{};  // by command
  std::map<std::string, absl::StatusOr<LldpFrames>> lldp{};
  absl::StatusOr<DcbNotices> dcb_notices = ErrnoStatus(ENOSYS, "listen for DCB");
  std::map<MadRequest, absl::StatusOr<std::vector<std::byte>>> mads{};
  std::map<std::string, absl::StatusOr<std::string>> lldpad{};
  absl::StatusOr<Memlock> memlock = ErrnoStatus(ENOSYS, "get RLIMIT_MEMLOCK");

  std::vector<std::string> asked{};  // in order: "read /proc/...", "netlink 0 type 18", ...

  // Replaces whatever is answered to the request.
  void Answer(const NetlinkRequest& request, NetlinkAnswer answer) {
    Answers(request).clear();
    Answers(request).push_back(std::move(answer));
  }

  // The next answer after those already given; the last one stays.
  void ThenAnswer(const NetlinkRequest& request, NetlinkAnswer answer) {
    Answers(request).push_back(std::move(answer));
  }

  bool Asked(std::string_view what) const {
    for (const std::string& one : asked) {
      if (one.starts_with(what)) return true;
    }
    return false;
  }

  absl::StatusOr<std::string> ReadFile(std::string_view path) override {
    return Look(files, std::string(path), "read " + std::string(path));
  }
  absl::StatusOr<std::vector<std::string>> FindLines(std::string_view path,
                                                     const std::vector<std::string>& words) override {
    const absl::StatusOr<std::string> text =
        Look(files, std::string(path), "find lines in " + std::string(path));
    if (!text.ok()) return text.status();
    return LinesWith(*text, words);
  }
  absl::StatusOr<std::vector<std::string>> ListDirectory(std::string_view path) override {
    return Look(directories, std::string(path), "list " + std::string(path));
  }
  absl::StatusOr<std::string> ReadLink(std::string_view path) override {
    return Look(links, std::string(path), "read link " + std::string(path));
  }
  absl::StatusOr<std::uint32_t> FileMode(std::string_view path) override {
    return Look(modes, std::string(path), "look at " + std::string(path));
  }
  NetlinkAnswer Netlink(const NetlinkRequest& request) override {
    const std::string what =
        "netlink " + std::to_string(request.protocol) + " type " + std::to_string(request.type);
    asked.push_back(what);
    std::vector<NetlinkAnswer>& answers = Answers(request);
    if (answers.empty()) return ErrnoStatus(ENODEV, what);
    NetlinkAnswer answer = answers.front();
    if (answers.size() > 1) answers.erase(answers.begin());
    return answer;
  }
  absl::StatusOr<std::vector<std::byte>> Ethtool(const std::string& netdev,
                                                 std::span<const std::byte> request) override {
    std::uint32_t command = 0;
    if (request.size() >= sizeof command) std::memcpy(&command, request.data(), sizeof command);
    const std::string what = "ethtool " + netdev + " command " + std::to_string(command);
    asked.push_back(what);
    const auto found = ethtool.find({netdev, command});
    return found == ethtool.end() ? ErrnoStatus(EOPNOTSUPP, what) : found->second;
  }
  absl::StatusOr<VerbsPortAnswer> VerbsPort(const std::string& device, std::uint32_t port) override {
    return Look(verbs_ports, std::pair(device, port), "verbs port " + device);
  }
  absl::StatusOr<VerbsDeviceAnswer> VerbsDevice(const std::string& device) override {
    return Look(verbs_devices, device, "verbs device " + device);
  }
  absl::StatusOr<std::vector<VerbsGid>> VerbsGidTable(const std::string& device) override {
    return Look(gid_tables, device, "verbs gids " + device);
  }
  absl::StatusOr<RdmaCmAnswer> RdmaCmDefaults(const std::string& device, std::uint32_t port) override {
    return Look(cm_defaults, std::pair(device, port), "rdma_cm " + device);
  }
  // Listening takes no time here.
  std::vector<absl::StatusOr<LldpFrames>> ListenForLldp(const std::vector<std::string>& netdevs,
                                                        const LldpWait&) override {
    std::vector<absl::StatusOr<LldpFrames>> answers;
    for (const std::string& netdev : netdevs)
      answers.push_back(Look(lldp, netdev, "listen for LLDP on " + netdev));
    return answers;
  }
  // Not among what was asked: another thread asks it meanwhile.
  absl::StatusOr<DcbNotices> ListenForDcb(const LldpWait&) override { return dcb_notices; }
  absl::StatusOr<std::vector<std::byte>> Mad(const MadRequest& request) override {
    return Look(mads, request, "mad " + request.device + "/" + std::to_string(request.port));
  }
  absl::StatusOr<std::string> AskLldpad(std::string_view question) override {
    return Look(lldpad, std::string(question), "ask lldpad " + std::string(question));
  }
  absl::StatusOr<Memlock> MemlockLimit() override {
    asked.emplace_back("memlock");
    return memlock;
  }

 private:
  template <class Map, class Key>
  typename Map::mapped_type Look(const Map& map, const Key& key, const std::string& what) {
    asked.push_back(what);
    const auto found = map.find(key);
    if (found == map.end()) return ErrnoStatus(ENOENT, what);
    return found->second;
  }

  std::vector<NetlinkAnswer>& Answers(const NetlinkRequest& request) {
    for (auto& [known, answers] : netlink_) {
      if (known == request) return answers;
    }
    return netlink_.emplace_back(request, std::vector<NetlinkAnswer>{}).second;
  }

  std::vector<std::pair<NetlinkRequest, std::vector<NetlinkAnswer>>> netlink_{};
};

}  // namespace rdmaready
