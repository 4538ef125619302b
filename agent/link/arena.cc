// SPDX-License-Identifier: Apache-2.0
#include "agent/link/arena.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "agent/link/failure.h"
#include "api/base/text.h"

namespace rdmaready {

absl::StatusOr<Arena> Arena::Make(std::size_t size_bytes) {
  void* memory = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return ErrnoFailure(FailureKind::kSetup, errno, "allocate " + BytesText(size_bytes));
  return Arena({static_cast<std::byte*>(memory), size_bytes});
}

Arena::Arena(Arena&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

Arena::~Arena() {
  if (bytes_.empty()) return;
  ::explicit_bzero(bytes_.data(), bytes_.size());
  ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace rdmaready
