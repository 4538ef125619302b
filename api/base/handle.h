// SPDX-License-Identifier: Apache-2.0
// Handle: ownership of a C object. Declare parents first, so that members die child first.
#pragma once

#include <unistd.h>

#include <memory>
#include <utility>

namespace rdmaready {

template <class T, auto Destroy>
struct Deleter {
  void operator()(T* object) const { static_cast<void>(Destroy(object)); }
};

template <class T, auto Destroy>
using Handle = std::unique_ptr<T, Deleter<T, Destroy>>;

// A file descriptor that closes itself; -1 is none.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~UniqueFd() { Close(); }

  int get() const { return fd_; }
  // Somebody else closes it.
  int Release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  void Close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  int fd_ = -1;
};

}  // namespace rdmaready
