// SPDX-License-Identifier: Apache-2.0
// ReceiveBuffers: which of a connection's receive buffers are posted, by number.
#pragma once

#include <cstdint>
#include <vector>

namespace rdmaready::smbdirect {

class ReceiveBuffers {
 public:
  explicit ReceiveBuffers(std::uint32_t count) : posted_(count, false) {
    free_.reserve(count);
    for (std::uint32_t i = count; i-- > 0;) free_.push_back(i);
  }

  bool any_free() const { return !free_.empty(); }

  // The number of a free buffer, posted from now on; there is one.
  std::uint32_t Post() {
    const std::uint32_t buffer = free_.back();
    free_.pop_back();
    posted_[buffer] = true;
    return buffer;
  }

  // False when it was not posted.
  bool Completed(std::uint32_t buffer) {
    if (buffer >= posted_.size() || !posted_[buffer]) return false;
    posted_[buffer] = false;
    free_.push_back(buffer);
    return true;
  }

 private:
  std::vector<bool> posted_;
  std::vector<std::uint32_t> free_;
};

}  // namespace rdmaready::smbdirect
