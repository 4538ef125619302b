// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_reader.h"

namespace rdmaready {

std::vector<Answer> HostReader::AskTogether(std::span<const Question> questions) {
  std::vector<Answer> answers;
  answers.reserve(questions.size());
  for (const Question& question : questions) answers.push_back(Ask(question));
  return answers;
}

absl::StatusOr<std::string> HostReader::ReadFile(std::string_view absolute_path) {
  return Ask(FileQuestion{std::string(absolute_path)});
}

absl::StatusOr<std::vector<std::string>> HostReader::FindLines(std::string_view absolute_path,
                                                               const std::vector<std::string>& words) {
  return Ask(LinesQuestion{std::string(absolute_path), words});
}

absl::StatusOr<std::vector<std::string>> HostReader::ListDirectory(std::string_view absolute_path) {
  return Ask(DirectoryQuestion{std::string(absolute_path)});
}

absl::StatusOr<std::string> HostReader::ReadLink(std::string_view absolute_path) {
  return Ask(LinkQuestion{std::string(absolute_path)});
}

absl::StatusOr<std::uint32_t> HostReader::FileMode(std::string_view absolute_path) {
  return Ask(ModeQuestion{std::string(absolute_path)});
}

absl::StatusOr<std::vector<NetlinkMessage>> HostReader::Netlink(const NetlinkRequest& request) {
  return Ask(request);
}

absl::StatusOr<std::vector<std::byte>> HostReader::Ethtool(std::string_view netdev,
                                                           std::span<const std::byte> request) {
  return Ask(EthtoolQuestion{std::string(netdev), {request.begin(), request.end()}});
}

}  // namespace rdmaready
