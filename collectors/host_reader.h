// SPDX-License-Identifier: Apache-2.0
// HostReader: the only way collectors see the world. Everything that crosses it is a raw value, so that it can
// be recorded, replayed and faked; decoding happens above it.
//
// Errors are ErrnoStatus: "action object: the kernel's words". Nothing here changes the host or loads a kernel
// module; the exceptions, of a moment, are documented at RdmaCmQuestion and LldpQuestion.
// Calls block: netlink for at most a few seconds, what is listened for as long as the question says. One thread
// at a time may ask; while one listens, another may ask other things.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/questions.h"

namespace rdmaready {

class HostReader {
 public:
  virtual ~HostReader() = default;

  virtual Answer Ask(const Question& question) = 0;

  // One answer for each question, in their order. Questions that listen are listened for at the same time where
  // they are of one kind.
  virtual std::vector<Answer> AskTogether(std::span<const Question> questions);

  // The same with the answer as what it is: Ask(MemlockQuestion()) is absl::StatusOr<MemlockAnswer>.
  template <QuestionKind Kind>
  absl::StatusOr<typename Kind::Answer> Ask(const Kind& question) {
    return AnswerTo<Kind>(Ask(Question(question)));
  }

  // What most collectors ask; see questions/files.h and questions/netlink.h.
  absl::StatusOr<std::string> ReadFile(std::string_view absolute_path);
  absl::StatusOr<std::vector<std::string>> FindLines(std::string_view absolute_path,
                                                     const std::vector<std::string>& words);
  absl::StatusOr<std::vector<std::string>> ListDirectory(std::string_view absolute_path);
  absl::StatusOr<std::string> ReadLink(std::string_view absolute_path);
  absl::StatusOr<std::uint32_t> FileMode(std::string_view absolute_path);
  absl::StatusOr<std::vector<NetlinkMessage>> Netlink(const NetlinkRequest& request);
  absl::StatusOr<std::vector<std::byte>> Ethtool(std::string_view netdev, std::span<const std::byte> request);
};

}  // namespace rdmaready
