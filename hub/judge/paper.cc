// SPDX-License-Identifier: Apache-2.0
#include "hub/judge/paper.h"

namespace rdmaready::hub {

std::uint32_t WordPool::Put(std::string_view word) {
  if (word.empty()) return 0;
  if (const auto found = numbers_.find(word); found != numbers_.end()) return found->second;
  words_.emplace_back(word);
  const auto number = static_cast<std::uint32_t>(words_.size());
  numbers_.emplace(words_.back(), number);
  return number;
}

const std::string& WordPool::At(std::uint32_t number) const {
  static const std::string kEmpty;
  return number == 0 || number > words_.size() ? kEmpty : words_[number - 1];
}

}  // namespace rdmaready::hub
