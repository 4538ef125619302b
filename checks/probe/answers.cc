// SPDX-License-Identifier: Apache-2.0
#include "checks/probe/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace rdmaready {
namespace {

std::string_view AnswerWord(SmbAnswers::Signing signing) {
  switch (signing) {
    case SmbAnswers::Signing::kUnknown:
      return "";
    case SmbAnswers::Signing::kDisabled:
      return "disabled";
    case SmbAnswers::Signing::kEnabled:
      return "enabled";
    case SmbAnswers::Signing::kRequired:
      return "required";
  }
  return "";
}

std::string_view AnswerWord(SmbAnswers::Minimum minimum) {
  switch (minimum) {
    case SmbAnswers::Minimum::kUnknown:
      return "";
    case SmbAnswers::Minimum::kAccepted:
      return "yes";
    case SmbAnswers::Minimum::kDropped:
      return "no";
    case SmbAnswers::Minimum::kSilent:
      return "silent";
  }
  return "";
}

std::string_view AnswerWord(ShareAnswers::Connection connection) {
  switch (connection) {
    case ShareAnswers::Connection::kUnknown:
      return "";
    case ShareAnswers::Connection::kTcp:
      return "tcp";
    case ShareAnswers::Connection::kRdma:
      return "rdma";
  }
  return "";
}

std::string RefusalText(const RdmaRefusal& refusal) {
  switch (refusal.kind) {
    case RdmaRefusal::Kind::kUnknown:
      return "";
    case RdmaRefusal::Kind::kNone:
      return "none";
    case RdmaRefusal::Kind::kNoDevice:
      return "no-device";
    case RdmaRefusal::Kind::kUnresolved:
      return "unresolved";
    case RdmaRefusal::Kind::kNoAnswer:
      return "no-answer";
    case RdmaRefusal::Kind::kNoListener:
      return "no-listener";
    case RdmaRefusal::Kind::kConsumer:
      return "consumer";
    case RdmaRefusal::Kind::kReason:
      return fmt::format("reason {}", refusal.reason.value_or(0));
  }
  return "";
}

class AnswerTextWriter {
 public:
  void operator()(const char* name, const auto& value, const auto&... rest) {
    Put(name, value);
    if constexpr (sizeof...(rest) > 0) (*this)(rest...);
  }

  std::vector<AnswerText> Done() { return std::move(texts_); }

 private:
  void Add(std::string name, std::string text) {
    std::ranges::replace(name, '_', '-');
    texts_.push_back({.name = std::move(name), .text = std::move(text)});
  }

  void Put(const char* name, const std::optional<bool>& flag) {
    if (flag) Add(name, *flag ? "yes" : "no");
  }
  void Put(const char* name, const std::optional<std::uint64_t>& number) {
    if (number) Add(name, fmt::format("{}", *number));
  }
  void Put(std::string name, const std::optional<std::string>& text) {
    if (text) Add(std::move(name), *text);
  }
  template <class T>
  requires std::is_enum_v<T>
  void Put(const char* name, T value) {
    if (value != T{}) Add(name, std::string(AnswerWord(value)));
  }
  void Put(const char* name, const RdmaRefusal& refusal) {
    if (refusal.kind != RdmaRefusal::Kind::kUnknown) Add(name, RefusalText(refusal));
  }
  template <ListsFields T>
  void Put(const char*, const T& part) {
    part.Fields(*this);
  }
  void Put(const char* name, const std::vector<NvmeSubsystem>& subsystems) {
    for (std::size_t i = 0; i < subsystems.size(); ++i) {
      Put(fmt::format("{}-{}", name, i + 1), subsystems[i].nqn);
      Add(fmt::format("{}-{}-at", name, i + 1), PlaceOf(subsystems[i]));
    }
  }
  void Put(const char* name, const std::vector<IserTarget>& targets) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      Put(fmt::format("{}-{}", name, i + 1), targets[i].name);
      Add(fmt::format("{}-{}-at", name, i + 1), fmt::format("{}", fmt::join(targets[i].portals, " ")));
    }
  }
  void Put(const char*, const std::vector<NfsRefusal>& refusals) {
    for (const NfsRefusal& refusal : refusals) {
      if (refusal.version) Put(fmt::format("nfs-{}-refused", *refusal.version), refusal.reason);
    }
  }

  std::vector<AnswerText> texts_{};
};

}  // namespace

std::vector<AnswerText> AnswerTexts(const ProbeAnswers& answers) {
  AnswerTextWriter writer;
  answers.Fields(writer);
  return writer.Done();
}

std::string PlaceOf(const NvmeSubsystem& subsystem) {
  if (!subsystem.transport || !subsystem.address || !subsystem.service) return "an address that is not told";
  return fmt::format("{} {}:{}", *subsystem.transport, *subsystem.address, *subsystem.service);
}

std::string_view TextOf(const std::optional<std::string>& answer) {
  return answer ? *answer : std::string_view();
}

std::string TextOf(const std::optional<std::uint64_t>& answer) {
  return answer ? fmt::format("{}", *answer) : std::string();
}

}  // namespace rdmaready
