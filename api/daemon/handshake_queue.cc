// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/handshake_queue.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace rdmaready {
namespace {

constexpr int kTickMs = 250;                 // how late a limit of time may be kept
constexpr unsigned char kTlsHandshake = 22;  // RFC 8446, 5.1: ContentType of a record

bool BeginsAsTls(unsigned char first_byte) { return first_byte == kTlsHandshake; }

bool HasLeft(const UniqueFd& fd) {
  ::pollfd asked{.fd = fd.get(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&asked, 1, 0) > 0;
}

void Watch(const UniqueFd& epoll, int fd, std::uint32_t what) {
  ::epoll_event event{.events = what, .data = {.fd = fd}};
  static_cast<void>(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event));
}

}  // namespace

HandshakeEnds::HandshakeEnds() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void HandshakeEnds::TellOne() {
  const std::uint64_t one = 1;
  static_cast<void>(::write(fd_.get(), &one, sizeof(one)));
}

std::uint64_t HandshakeEnds::TakeAll() {
  std::uint64_t ended = 0;
  return ::read(fd_.get(), &ended, sizeof(ended)) == sizeof(ended) ? ended : 0;
}

HandshakeQueue::HandshakeQueue(HandshakeLimits limits, std::shared_ptr<HandshakeEnds> ends,
                               std::function<void(UniqueFd)> take, EventSink events)
    : limits_(limits),
      ends_(std::move(ends)),
      take_(std::move(take)),
      events_(std::move(events)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ && bell_ && ends_->fd() >= 0)
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

HandshakeQueue::~HandshakeQueue() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  bell_.Ring();
  thread_.join();
}

void HandshakeQueue::Add(UniqueFd accepted) {
  const int fd = accepted.get();
  bool first = false;
  {
    const std::scoped_lock lock(mutex_);
    first = silent_.empty();
    silent_.insert_or_assign(fd, Waiting{.fd = std::move(accepted), .since = Clock::now()});
    Watch(epoll_, fd, EPOLLIN | EPOLLRDHUP | EPOLLONESHOT);
  }
  if (first) bell_.Ring();  // there is a limit of time to be kept again
}

void HandshakeQueue::Run(const std::stop_token& stop) {
  Watch(epoll_, bell_.fd(), EPOLLIN);
  Watch(epoll_, ends_->fd(), EPOLLIN);
  std::vector<int> speaking;
  std::vector<UniqueFd> in;
  while (!stop.stop_requested()) {
    Wait(speaking);
    const auto now = Clock::now();
    Sort(speaking, now, in);
    EndTheLate(now);
    LetIn(now, in);
    for (UniqueFd& fd : in) take_(std::move(fd));
    in.clear();
  }
}

void HandshakeQueue::Wait(std::vector<int>& speaking) {
  speaking.clear();
  bool somebody = !ready_.empty();
  if (!somebody) {
    const std::scoped_lock lock(mutex_);
    somebody = !silent_.empty();
  }
  std::array<::epoll_event, 256> events{};
  const int count =
      ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), somebody ? kTickMs : -1);
  for (int i = 0; i < count; ++i) {
    const int fd = events[static_cast<std::size_t>(i)].data.fd;
    if (fd == bell_.fd()) {
      bell_.Heard();
    } else if (fd != ends_->fd()) {
      speaking.push_back(fd);
    }
  }
}

void HandshakeQueue::Sort(const std::vector<int>& speaking, Clock::time_point now, std::vector<UniqueFd>& in) {
  const std::scoped_lock lock(mutex_);
  for (const int fd : speaking) {
    const auto found = silent_.find(fd);
    if (found == silent_.end()) continue;  // it was closed as late by then
    UniqueFd own = std::move(found->second.fd);
    silent_.erase(found);
    static_cast<void>(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr));
    unsigned char first_byte = 0;
    if (::recv(fd, &first_byte, 1, MSG_PEEK | MSG_DONTWAIT) != 1) continue;  // it left
    if (BeginsAsTls(first_byte)) {
      ready_.push_back({.fd = std::move(own), .since = now});
    } else {
      in.push_back(std::move(own));
    }
  }
}

void HandshakeQueue::EndTheLate(Clock::time_point now) {
  const auto late = [this, now](const Waiting& one) { return now - one.since >= limits_.longest_wait; };
  for (; !ready_.empty() && late(ready_.front()); ready_.pop_front()) TellLate();
  const std::scoped_lock lock(mutex_);
  std::erase_if(silent_, [&late](const auto& entry) { return late(entry.second); });
}

void HandshakeQueue::TellLate() {
  const std::optional<std::uint64_t> count = turned_away_.One();
  if (!count) return;
  Tell(events_, EventLevel::kWarning, kHandshakesLateEvent,
       {{"turned_away", fmt::format("{}", *count)},
        {"why", "more callers than handshakes could be done with in time; they come again"}});
}

void HandshakeQueue::LetIn(Clock::time_point now, std::vector<UniqueFd>& in) {
  const auto ended = static_cast<std::size_t>(ends_->TakeAll());
  under_way_.erase(under_way_.begin(),
                   under_way_.begin() + static_cast<std::ptrdiff_t>(std::min(ended, under_way_.size())));
  while (!under_way_.empty() && now - under_way_.front() >= limits_.given_up_after) under_way_.pop_front();
  for (; !ready_.empty() && under_way_.size() < limits_.at_once; ready_.pop_front()) {
    if (HasLeft(ready_.front().fd)) continue;
    under_way_.push_back(now);
    in.push_back(std::move(ready_.front().fd));
  }
}

}  // namespace rdmaready
