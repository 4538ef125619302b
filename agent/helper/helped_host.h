// SPDX-License-Identifier: Apache-2.0
// HelpedHost: a host that is asked first by this process, and where that is not permitted by a helper. Without
// the helper the answer stays "not permitted", with words that say who could.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "agent/helper/asker.h"
#include "collectors/host_reader.h"

namespace rdmaready::helper {

// Any thread may ask. A helper that does not answer costs its question only: at most kHelperWithin, or beyond
// what is listened for. What a helper answers is taken as far as it answers the question.
class HelpedHost final : public HostReader {
 public:
  using HostReader::Ask;

  static constexpr auto kHelperWithin = std::chrono::seconds(5);

  // `host` is asked first. `directory` holds the helpers' sockets.
  HelpedHost(std::shared_ptr<HostReader> host, std::string_view directory);

  Answer Ask(const Question& question) override;
  std::vector<Answer> AskTogether(std::span<const Question> questions) override;

 private:
  Answer AskReader(const Question& question, Answer own) const;
  std::vector<Answer> HearLldp(std::span<const Question> questions, std::vector<Answer> own) const;
  Answer HearDcbWrites(const DcbNoticesQuestion& question);

  std::shared_ptr<HostReader> host_;
  HelperAsker reader_;
  HelperAsker listener_;
};

}  // namespace rdmaready::helper
