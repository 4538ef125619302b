// SPDX-License-Identifier: Apache-2.0
// The way from an agent to its hub: one connection that lasts, and is made again by whoever opens the next
// stream.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "api/client/tls.h"

namespace grpc {
class Channel;
}

namespace rdmaready {

// Whether the hub can be called so: kInvalidArgument (the address, the TLS files), kFailedPrecondition (plain
// text off loopback, which is not allowed). Blocks on the resolver and on files.
absl::Status CheckReportRoute(const std::string& hub, const TlsFiles& tls, bool insecure);

// How a connection is found dead that nobody closed: it is pinged so often, whether or not anything else
// travels, and what is not answered, or not taken by the other side's kernel, within that ends it.
struct Keepalive {
  std::chrono::milliseconds ping{120'000};
  std::chrono::milliseconds answer{30'000};
};

// Of an address that CheckReportRoute took. Certificates are read again when they change. Channels with
// different `number` share no connection.
std::shared_ptr<grpc::Channel> ReportChannel(const std::string& hub, const TlsFiles& tls, int number = 0,
                                             const Keepalive& keepalive = {});
// The same by texts at hand, for who has too many certificates to watch a file of each.
std::shared_ptr<grpc::Channel> ReportChannelByTexts(const std::string& hub, const TlsMaterial& tls,
                                                    int number = 0, const Keepalive& keepalive = {});

}  // namespace rdmaready
