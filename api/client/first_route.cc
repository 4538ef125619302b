// SPDX-License-Identifier: Apache-2.0
#include "api/client/first_route.h"

#include <vector>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/client/tcp_probe.h"

namespace rdmaready {

absl::Status FirstRoute(const HostAddress& address, const std::string& name, const ClientOptions& options,
                        const RouteTalk& talk) {
  RR_ASSIGN_OR_RETURN(const std::vector<ResolvedAddress> resolved, Resolve(address));
  const Clock::TimePoint deadline = RealClock().Now() + options.connect_timeout;
  absl::Status last = absl::UnavailableError(name + ": it has no address");
  std::size_t left = resolved.size();
  for (const ResolvedAddress& candidate : resolved) {
    const Clock::TimePoint now = RealClock().Now();
    const auto share = now + (deadline - now) / static_cast<int>(left--);
    const Route route{
        .target = candidate.target,
        .tls = address.unix_path.empty() ? options.tls.get() : nullptr,
        .certificate_name = options.tls_name.empty() ? CertificateName(address, candidate) : options.tls_name,
        .tls_places = options.tls_places};
    if (!candidate.loopback && !options.insecure && route.tls == nullptr) {
      last = absl::FailedPreconditionError(name +
                                           " is not on loopback: refusing to talk in plain text without "
                                           "--insecure (or --tls-ca, --tls-cert and --tls-key; " +
                                           kOrHeldElsewhere + ")");
      continue;
    }
    if (const absl::Status found = ProbeTcp(candidate.target, share); !found.ok()) {
      last = {found.code(), name + ": " + Message(found)};
      continue;
    }
    last = talk(route, share);
    if (last.ok()) return last;
  }
  return last;
}

}  // namespace rdmaready
