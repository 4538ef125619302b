// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/notice_text.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "api/model/describe.h"

namespace rdmaready::hub {
namespace {

constexpr int kMostInSentence = 5;

std::string Subjects(const v1::Notice& notice) {
  const std::string of = notice.group().empty() ? "" : " of " + notice.group();
  if (notice.hosts() == 1 && notice.named_size() == 1) return notice.named(0).name() + of;
  return fmt::format("{} hosts{}", notice.hosts(), of);
}

std::string Predicate(const v1::Notice& notice) {
  const bool one = notice.hosts() == 1;
  const char* const is = one ? "is" : "are";
  const bool over = notice.state() == v1::NOTICE_STATE_OVER || notice.state() == v1::NOTICE_STATE_EASED;
  const char* const still = notice.state() == v1::NOTICE_STATE_AGAIN ? " still" : "";
  switch (notice.kind()) {
    case v1::NOTICE_KIND_SILENT:
      return over ? fmt::format("{} heard again", is) : fmt::format("{}{} silent", is, still);
    case v1::NOTICE_KIND_FINDING:
      return fmt::format("{} one more thing in the way", one ? "has" : "have");
    case v1::NOTICE_KIND_ODD:
      return fmt::format("{}{} the odd one{}{}", is, still, one ? "" : "s", over ? " no more" : "");
    case v1::NOTICE_KIND_UNDETERMINED:
      return over ? fmt::format("{} ready again", is)
                  : fmt::format("{}{} perhaps not ready, which cannot be told", is, still);
    default:
      return over ? fmt::format("{} ready again", is) : fmt::format("{}{} not ready", is, still);
  }
}

std::string Names(const v1::Notice& notice) {
  std::string names;
  for (int i = 0; i < notice.named_size() && i < kMostInSentence; ++i)
    names += (i == 0 ? "" : ", ") + notice.named(i).name();
  return notice.hosts() > kMostInSentence ? names + ", ..." : names;
}

std::string Reasons(const v1::Notice& notice) {
  if (notice.hosts() == 1 && notice.named_size() == 1) {
    const v1::NoticeHost& host = notice.named(0);
    if (host.check().empty() && notice.checks_size() == 1) return notice.checks(0).check();
    if (host.check().empty()) return host.observed();
    return fmt::format("{} on {}: {}", host.check(), host.subject(), host.observed());
  }
  std::string reasons;
  for (int i = 0; i < notice.checks_size() && i < kMostInSentence; ++i)
    reasons += fmt::format("{}{} ({})", i == 0 ? "" : ", ", notice.checks(i).check(), notice.checks(i).hosts());
  const std::string names = Names(notice);
  return reasons.empty() ? names : fmt::format("{}; {}", reasons, names);
}

using describe::kCalled;

struct NoticeView {
  static std::string_view Word(v1::NoticeKind kind) { return NoticeKindWord(kind); }
  static std::string_view Word(v1::NoticeState state) { return NoticeStateWord(state); }

