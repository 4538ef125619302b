// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <thread>
#include <utility>

#include "agent/helper/peer.h"
#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

constexpr auto kBetweenRefusals = std::chrono::seconds(1);  // in the log
constexpr auto kForever = std::chrono::milliseconds(-1);

}  // namespace

void AnswerConnection(int socket, std::span<const Verb> verbs, const ServeOptions& options,
                      const std::stop_token& stop) {
  const absl::StatusOr<std::string> body = ReceiveFrame(
      socket, kMostQuestionBytes, TimedWait({.longest = options.hear_within, .stop = stop}, *options.clock));
  if (!body.ok() && !absl::IsInvalidArgument(body.status())) return;  // nobody is there to be told
  const absl::StatusOr<Peer> peer = PeerOf(socket);
  const bool from_root = peer.ok() && peer->uid == 0;
  absl::StatusOr<Work> work =
      body.ok() ? DecodeQuestion(*body, verbs, from_root) : absl::StatusOr<Work>(body.status());
  if (!work.ok()) options.log("refused a question: " + Message(work.status()));
  int told = 0;
  const auto progress = [&](std::string_view what) {
    if (stop.stop_requested() || ++told > options.progress.most) return;
    static_cast<void>(SendFrame(socket, ProgressBody(what, options.progress.most_bytes),
                                TimedWait({.longest = options.say_within, .stop = stop}, *options.clock)));
  };
  const absl::StatusOr<Json> answer = work.ok() ? (*work)(stop, progress) : absl::StatusOr<Json>(work.status());
  // Who stopped the work by leaving is not there; who listens for the end of it is.
  static_cast<void>(SendFrame(socket, AnswerBody(answer),
                              TimedWait({.longest = options.say_within, .stop = {}}, *options.clock)));
}

struct HelperServer::Session {
  UniqueFd socket;
  ::uid_t uid = 0;
  std::stop_source stop{};
  std::atomic<bool> ended = false;
  std::thread thread{};
};

HelperServer::HelperServer(UniqueFd listener, std::vector<Verb> verbs, ServeOptions options)
    : listener_(std::move(listener)),
      verbs_(std::move(verbs)),
      options_(std::move(options)),
      done_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      last_work_(options_.clock->Now()) {}

HelperServer::~HelperServer() {
  for (const std::unique_ptr<Session>& session : sessions_) {
    session->stop.request_stop();
    session->thread.join();
  }
}

ServeEnd HelperServer::Run(int told) {
  while (true) {
    if (!Wait(told)) return End();
    Reap();
    if (options_.idle.count() == 0 || !sessions_.empty() || IdleLeft().count() > 0) continue;
    if (!options_.busy || !options_.busy()) return ServeEnd::kIdle;
    last_work_ = options_.clock->Now();
  }
}

std::chrono::milliseconds HelperServer::IdleLeft() const {
  const auto left = last_work_ + options_.idle - options_.clock->Now();
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds(0));
}

// Whether serving goes on.
bool HelperServer::Wait(int told) {
  std::vector<::pollfd> polled{{told, POLLIN, 0}, {done_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
  std::vector<Session*> watched;
  for (const std::unique_ptr<Session>& session : sessions_) {
    // Who left once is left: a level that stays would wake us for ever.
    if (session->stop.stop_requested()) continue;
    polled.push_back({session->socket.get(), POLLRDHUP, 0});
    watched.push_back(session.get());
  }
  const auto wait = options_.idle.count() > 0 && sessions_.empty() ? IdleLeft() : kForever;
  if (::poll(polled.data(), polled.size(), static_cast<int>(wait.count())) < 0) return errno == EINTR;
  if (polled[0].revents != 0) return false;
  if ((polled[2].revents & (POLLERR | POLLNVAL)) != 0) return false;
  for (std::size_t i = 0; i < watched.size(); ++i) {
    if (polled[i + 3].revents != 0) watched[i]->stop.request_stop();
  }
  if ((polled[2].revents & POLLIN) != 0) Accept();
  return true;
}

void HelperServer::Accept() {
  UniqueFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return;
  const absl::StatusOr<Peer> peer = PeerOf(socket.get());
  if (!peer.ok()) return Refuse(socket.get(), peer.status());
  if (peer->uid != options_.asker && !(options_.answers_root && peer->uid == 0)) {
    return Refuse(socket.get(), absl::PermissionDeniedError(fmt::format(
                                    "user {} is not answered, only user {} is", peer->uid, options_.asker)));
  }
  const auto at_work = static_cast<std::size_t>(
      std::ranges::count_if(sessions_, [&](const auto& session) { return session->uid == peer->uid; }));
  if (at_work >= options_.most_at_once) {
    return Refuse(socket.get(),
                  absl::UnavailableError(fmt::format("busy: {} questions are at work already", at_work)));
  }
  Begin(std::move(socket), peer->uid);
}

void HelperServer::Begin(UniqueFd socket, ::uid_t uid) {
  Session& session = *sessions_.emplace_back(std::make_unique<Session>(std::move(socket)));
  session.uid = uid;
  session.thread = std::thread([this, &session] {
    AnswerConnection(session.socket.get(), verbs_, options_, session.stop.get_token());
    session.ended = true;
    const std::uint64_t one = 1;
    static_cast<void>(!::write(done_.get(), &one, sizeof(one)));
  });
}

void HelperServer::Refuse(int socket, const absl::Status& why) {
  // Into an empty buffer: nobody is waited for.
  static_cast<void>(SendFrame(socket, AnswerBody(why), TimedWait({}, *options_.clock)));
  const auto now = options_.clock->Now();
  if (now - last_refusal_told_ < kBetweenRefusals) return;
  last_refusal_told_ = now;
  options_.log("refused: " + Message(why));
}

void HelperServer::Reap() {
  std::uint64_t count = 0;
  static_cast<void>(!::read(done_.get(), &count, sizeof(count)));
  const std::size_t before = sessions_.size();
  std::erase_if(sessions_, [](const std::unique_ptr<Session>& session) {
    if (!session->ended) return false;
    session->thread.join();
    return true;
  });
  if (sessions_.size() != before) last_work_ = options_.clock->Now();
}

ServeEnd HelperServer::End() {
  listener_ = UniqueFd();
  for (const std::unique_ptr<Session>& session : sessions_) session->stop.request_stop();
  const auto until = options_.clock->Now() + options_.end_within;
  while (!sessions_.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - options_.clock->Now());
    if (left.count() <= 0) return ServeEnd::kStuck;
    ::pollfd done{done_.get(), POLLIN, 0};
    static_cast<void>(::poll(&done, 1, static_cast<int>(left.count())));
    Reap();
  }
  return ServeEnd::kTold;
}

}  // namespace rdmaready::helper
