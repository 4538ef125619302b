// SPDX-License-Identifier: Apache-2.0
// RealHost: the host this process runs on, seen from its network and mount namespaces. What is asked how is in
// the other files of this folder, as AskThisHost() of each question.
#pragma once

#include <span>
#include <vector>

#include "collectors/host_reader.h"
#include "collectors/real/lines.h"

namespace rdmaready {

// Holds no descriptors between calls, and of what it read only what LineFinder does. Any thread may ask.
class RealHost final : public HostReader {
 public:
  using HostReader::Ask;
  Answer Ask(const Question& question) override;
  std::vector<Answer> AskTogether(std::span<const Question> questions) override;

 private:
  LineFinder lines_;
};

}  // namespace rdmaready
