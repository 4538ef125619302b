// SPDX-License-Identifier: Apache-2.0
#include "cli/one_of.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/explanation.h"

namespace rdmaready {

CLI::Validator OneOf(std::vector<std::string> words) {
  const std::string known = fmt::format("{{{}}}", fmt::join(words, ","));
  return {[words = std::move(words)](const std::string& word) -> std::string {
            if (std::ranges::find(words, word) != words.end()) return {};
            const std::string nearest = Nearest(word, words);
            return fmt::format("no '{}'{}; there are {}", word,
                               nearest.empty() ? "" : " (did you mean " + nearest + "?)",
                               fmt::join(words, ", "));
          },
          known};
}

}  // namespace rdmaready
