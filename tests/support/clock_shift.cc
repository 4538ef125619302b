// SPDX-License-Identifier: Apache-2.0
// For LD_PRELOAD: the file $CLOCK_SHIFT says how far the clocks of a process are ahead, and may change at any
// time: eight octets, seconds, by which the wall clock alone is ahead; and eight octets, nanoseconds, which
// have passed by every clock. A wait goes by these clocks: when they are moved, it ends within kSlice.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSlice = 10 * kMillisecond;

struct Shift {
  std::int64_t wall_s = 0;
  std::int64_t passed_ns = 0;
};

const volatile Shift& Shifted() {
  static const Shift kNone{};
  static const volatile Shift* const shift = [] {
    const char* const path = std::getenv("CLOCK_SHIFT");
    const int file = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return &kNone;
    void* const place = ::mmap(nullptr, sizeof(Shift), PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    return place == MAP_FAILED ? &kNone : static_cast<const Shift*>(place);
  }();
  return *shift;
}

// The function that this module replaces.
void* Next(const char* name, std::atomic<void*>& kept) {
  void* next = kept.load(std::memory_order_relaxed);
  if (next == nullptr) kept.store(next = ::dlsym(RTLD_NEXT, name), std::memory_order_relaxed);
  return next;
}

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): the name of a function, as text too
#define NEXT(function)                          \
  (reinterpret_cast<decltype(&::function)>([] { \
    static std::atomic<void*> kept;             \
    return Next(#function, kept);               \
  }()))

// Added to the time of the kernel; the times of a thread or a process are not moved.
std::int64_t AheadNs(::clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
      return Shifted().wall_s * kSecond + Shifted().passed_ns;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      return Shifted().passed_ns;
    default:
      return 0;
  }
}

std::int64_t NsOf(const ::timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

::timespec TimeOf(std::int64_t ns) { return {.tv_sec = ns / kSecond, .tv_nsec = ns % kSecond}; }

std::int64_t NowNs(::clockid_t clock) {
  ::timespec now{};
  NEXT(clock_gettime)(clock, &now);
  return NsOf(now) + AheadNs(clock);
}

// The time left until `end`, at most one slice.
std::int64_t SliceNs(::clockid_t clock, std::int64_t end) {
  return std::clamp<std::int64_t>(end - NowNs(clock), 0, kSlice);
}

// The end of a slice as the kernel counts.
::timespec SliceEnd(::clockid_t clock, std::int64_t end) {
  return TimeOf(NowNs(clock) - AheadNs(clock) + SliceNs(clock, end));
}

int SliceMs(std::int64_t end) {
  return static_cast<int>((SliceNs(CLOCK_MONOTONIC, end) + kMillisecond - 1) / kMillisecond);
}

// Until `wait` returns something else than 0, which is that nothing came, or it is `end`.
template <typename Wait>
int BySlices(std::int64_t end, const Wait& wait) {
  while (true) {
    const bool last = NowNs(CLOCK_MONOTONIC) >= end;
    if (const int result = wait(SliceMs(end)); result != 0 || last) return result;
  }
}

int Sleep(::clockid_t clock, std::int64_t end, ::timespec* left) {
  while (NowNs(clock) < end) {
    const ::timespec slice = TimeOf(SliceNs(clock, end));
    if (NEXT(nanosleep)(&slice, nullptr) != 0) {
      if (left != nullptr) *left = TimeOf(std::max<std::int64_t>(end - NowNs(clock), 0));
      return errno;
    }
  }
  return 0;
}

}  // namespace

