// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/asker.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "agent/helper/peer.h"
#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

absl::Status NotRunning(const std::string& program, const absl::Status& why) {
  if (absl::IsDeadlineExceeded(why)) return absl::UnavailableError(program + " does not answer");
  if (absl::IsNotFound(why)) {
    return absl::UnavailableError(
        fmt::format("{0} is not running (systemctl enable --now {0}.socket)", program));
  }
  return absl::UnavailableError(fmt::format("{} cannot be asked: {}", program, Message(why)));
}

absl::Status Named(const std::string& program, const absl::Status& why) {
  return {why.code(), absl::IsDeadlineExceeded(why) ? program + " did not answer in time"
                                                    : fmt::format("{}: {}", program, Message(why))};
}

// The first frame that is no progress.
absl::StatusOr<std::string> ReceiveAnswer(int socket, const ProgressLimits& limits, const TimedWait& wait,
                                          const Progress& progress) {
  for (int told = 0; told <= limits.most; ++told) {
    absl::StatusOr<std::string> body = ReceiveFrame(socket, kMostAnswerBytes, wait);
    if (!body.ok()) return body;
    const std::optional<std::string> what = ReadProgressBody(*body, limits.most_bytes);
    if (!what) return body;
    progress(*what);
  }
  return absl::InternalError("it tells of its progress without an end");
}

}  // namespace

HelperAsker::HelperAsker(std::string_view directory, std::string_view name, AskerOptions options)
    : path_(fmt::format("{}/{}.sock", directory, name)),
      program_(fmt::format("rdmaready-{}", name)),
      options_(options) {}

absl::StatusOr<UniqueFd> HelperAsker::Reach(const TimedWait& wait) const {
  RR_ASSIGN_OR_RETURN(UniqueFd socket, ConnectTo(path_, wait));
  RR_ASSIGN_OR_RETURN(const Peer peer, PeerOf(socket.get()));
  if (peer.uid != 0 && peer.uid != ::geteuid()) {
    return absl::PermissionDeniedError(fmt::format("{} is of user {}, who is not believed", path_, peer.uid));
  }
  return socket;
}

absl::Status HelperAsker::IsThere() const {
  struct ::stat there {};
  if (::lstat(path_.c_str(), &there) == 0) return absl::OkStatus();
  return NotRunning(program_, ErrnoStatus(errno, "find " + path_));
}

HelperAnswer HelperAsker::Ask(std::string_view verb, const Json& arguments, const TimedWait& wait,
                              const Progress& progress) const {
  HelperAnswer result;
  const absl::StatusOr<UniqueFd> socket = Reach(wait);
  if (!socket.ok()) {
    result.reached = NotRunning(program_, socket.status());
    return result;
  }
  absl::Status sent = SendFrame(socket->get(), QuestionBody(verb, arguments), wait);
  // Who refuses answers and closes without reading the question: its answer is worth reading.
  if (absl::IsUnavailable(sent)) sent = absl::OkStatus();
  absl::StatusOr<std::string> body =
      sent.ok() ? ReceiveAnswer(socket->get(), options_.progress, wait, progress) : sent;
  if (absl::IsCancelled(body.status()) && sent.ok()) {
    // Half closed: the helper stops its work, and says what it has until then.
    ::shutdown(socket->get(), SHUT_WR);
    body = ReceiveAnswer(socket->get(), options_.progress,
                         TimedWait({.longest = options_.last_words, .stop = {}}, *options_.clock), progress);
  }
  if (!body.ok()) {
    result.answer = Named(program_, body.status());
    return result;
  }
  result.answer = ReadAnswerBody(*body);
  if (absl::IsInternal(result.answer.status())) result.answer = Named(program_, result.answer.status());
  return result;
}

}  // namespace rdmaready::helper
