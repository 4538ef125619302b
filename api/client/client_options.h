// SPDX-License-Identifier: Apache-2.0
// ClientOptions: how a server is called.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "api/client/tls.h"

namespace rdmaready {

struct ClientOptions {
  std::chrono::milliseconds connect_timeout{5000};
  std::chrono::milliseconds call_timeout{120000};  // of one whole check or test
  bool insecure = false;                           // plain text to other than loopback
  std::shared_ptr<const TlsMaterial> tls{};        // null: plain text; a unix socket is always plain
  std::string tls_name{};                          // what certificates must carry; empty: the host as named
  std::string tls_places{};  // put behind an error of TLS: " (--tls-ca is from context lab of FILE)"
};

}  // namespace rdmaready
