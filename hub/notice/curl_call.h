// SPDX-License-Identifier: Apache-2.0
// CurlCall: a libcurl handle that connects to nothing that the rules do not allow, follows nothing, and knows
// no proxy. The address is judged when the socket is made, after every lookup of a name.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <stop_token>
#include <string>

#include "api/base/handle.h"
#include "hub/notice/address_rules.h"
#include "hub/notice/sender.h"

namespace rdmaready::hub {

class CurlCall {
 public:
  // What is named outlives it. `ca`: a file; empty: the system's. `loopback_only`: whatever the rules say.
  CurlCall(const std::string& url, const std::string& ca, bool loopback_only, const AddressRules& rules,
           const SendLimits& limits, const std::stop_token& stop);

  ::CURL* get() const { return handle_.get(); }
  // In words without the URL.
  std::string Perform(::CURLcode& code);

 private:
  static ::curl_socket_t OpenSocket(void* self, ::curlsocktype purpose, ::curl_sockaddr* address);
  static int Progress(void* self, ::curl_off_t, ::curl_off_t, ::curl_off_t, ::curl_off_t);

  const AddressRules& rules_;
  const std::stop_token stop_;
  const bool loopback_only_;
  bool refused_ = false;
  Handle<::CURL, ::curl_easy_cleanup> handle_;
};

}  // namespace rdmaready::hub
