// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/handshake_queue.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace rdmaready {
namespace {

constexpr auto kTick = std::chrono::milliseconds(250);  // how late a limit of time may be kept
constexpr unsigned char kTlsHandshake = 22;             // RFC 8446, 5.1: ContentType of a record

bool HasLeft(const UniqueFd& fd) {
  ::pollfd asked{.fd = fd.get(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&asked, 1, 0) > 0;
}

void Watch(const UniqueFd& epoll, int fd, std::uint32_t what) {
  ::epoll_event event{.events = what, .data = {.fd = fd}};
  static_cast<void>(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event));
}

}  // namespace

HandshakeEnds::HandshakeEnds(std::size_t places)
    : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), ended_(places) {}

void HandshakeEnds::Tell(std::size_t place) {
  ended_[place] = true;
  const std::uint64_t one = 1;
  static_cast<void>(::write(fd_.get(), &one, sizeof(one)));
}

void HandshakeEnds::Drain() {
  std::uint64_t drained = 0;
  static_cast<void>(::read(fd_.get(), &drained, sizeof(drained)));
}

HandshakeQueue::HandshakeQueue(HandshakeLimits limits, std::shared_ptr<HandshakeEnds> ends,
                               std::vector<Take> take, EventSink events, Clock& clock)
    : limits_(limits),
      ends_(std::move(ends)),
      events_(std::move(events)),
      clock_(clock),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      bell_(clock),
      turned_away_(clock) {
  for (Take& one : take) places_.push_back({.take = std::move(one)});
  if (epoll_ && bell_ && ends_->Works())
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
    silent_.insert_or_assign(fd, Waiting{.fd = std::move(accepted), .since = clock_.Now()});
    Watch(epoll_, fd, EPOLLIN | EPOLLRDHUP | EPOLLONESHOT);
  }
  if (first) bell_.Ring();  // there is a limit of time to be kept again
}

void HandshakeQueue::Run(const std::stop_token& stop) {
  Watch(epoll_, bell_.fd(), EPOLLIN);
  Watch(epoll_, ends_->fd(), EPOLLIN);
  std::vector<int> speaking;
  while (!stop.stop_requested()) {
    Wait(speaking);
    const Clock::TimePoint now = clock_.Now();
    Sort(speaking, now);
    FreePlaces(now);
    EndTheLate(now);
    LetIn(now);
  }
}

void HandshakeQueue::Wait(std::vector<int>& speaking) {
  speaking.clear();
  bool somebody = std::ranges::any_of(places_, [](const Place& place) { return bool{place.watched}; });
  if (!somebody) {
    const std::scoped_lock lock(mutex_);
    somebody = !silent_.empty();
  }
  std::array<::epoll_event, 256> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                 somebody ? static_cast<int>(kTick.count()) : -1);
  for (int i = 0; i < count; ++i) {
    const int fd = events[static_cast<std::size_t>(i)].data.fd;
    if (fd == bell_.fd()) {
      bell_.Heard();
    } else if (fd == ends_->fd()) {
      ends_->Drain();
    } else {
      speaking.push_back(fd);
    }
  }
}

// Of IPv6 the network: one host may have all addresses of it.
HandshakeQueue::Source HandshakeQueue::SourceOf(int fd) {
  constexpr std::size_t kNetworkBytes = 8;
  Source source{};
  ::sockaddr_storage peer{};
  ::socklen_t size = sizeof(peer);
  if (::getpeername(fd, reinterpret_cast<::sockaddr*>(&peer), &size) != 0) return source;
  if (peer.ss_family == AF_INET) {
    std::memcpy(source.data(), &reinterpret_cast<const ::sockaddr_in&>(peer).sin_addr, sizeof(::in_addr));
  } else if (peer.ss_family == AF_INET6) {
    const ::in6_addr& address = reinterpret_cast<const ::sockaddr_in6&>(peer).sin6_addr;
    std::memcpy(source.data(), &address, IN6_IS_ADDR_V4MAPPED(&address) ? source.size() : kNetworkBytes);
  }
  return source;
}

