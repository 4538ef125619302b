// SPDX-License-Identifier: Apache-2.0
// ChangedHost: another host, whose answers a splitter changes.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "api/base/status.h"
#include "collectors/host_reader.h"
#include "tests/fuzz/facts/splitter.h"

namespace rdmaready::fuzz {

class ChangedHost final : public HostReader {
 public:
  ChangedHost(HostReader& host, std::span<const std::uint8_t> bytes) : host_(host), splitter_(bytes) {}

  using HostReader::Ask;
  Answer Ask(const Question& question) override {
    return AnswerBy(question, [this]<class Kind>(const Kind& kind) {
      absl::StatusOr<typename Kind::Answer> answer = host_.Ask(kind);
      const int error = answer.ok() ? Change(*answer) : 0;
      return error == 0 ? answer : ErrnoStatus(error, kind.What());
    });
  }

 private:
  // 0, or the errno that becomes of the answer. In memory that ends where the answer ends.
  int Change(std::string& text) {
    const int error = splitter_.Change(&text);
    text.shrink_to_fit();
    return error;
  }
  int Change(std::vector<std::byte>& bytes) {
    const int error = splitter_.Change(&bytes);
    bytes.shrink_to_fit();
    return error;
  }
  int Change(NetlinkMessage& message) { return Change(message.payload); }
  int Change(RdmaCmAnswer& answer) {
    const int error = Change(answer.default_roce_mode);
    return error != 0 ? error : Change(answer.default_roce_tos);
  }
  int Change(MemlockAnswer&) { return 0; }
  int Change(LldpFrames&) { return 0; }  // tests/fuzz/lldp
  int Change(DcbNotices&) { return 0; }
  int Change(PodProcess& process) {
    for (std::string* text : {&process.name, &process.pod, &process.script}) {
      if (const int error = Change(*text); error != 0) return error;
    }
    return Change(process.words);
  }
  int Change(PodProcessesAnswer& answer) { return Change(answer.processes); }
  // Each element for itself.
  template <class Element>
  int Change(std::vector<Element>& list) {
    for (Element& one : list) {
      if (const int error = Change(one); error != 0) return error;
    }
    return 0;
  }
  // A struct of numbers, whatever they are.
  template <class Numbers>
  int Change(Numbers& numbers) {
    static_assert(std::is_trivially_copyable_v<Numbers>);
    const auto raw = std::as_writable_bytes(std::span(&numbers, 1));
    std::vector<std::byte> bytes(raw.begin(), raw.end());
    if (const int error = splitter_.Change(&bytes); error != 0) return error;
    bytes.resize(sizeof(Numbers));
    std::ranges::copy(bytes, raw.begin());
    return 0;
  }

  HostReader& host_;
  Splitter splitter_;
};

}  // namespace rdmaready::fuzz
