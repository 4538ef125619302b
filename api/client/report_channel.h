// SPDX-License-Identifier: Apache-2.0
// The way from an agent to its hub: one connection that lasts, and is made again by whoever opens the next
// stream.
#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "api/client/tls.h"

namespace rdmaready {

// Whether the hub can be called so: kInvalidArgument (the address, the TLS files), kFailedPrecondition (plain
// text off loopback, which is not allowed). Blocks on the resolver and on files.
absl::Status CheckReportRoute(const std::string& hub, const TlsFiles& tls, bool insecure);

// Of an address that CheckReportRoute took. Certificates are read again when they change. Channels with
// different `number` share no connection.
std::shared_ptr<grpc::Channel> ReportChannel(const std::string& hub, const TlsFiles& tls, int number = 0);

}  // namespace rdmaready
