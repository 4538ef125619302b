// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/webhook_sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "hub/notice/curl_call.h"
#include "hub/notice/notice_text.h"
#include "hub/notice/retry_after.h"
#include "hub/notice/signature.h"

namespace rdmaready::hub {
namespace {

constexpr std::int64_t kNsOfSecond = 1'000'000'000;

struct AnswerHead {
  std::size_t bytes = 0;
  std::size_t most = 0;
  std::chrono::seconds not_before{0};
};

// Nobody reads the body: it is counted, and the connection cut when it is too long.
std::size_t TakeBody(char*, std::size_t size, std::size_t count, void* head_of) {
  auto& head = *static_cast<AnswerHead*>(head_of);
  head.bytes += size * count;
  return head.bytes > head.most ? 0 : size * count;
}

std::size_t TakeHeader(char* data, std::size_t size, std::size_t count, void* head_of) {
  auto& head = *static_cast<AnswerHead*>(head_of);
  const std::string_view line(data, size * count);
  head.bytes += line.size();
  if (head.bytes > head.most) return 0;
  head.not_before = std::max(head.not_before, RetryAfterOf(line));
  return line.size();
}

using HeaderList = Handle<::curl_slist, ::curl_slist_free_all>;

HeaderList HeadersOf(const WebhookTarget& target, const std::string& body, std::int64_t unix_ns) {
  const std::int64_t now = unix_ns / kNsOfSecond;
  ::curl_slist* list = ::curl_slist_append(nullptr, "Content-Type: application/json");
  list = ::curl_slist_append(list, "User-Agent: rdmaready-hub");
  list = ::curl_slist_append(list, "Expect:");
  if (!target.secret.empty()) {
    list = ::curl_slist_append(list, fmt::format("{}: {}", kTimestampHeader, now).c_str());
    list = ::curl_slist_append(
        list, fmt::format("{}: {}", kSignatureHeader, SignatureOf(target.secret, now, body)).c_str());
  }
  return HeaderList(list);
}

SendResult ResultOf(long status, std::chrono::seconds not_before) {
  SendResult result{.words = fmt::format("HTTP {}", status)};
  if (status >= 200 && status < 300) {
    result.kind = SendResult::Kind::kTaken;
  } else if (status == 400 || status == 413 || status == 415 || status == 422) {
    result.kind = SendResult::Kind::kRefused;
  } else {
    result.not_before = not_before;
    if (status >= 300 && status < 400) result.words += ", a redirect, which is not followed";
  }
  return result;
}

}  // namespace

SendResult WebhookSender::Send(const v1::Notice& notice, const std::stop_token& stop) {
  const std::string body = NoticeJson(notice);
  CurlCall call(target_.url, target_.ca, target_.plain, rules_, limits_, stop);
  AnswerHead head{.most = limits_.answer_bytes};
  const HeaderList headers = HeadersOf(target_, body, UnixNs(clock_));
  ::CURL* const curl = call.get();
  if (curl != nullptr) {
    ::curl_easy_setopt(curl, CURLOPT_POST, 1L);
    ::curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
    ::curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    ::curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
    ::curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &TakeBody);
    ::curl_easy_setopt(curl, CURLOPT_WRITEDATA, &head);
    ::curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &TakeHeader);
    ::curl_easy_setopt(curl, CURLOPT_HEADERDATA, &head);
  }
  ::CURLcode code = CURLE_OK;
  const std::string words = call.Perform(code);
  long status = 0;
  if (curl != nullptr) ::curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  // What the status line says holds, also where the rest of the answer was too long to be heard.
  const bool answered = code == CURLE_OK || (code == CURLE_WRITE_ERROR && status != 0);
  if (!answered) return {.words = words};
  return ResultOf(status, head.not_before);
}

}  // namespace rdmaready::hub
