// SPDX-License-Identifier: Apache-2.0
// ChangedHost: another host, whose answers a splitter changes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "collectors/host_reader.h"
#include "tests/fuzz/facts/splitter.h"

namespace rdmaready::fuzz {

class ChangedHost final : public HostReader {
 public:
  ChangedHost(HostReader& host, std::span<const std::uint8_t> bytes) : host_(host), splitter_(bytes) {}

  absl::StatusOr<std::string> ReadFile(std::string_view path) override { return Bytes(host_.ReadFile(path)); }
  absl::StatusOr<std::vector<std::string>> FindLines(std::string_view path,
                                                     const std::vector<std::string>& words) override {
    return Texts(host_.FindLines(path, words));
  }
  absl::StatusOr<std::vector<std::string>> ListDirectory(std::string_view path) override {
    return Texts(host_.ListDirectory(path));
  }
  absl::StatusOr<std::string> ReadLink(std::string_view path) override { return Bytes(host_.ReadLink(path)); }

  absl::StatusOr<std::uint32_t> FileMode(std::string_view path) override {
    return Numbers(host_.FileMode(path));
  }
  absl::StatusOr<std::vector<std::byte>> Mad(const MadRequest& request) override {
    return Bytes(host_.Mad(request));
  }

  absl::StatusOr<std::string> AskLldpad(std::string_view question) override {
    return Bytes(host_.AskLldpad(question));
  }

  // Each message for itself.
  absl::StatusOr<std::vector<NetlinkMessage>> Netlink(const NetlinkRequest& request) override {
    absl::StatusOr<std::vector<NetlinkMessage>> answer = host_.Netlink(request);
    if (!answer.ok()) return answer;
    for (NetlinkMessage& message : *answer) {
      const int error = splitter_.Change(&message.payload);
      if (error != 0) return ErrnoStatus(error, "ask netlink");
      message.payload.shrink_to_fit();
    }
    return answer;
  }
  absl::StatusOr<std::vector<std::byte>> Ethtool(const std::string& netdev,
                                                 std::span<const std::byte> request) override {
    return Bytes(host_.Ethtool(netdev, request));
  }

  absl::StatusOr<VerbsPortAnswer> VerbsPort(const std::string& device, std::uint32_t port) override {
    return Numbers(host_.VerbsPort(device, port));
  }
  absl::StatusOr<VerbsDeviceAnswer> VerbsDevice(const std::string& device) override {
    return Numbers(host_.VerbsDevice(device));
  }
  absl::StatusOr<std::vector<VerbsGid>> VerbsGidTable(const std::string& device) override {
    absl::StatusOr<std::vector<VerbsGid>> answer = host_.VerbsGidTable(device);
    if (answer.ok()) {
      for (VerbsGid& gid : *answer) {
        absl::StatusOr<VerbsGid> changed = Numbers(absl::StatusOr<VerbsGid>(gid));
        if (!changed.ok()) return changed.status();
        gid = *changed;
      }
    }
    return answer;
  }
  absl::StatusOr<RdmaCmAnswer> RdmaCmDefaults(const std::string& device, std::uint32_t port) override {
    absl::StatusOr<RdmaCmAnswer> answer = host_.RdmaCmDefaults(device, port);
    if (!answer.ok()) return answer;
    for (std::string* text : {&answer->default_roce_mode, &answer->default_roce_tos}) {
      if (const int error = splitter_.Change(text); error != 0) return ErrnoStatus(error, "read configfs");
    }
    return answer;
  }
  std::vector<absl::StatusOr<LldpFrames>> ListenForLldp(const std::vector<std::string>& netdevs,
                                                        const LldpWait& wait) override {
    return host_.ListenForLldp(netdevs, wait);  // tests/fuzz/lldp
  }
  absl::StatusOr<DcbNotices> ListenForDcb(const LldpWait& wait) override { return host_.ListenForDcb(wait); }
  absl::StatusOr<Memlock> MemlockLimit() override { return host_.MemlockLimit(); }

 private:
  // In memory that ends where the answer ends.
  template <class T>
  absl::StatusOr<T> Bytes(absl::StatusOr<T> answer) {
    if (!answer.ok()) return answer;
    if (const int error = splitter_.Change(&*answer); error != 0) return ErrnoStatus(error, "read");
    answer->shrink_to_fit();
    return answer;
  }
  absl::StatusOr<std::vector<std::string>> Texts(absl::StatusOr<std::vector<std::string>> answer) {
    if (!answer.ok()) return answer;
    for (std::string& text : *answer) {
      if (const int error = splitter_.Change(&text); error != 0) return ErrnoStatus(error, "list");
    }
    return answer;
  }
  // A struct of numbers, whatever they are.
  template <class T>
  absl::StatusOr<T> Numbers(absl::StatusOr<T> answer) {
    if (!answer.ok()) return answer;
    const auto raw = std::as_bytes(std::span(&*answer, 1));
    std::vector<std::byte> bytes(raw.begin(), raw.end());
    if (const int error = splitter_.Change(&bytes); error != 0) return ErrnoStatus(error, "ask verbs");
    bytes.resize(sizeof(T));
    T value{};
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(&value, 1)).begin());
    return value;
  }

  HostReader& host_;
  Splitter splitter_;
};

}  // namespace rdmaready::fuzz
