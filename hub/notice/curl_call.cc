// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/curl_call.h"

#include <sys/socket.h>

#include <mutex>

namespace rdmaready::hub {
namespace {

void StartCurlOnce() {
  static std::once_flag once;
  std::call_once(once, [] { ::curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

CurlCall::CurlCall(const std::string& url, const std::string& ca, bool loopback_only, const AddressRules& rules,
                   const SendLimits& limits, const std::stop_token& stop)
    : rules_(rules), stop_(stop), loopback_only_(loopback_only) {
  StartCurlOnce();
  handle_.reset(::curl_easy_init());
  ::CURL* const curl = handle_.get();
  if (curl == nullptr) return;
  ::curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  ::curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  ::curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  ::curl_easy_setopt(curl, CURLOPT_PROXY, "");  // whatever the environment says
  ::curl_easy_setopt(curl, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  ::curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  ::curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
  ::curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
  if (!ca.empty()) {
    ::curl_easy_setopt(curl, CURLOPT_CAINFO, ca.c_str());
    ::curl_easy_setopt(curl, CURLOPT_CAPATH, nullptr);  // that one, and no other beside it
  }
  ::curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
  ::curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(limits.total.count()));
  ::curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
  ::curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
  ::curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &CurlCall::OpenSocket);
  ::curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, this);
  ::curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  ::curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &CurlCall::Progress);
  ::curl_easy_setopt(curl, CURLOPT_XFERINFODATA, this);
}

::curl_socket_t CurlCall::OpenSocket(void* self, ::curlsocktype purpose, ::curl_sockaddr* address) {
  auto& call = *static_cast<CurlCall*>(self);
  const bool allowed = purpose == CURLSOCKTYPE_IPCXN && call.rules_.Allows(address->addr) &&
                       (!call.loopback_only_ || IsLoopback(address->addr));
  if (!allowed) {
    call.refused_ = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int CurlCall::Progress(void* self, ::curl_off_t, ::curl_off_t, ::curl_off_t, ::curl_off_t) {
  return static_cast<CurlCall*>(self)->stop_.stop_requested() ? 1 : 0;
}

std::string CurlCall::Perform(::CURLcode& code) {
  if (handle_ == nullptr) {
    code = CURLE_FAILED_INIT;
    return "no memory";
  }
  code = ::curl_easy_perform(handle_.get());
  if (code == CURLE_OK) return {};
  if (refused_) return "its address is not public, and allow_private does not have it";
  return ::curl_easy_strerror(code);
}

}  // namespace rdmaready::hub