void HandshakeQueue::Sort(const std::vector<int>& speaking, Clock::TimePoint now) {
  for (const int fd : speaking) {
    Waiting caller{.since = now};
    {
      const std::scoped_lock lock(mutex_);
      const auto found = silent_.find(fd);
      if (found == silent_.end()) continue;  // closed as late by then, or one who has a place has left
      caller.fd = std::move(found->second.fd);
      silent_.erase(found);
    }
    static_cast<void>(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr));
    unsigned char first_byte = 0;
    if (::recv(fd, &first_byte, 1, MSG_PEEK | MSG_DONTWAIT) != 1) continue;  // it left
    if (first_byte != kTlsHandshake) {
      places_.front().take(std::move(caller.fd));
      continue;
    }
    const Source source = SourceOf(fd);
    std::deque<Waiting>& queue = ready_[source];
    if (queue.empty()) turns_.push_back(source);
    queue.push_back(std::move(caller));
  }
}

// What ended badly is gRPC's to close, and seen here as it is closed.
void HandshakeQueue::FreePlaces(Clock::TimePoint now) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (!place.watched) continue;
    const bool ended = ends_->Take(i) || HasLeft(place.watched);
    if (!ended && now - place.since < limits_.longest_handshake) continue;
    if (!ended) static_cast<void>(::shutdown(place.watched.get(), SHUT_RDWR));
    // Closing it would not do: the connection is open by gRPC's descriptor.
    static_cast<void>(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, place.watched.get(), nullptr));
    place.watched = {};
  }
}

void HandshakeQueue::EndTheLate(Clock::TimePoint now) {
  if (now - looked_at_ < kTick) return;
  looked_at_ = now;
  const auto late = [this, now](const Waiting& one) { return now - one.since >= limits_.longest_wait; };
  for (auto& [source, queue] : ready_) {
    for (; !queue.empty() && late(queue.front()); queue.pop_front()) TellLate();
  }
  std::erase_if(turns_, [this](const Source& source) { return ready_[source].empty(); });
  std::erase_if(ready_, [](const auto& entry) { return entry.second.empty(); });
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

// The first one in turn that has not half of the places already.
std::optional<HandshakeQueue::Source> HandshakeQueue::NextSource() {
  const std::size_t most = std::max<std::size_t>(places_.size() / 2, 1);
  const auto may = [this, most](const Source& source) {
    return static_cast<std::size_t>(std::ranges::count_if(places_, [&source](const Place& place) {
             return place.watched && place.source == source;
           })) < most;
  };
  const auto found = std::ranges::find_if(turns_, may);
  if (found == turns_.end()) return std::nullopt;
  const Source source = *found;
  turns_.erase(found);
  return source;
}

UniqueFd HandshakeQueue::NextOf(const Source& source) {
  const auto queue = ready_.find(source);
  UniqueFd caller = std::move(queue->second.front().fd);
  queue->second.pop_front();
  if (queue->second.empty()) {
    ready_.erase(queue);
  } else {
    turns_.push_back(source);
  }
  return caller;
}

void HandshakeQueue::LetIn(Clock::TimePoint now) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    while (!place.watched) {
      const std::optional<Source> source = NextSource();
      if (!source) return;
      UniqueFd caller = NextOf(*source);
      if (HasLeft(caller)) continue;
      place.watched = UniqueFd(::fcntl(caller.get(), F_DUPFD_CLOEXEC, 0));
      if (!place.watched) return;  // no descriptor is left: this caller comes again
      place.source = *source;
      place.since = now;
      Watch(epoll_, place.watched.get(), EPOLLRDHUP);
      static_cast<void>(ends_->Take(i));  // of one who was closed before his handshake came to its end
      place.take(std::move(caller));
    }
  }
}

}  // namespace rdmaready