extern "C" {

int clock_gettime(::clockid_t clock, ::timespec* time) noexcept {
  const int result = NEXT(clock_gettime)(clock, time);
  if (result == 0 && AheadNs(clock) != 0) *time = TimeOf(NsOf(*time) + AheadNs(clock));
  return result;
}

int gettimeofday(::timeval* time, void*) noexcept {
  const ::timespec now = TimeOf(NowNs(CLOCK_REALTIME));
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1'000;
  return 0;
}

::time_t time(::time_t* place) noexcept {
  const ::time_t now = NowNs(CLOCK_REALTIME) / kSecond;
  if (place != nullptr) *place = now;
  return now;
}

// A wait may end early at any time: its caller looks again, and waits on.
int pthread_cond_clockwait(::pthread_cond_t* cond, ::pthread_mutex_t* mutex, ::clockid_t clock,
                           const ::timespec* end) {
  const ::timespec slice = SliceEnd(clock, NsOf(*end));
  const int result = NEXT(pthread_cond_clockwait)(cond, mutex, clock, &slice);
  return result == ETIMEDOUT && NowNs(clock) < NsOf(*end) ? 0 : result;
}

// The wall clock: no program here sets another one by an attribute.
int pthread_cond_timedwait(::pthread_cond_t* cond, ::pthread_mutex_t* mutex, const ::timespec* end) {
  return pthread_cond_clockwait(cond, mutex, CLOCK_REALTIME, end);
}

int poll(::pollfd* looks, ::nfds_t count, int timeout_ms) {
  if (timeout_ms <= 0) return NEXT(poll)(looks, count, timeout_ms);
  return BySlices(NowNs(CLOCK_MONOTONIC) + timeout_ms * kMillisecond,
                  [&](int slice_ms) { return NEXT(poll)(looks, count, slice_ms); });
}

int ppoll(::pollfd* looks, ::nfds_t count, const ::timespec* timeout, const ::sigset_t* signals) {
  if (timeout == nullptr) return NEXT(ppoll)(looks, count, timeout, signals);
  return BySlices(NowNs(CLOCK_MONOTONIC) + NsOf(*timeout), [&](int slice_ms) {
    const ::timespec slice = TimeOf(slice_ms * kMillisecond);
    return NEXT(ppoll)(looks, count, &slice, signals);
  });
}

int epoll_wait(int epoll, ::epoll_event* events, int most, int timeout_ms) {
  if (timeout_ms <= 0) return NEXT(epoll_wait)(epoll, events, most, timeout_ms);
  return BySlices(NowNs(CLOCK_MONOTONIC) + timeout_ms * kMillisecond,
                  [&](int slice_ms) { return NEXT(epoll_wait)(epoll, events, most, slice_ms); });
}

int nanosleep(const ::timespec* time, ::timespec* left) {
  errno = Sleep(CLOCK_MONOTONIC, NowNs(CLOCK_MONOTONIC) + NsOf(*time), left);
  return errno == 0 ? 0 : -1;
}

int clock_nanosleep(::clockid_t clock, int flags, const ::timespec* time, ::timespec* left) {
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  return Sleep(clock, absolute ? NsOf(*time) : NowNs(clock) + NsOf(*time), absolute ? nullptr : left);
}

// The mutexes of Abseil wait by the kernel's own call.
long syscall(long number, ...) noexcept {
  long words[6];
  std::va_list list;
  va_start(list, number);
  for (long& word : words) word = va_arg(list, long);
  va_end(list);
  const auto call = [&](const void* timeout) {
    return NEXT(syscall)(number, words[0], words[1], words[2], timeout, words[4], words[5]);
  };
  const auto* const timeout = reinterpret_cast<const ::timespec*>(words[3]);
  const long what = words[1] & FUTEX_CMD_MASK;
  if (number != SYS_futex || timeout == nullptr || (what != FUTEX_WAIT && what != FUTEX_WAIT_BITSET))
    return call(timeout);
  const ::clockid_t clock = (words[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  const bool absolute = what == FUTEX_WAIT_BITSET;
  const std::int64_t end = absolute ? NsOf(*timeout) : NowNs(clock) + NsOf(*timeout);
  while (true) {
    const ::timespec slice = absolute ? SliceEnd(clock, end) : TimeOf(SliceNs(clock, end));
    const long result = call(&slice);
    if (result == 0 || errno != ETIMEDOUT || NowNs(clock) >= end) return result;
  }
}

}  // extern "C"
