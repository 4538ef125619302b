// SPDX-License-Identifier: Apache-2.0
// The caller's side of TLS, as gRPC takes it.
#pragma once

#include <memory>

#include "api/client/tls.h"

namespace grpc {
class ChannelCredentials;
}

namespace rdmaready {

// For channels to whoever has a certificate of `own.ca` with the name that the channel expects, and that is not
// revoked by `own.crl`. Judged at each handshake, by the texts as they were read.
std::shared_ptr<grpc::ChannelCredentials> CallerCredentials(const TlsMaterial& own);

}  // namespace rdmaready
