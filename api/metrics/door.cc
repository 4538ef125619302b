// SPDX-License-Identifier: Apache-2.0
#include "api/metrics/door.h"

#include <utility>
#include <vector>

#include "api/base/status.h"
#include "api/client/address.h"

namespace rdmaready::metrics {
namespace {

constexpr char kContentType[] = "text/plain; version=0.0.4; charset=utf-8";
constexpr unsigned kForbidden = 403;
constexpr unsigned kTooMany = 429;

HttpAnswer Refused(const absl::Status& why) {
  return {.status = absl::IsResourceExhausted(why) ? kTooMany : kForbidden,
          .content_type = "text/plain; charset=utf-8",
          .body = Message(why) + "\n"};
}

// Not that of gRPC, which is the default everywhere else.
absl::StatusOr<HostAddress> Parse(const std::string& text, std::uint16_t default_port) {
  RR_ASSIGN_OR_RETURN(HostAddress address, ParseHostAddress(text, 0));
  if (!address.unix_path.empty())
    return absl::InvalidArgumentError("--metrics-listen " + text + ": metrics have no unix socket");
  const std::string port = ":" + std::to_string(address.port);
  if (address.port == kDefaultAgentPort && !text.ends_with(port)) address.port = default_port;
  return address;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Door>> Door::Open(DoorOptions options) {
  if (options.listen == kNowhere) return nullptr;
  const bool asked = !options.listen.empty();
  const std::string listen = asked ? options.listen : "127.0.0.1:" + std::to_string(options.default_port);
  RR_ASSIGN_OR_RETURN(const HostAddress address, Parse(listen, options.default_port));
  RR_ASSIGN_OR_RETURN(const std::vector<ResolvedAddress> resolved, Resolve(address));
  const bool tls = options.tls.Any();
  if (!resolved.front().loopback && !tls && !options.insecure) {
    return absl::FailedPreconditionError("metrics on " + listen +
                                         ": refusing plain text off loopback without --tls-cert, --tls-key and "
                                         "--tls-ca (or --insecure)");
  }
  const auto page = [admit = std::move(options.admit),
                     text = std::move(options.page)](const HttpCaller& caller) -> HttpAnswer {
    if (const absl::Status may = admit(caller); !may.ok()) return Refused(may);
    return {.content_type = kContentType, .body = text()};
  };
  absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start({.target = resolved.front().target,
                                                                          .path = "/metrics",
                                                                          .tls = options.tls,
                                                                          .limits = options.limits,
                                                                          .clock = options.clock},
                                                                         page);
  if (!server.ok()) {
    if (asked || !absl::IsUnavailable(server.status()))
      return absl::Status(server.status().code(), "metrics on " + listen + ": " + Message(server.status()));
    Tell(options.events, EventLevel::kWarning, "metrics-off",
         {{"address", listen},
          {"reason", Message(server.status()) + "; --metrics-listen gives metrics another address, or none"}});
    return nullptr;
  }
  std::unique_ptr<Door> door(new Door());
  door->tls_ = tls;
  door->server_ = *std::move(server);
  return door;
}

}  // namespace rdmaready::metrics
