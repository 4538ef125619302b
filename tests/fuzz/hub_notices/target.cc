// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: the file of receivers, ranges of addresses, a header of an answer, and what a host says of
// itself in a message of syslog.
#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "hub/notice/address_rules.h"
#include "hub/notice/notice_file.h"
#include "hub/notice/notice_text.h"
#include "hub/notice/retry_after.h"
#include "hub/notice/syslog_message.h"

namespace rdmaready {
namespace {

void Demand(bool holds) {
  if (!holds) std::abort();
}

constexpr char kFile[] = R"(gather: 5s
allow_private: [10.0.0.0/8, '::1']
receivers:
  - {name: ops, webhook: 'https://example.org:8443/x', secret: 0123456789abcdef, ca: /etc/ca.pem}
  - {name: log, syslog: 'tls:[2001:db8::1]:6514', facility: local7, sd_id: rdmaready@32473}
  - {name: local, syslog: 'unix:/dev/log'}
)";

// Receivers that are as they have to be, or the file and what is wrong, on one line.
void File(std::string_view text) {
  const auto options = hub::ParseNotices(text, "n.yaml");
  if (!options.ok()) {
    const std::string_view said(options.status().message().data(), options.status().message().size());
    return Demand(said.starts_with("n.yaml:") && said.find('\n') == std::string_view::npos);
  }
  Demand(!options->receivers.empty() && options->receivers.size() <= hub::kMostReceivers);
  Demand(options->rules.gather > 0 && options->rules.apart > 0 && options->rules.repeat >= 0);
  for (const hub::NoticeReceiver& receiver : options->receivers) {
    Demand(!receiver.name.empty());
    Demand(receiver.is_webhook || receiver.syslog.port != 0 || receiver.syslog.path.starts_with('/'));
    Demand(receiver.syslog.sd_id.empty() || hub::IsPrivateSdId(receiver.syslog.sd_id));
  }
}

void Range(std::string_view text) {
  const auto range = hub::ParseAddressRange(text);
  if (range.ok()) Demand(range->bits >= 0 && range->bits <= 128 && range->Has(range->octets));
}

void Header(std::string_view line) {
  const auto rest = hub::RetryAfterOf(line);
  Demand(rest.count() >= 0 && rest.count() <= 3600);
}

// One line, within its bounds, UTF-8, with as many fields as there are, whatever a host is called.
void Message(std::string_view words) {
  v1::Notice notice;
  notice.set_kind(v1::NOTICE_KIND_NOT_READY);
  notice.set_hosts(1);
  notice.set_group(std::string(words.substr(0, words.size() / 2)));
  v1::NoticeHost& host = *notice.add_named();
  host.set_name(std::string(words));
  host.set_check("c");
  host.set_observed(std::string(words));
  notice.set_text(hub::NoticeSentence(notice));
  const std::string line = hub::SyslogMessage(notice, {.hostname = std::string(words), .sd_id = "r@1"}, 2048);
  Demand(line.size() <= 2048 && hub::CleanText(line) == line);
  const std::size_t begin = line.find(" [r@1 ") + 1;  // no field before it has a blank
  Demand(std::ranges::count(line.substr(0, begin), ' ') == 6);
  std::size_t quotes = 0;
  bool closed = false;
  for (std::size_t at = begin; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      ++quotes;
    } else if (line[at] == ']' && quotes % 2 == 0) {
      closed = true;
      break;
    }
  }
  Demand(closed && quotes <= 20);
  Demand(hub::NoticeJson(notice).size() <= hub::kMostNoticeBytes);
}

std::vector<std::uint8_t> Seed(std::uint8_t which, std::string_view text) {
  std::vector<std::uint8_t> seed{which};
  seed.insert(seed.end(), text.begin(), text.end());
  return seed;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  return {Seed(0, kFile), Seed(1, "10.0.0.0/8"), Seed(2, "Retry-After: 120\r\n"),
          Seed(3, "a\"] \\x\n\xc3\xa9")};
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmaready;
  if (size == 0 || size > kMaxInputBytes) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      File(text);
      break;
    case 1:
      Range(text);
      break;
    case 2:
      Header(text);
      break;
    default:
      Message(text);
  }
  return 0;
}
