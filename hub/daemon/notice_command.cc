// SPDX-License-Identifier: Apache-2.0
#include "hub/daemon/notice_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/clock.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "hub/notice/notice_file.h"
#include "hub/notice/notice_text.h"
#include "hub/notice/sender.h"

namespace rdmaready::hub {
namespace {

constexpr int kExitUsageOfTest = 2;
constexpr int kExitOwnOfTest = 3;
constexpr int kExitNotTaken = 4;

int FailTest(const std::string& why) {
  std::fprintf(stderr, "rdmaready-hub: %s\n", why.c_str());
  return kExitUsageOfTest;
}

v1::Notice TestNotice(const std::string& hub) {
  v1::Notice notice;
  notice.set_notice_id(MakeInstanceId());
  notice.set_incident(notice.notice_id());
  notice.set_kind(v1::NOTICE_KIND_TEST);
  notice.set_state(v1::NOTICE_STATE_OVER);
  notice.set_unix_ns(UnixNs(RealClock()));
  notice.set_hub(hub);
  notice.set_text(NoticeSentence(notice));
  return notice;
}

// All at once: one that hangs holds up none.
int TestReceivers(const NoticeOptions& options, const std::string& hub) {
  struct Answer {
    SendResult result{};
    std::chrono::milliseconds took{};
  };
  const v1::Notice notice = TestNotice(hub);
  std::vector<std::future<Answer>> answers;
  for (const NoticeReceiver& receiver : options.receivers) {
    answers.push_back(std::async(std::launch::async, [&] {
      const Clock::TimePoint begun = RealClock().Now();
      const std::unique_ptr<NoticeSender> sender = MakeSender(receiver, options, hub);
      SendResult result = sender->Send(notice, std::stop_token());
      return Answer{std::move(result),
                    std::chrono::duration_cast<std::chrono::milliseconds>(RealClock().Now() - begun)};
    }));
  }
  bool all = true;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer answer = answers[i].get();
    const bool taken = answer.result.kind == SendResult::Kind::kTaken;
    all = all && taken;
    if (std::printf("%s: %s: %s, %lld ms\n", options.receivers[i].name.c_str(), taken ? "taken" : "not taken",
                    answer.result.words.c_str(), static_cast<long long>(answer.took.count())) < 0)
      return kExitOwnOfTest;
  }
  return all ? 0 : kExitNotTaken;
}

}  // namespace

std::optional<int> RunNoticeCommand(int argc, const char* const* argv) {
  if (argc < 2 || std::string_view(argv[1]) != "notice-test") return std::nullopt;
  std::string file;
  char host[256] = {};
  if (::gethostname(host, sizeof(host) - 1) != 0) host[0] = 0;
  std::string name = host[0] == 0 ? "hub" : host;
  CLI::App app{"Sends a test to each receiver of notices, and says what came back",
               "rdmaready-hub notice-test"};
  app.add_option("--notices", file, "Whom to tell")->required()->type_name("FILE");
  app.add_option("--name", name, "How the hub calls itself (default: the host's name)")->type_name("NAME");
  try {
    app.parse(argc - 1, argv + 1);
  } catch (const CLI::CallForHelp&) {
    return std::fputs(app.help().c_str(), stdout) < 0 ? kExitOwnOfTest : 0;
  } catch (const CLI::ParseError& error) {
    return FailTest(std::string(error.what()) + " (see rdmaready-hub notice-test --help)");
  }
  const absl::StatusOr<NoticeOptions> options = LoadNotices(file);
  return options.ok() ? TestReceivers(*options, name) : FailTest(Message(options.status()));
}

}  // namespace rdmaready::hub
