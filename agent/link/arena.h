// SPDX-License-Identifier: Apache-2.0
// Arena: page-aligned memory for one live test. Zero when handed out and zero again before it goes back, so
// that a test neither shows the process's old memory to the network nor leaves what the network wrote.
#pragma once

#include <cstddef>
#include <span>

#include "absl/status/statusor.h"

namespace rdmaready {

class Arena {
 public:
  // `size_bytes` is above 0. Fails with kSetup when the system has no memory.
  static absl::StatusOr<Arena> Make(std::size_t size_bytes);

  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) = delete;
  ~Arena();

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  explicit Arena(std::span<std::byte> bytes) : bytes_(bytes) {}

  std::span<std::byte> bytes_;
};

}  // namespace rdmaready