  static void Fields(const v1::NoticeHost&, auto& list) {
    list.Derived("host_id", kCalled<&v1::NoticeHost::host_id>);
    list.Derived("name", kCalled<&v1::NoticeHost::name>);
    list.Derived("check", kCalled<&v1::NoticeHost::check>);
    list.Derived("subject", kCalled<&v1::NoticeHost::subject>);
    list.Derived("observed", kCalled<&v1::NoticeHost::observed>);
    list.Derived("since_unix_ns", kCalled<&v1::NoticeHost::since_unix_ns>);
  }
  static void Fields(const v1::NoticeCheck&, auto& list) {
    list.Derived("check", kCalled<&v1::NoticeCheck::check>);
    list.Derived("hosts", kCalled<&v1::NoticeCheck::hosts>);
  }
  static void Fields(const v1::Notice&, auto& list) {
    list.Derived("notice_id", kCalled<&v1::Notice::notice_id>);
    list.Derived("incident", kCalled<&v1::Notice::incident>);
    list.Derived("kind", kCalled<&v1::Notice::kind>);
    list.Derived("state", kCalled<&v1::Notice::state>);
    list.Derived("unix_ns", kCalled<&v1::Notice::unix_ns>);
    list.Derived("hub", kCalled<&v1::Notice::hub>);
    list.Derived("group", kCalled<&v1::Notice::group>);
    list.Derived("hosts", kCalled<&v1::Notice::hosts>);
    list.Derived("left", kCalled<&v1::Notice::left>);
    list.Derived("named", [](const v1::Notice& one) {
      return std::vector<v1::NoticeHost>(one.named().begin(), one.named().end());
    });
    list.Derived("checks", [](const v1::Notice& one) {
      return std::vector<v1::NoticeCheck>(one.checks().begin(), one.checks().end());
    });
    list.Derived("text", kCalled<&v1::Notice::text>);
    list.Derived("incidents", [](const v1::Notice& one) {
      return std::vector<std::string>(one.incidents().begin(), one.incidents().end());
    });
  }
};

constexpr convert::DocumentOf<v1::Notice> kNoticeDocument{
    {"rdmaready.v1.Notice", &describe::Described<v1::Notice, NoticeView>::kType}};

}  // namespace

std::string_view NoticeKindWord(v1::NoticeKind kind) {
  switch (kind) {
    case v1::NOTICE_KIND_NOT_READY:
      return "not-ready";
    case v1::NOTICE_KIND_UNDETERMINED:
      return "undetermined";
    case v1::NOTICE_KIND_SILENT:
      return "silent";
    case v1::NOTICE_KIND_FINDING:
      return "finding";
    case v1::NOTICE_KIND_TEST:
      return "test";
    case v1::NOTICE_KIND_ODD:
      return "odd";
    default:
      return "unknown";
  }
}

std::string_view NoticeStateWord(v1::NoticeState state) {
  switch (state) {
    case v1::NOTICE_STATE_OPEN:
      return "open";
    case v1::NOTICE_STATE_AGAIN:
      return "again";
    case v1::NOTICE_STATE_EASED:
      return "eased";
    case v1::NOTICE_STATE_OVER:
      return "over";
    default:
      return "unknown";
  }
}

std::string NoticeSentence(const v1::Notice& notice) {
  if (notice.kind() == v1::NOTICE_KIND_TEST)
    return fmt::format("A test of {}: notices arrive here", notice.hub());
  std::string sentence = Subjects(notice) + " " + Predicate(notice);
  if (const std::string reasons = Reasons(notice); !reasons.empty()) sentence += ": " + reasons;
  if (notice.left() > 0 && notice.state() == v1::NOTICE_STATE_EASED)
    sentence += fmt::format("; {} {} not", notice.left(), notice.left() == 1 ? "is" : "are");
  return sentence;
}

std::string RevokedSentence(const v1::Notice& notice) {
  std::string sentence = Subjects(notice) + (notice.hosts() == 1 ? " was revoked" : " were revoked");
  if (notice.hosts() > 1) sentence += ": " + Names(notice);
  if (notice.left() > 0)
    sentence += fmt::format("; {} {} left", notice.left(), notice.left() == 1 ? "is" : "are");
  return sentence;
}

std::string NoticeJson(v1::Notice notice) {
  while (true) {
    std::string json = kNoticeDocument.Line(notice);
    if (json.size() <= kMostNoticeBytes) return json;
    if (notice.named_size() > 0) {
      notice.mutable_named()->RemoveLast();
    } else if (notice.checks_size() > 0) {
      notice.mutable_checks()->RemoveLast();
    } else {
      notice.clear_text();
      notice.clear_group();
      return kNoticeDocument.Line(notice);
    }
  }
}

const convert::Document& NoticeDocument() { return kNoticeDocument; }

}  // namespace rdmaready::hub
