// SPDX-License-Identifier: Apache-2.0
// Quotas: what one caller may take, so that something is left for the others. Times are given, so that tests
// need not wait.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rdmaready::access {

// Of one identity; zero: no limit.
struct QuotaLimits {
  int calls = 16;                          // at a time
  std::chrono::seconds test_time{1800};    // of live tests in an hour
  std::uint64_t test_bytes = 16ULL << 40;  // that live tests move in an hour
};

class QuotaBook {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // A call that runs; its end gives the place back. The book outlives it.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept : book_(std::exchange(other.book_, nullptr)), who_(std::move(other.who_)) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(book_, other.book_);
      std::swap(who_, other.who_);
      return *this;
    }
    ~Place() {
      if (book_ != nullptr) book_->Leave(who_);
    }

   private:
    friend class QuotaBook;
    Place(QuotaBook* book, std::string who) : book_(book), who_(std::move(who)) {}

    QuotaBook* book_ = nullptr;
    std::string who_{};
  };

  explicit QuotaBook(const QuotaLimits& limits) : limits_(limits) {}

  // kResourceExhausted: so many calls of this identity run already.
  absl::StatusOr<Place> Enter(const std::string& who, TimePoint now);

  // kResourceExhausted when the hour's tests are used up; the text says since when and of what. A test that has
  // begun is not ended by it.
  absl::Status MayTest(const std::string& who, TimePoint now);
  void Tested(const std::string& who, std::chrono::nanoseconds time, std::uint64_t bytes, TimePoint now);

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return accounts_.size();
  }

 private:
  static constexpr std::size_t kMinutes = 60;

  struct Minute {
    std::int64_t number = -1;  // of the clock; another one: empty
    std::chrono::nanoseconds time{};
    std::uint64_t bytes = 0;
  };
  struct Account {
    int calls = 0;
    TimePoint used{};
    std::array<Minute, kMinutes> minutes{};
  };

  Account& AccountOf(const std::string& who, TimePoint now);
  void Leave(const std::string& who);

  const QuotaLimits limits_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, Account> accounts_{};
};

}  // namespace rdmaready::access
