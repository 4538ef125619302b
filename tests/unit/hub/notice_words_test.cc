// SPDX-License-Identifier: Apache-2.0
// What notices are made of: addresses, signatures, messages of syslog, bodies, the file of receivers, and what
// waits for a receiver that is away.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "hub/notice/address_rules.h"
#include "hub/notice/courier.h"
#include "hub/notice/notice_file.h"
#include "hub/notice/notice_text.h"
#include "hub/notice/retry_after.h"
#include "hub/notice/signature.h"
#include "hub/notice/syslog_message.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tests/support/schema_file.h"
#include "tests/unit/api/convert/filled.h"

namespace rdmaready::hub {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

bool Allows(const std::vector<const char*>& listed, const char* address) {
  std::vector<AddressRange> ranges;
  for (const char* text : listed) ranges.push_back(ParseAddressRange(text).value());
  const AddressRules rules(ranges);
  ::sockaddr_in v4{};
  ::sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v6.sin6_family = AF_INET6;
  if (::inet_pton(AF_INET, address, &v4.sin_addr) == 1)
    return rules.Allows(reinterpret_cast<const ::sockaddr&>(v4));
  EXPECT_EQ(::inet_pton(AF_INET6, address, &v6.sin6_addr), 1) << address;
  return rules.Allows(reinterpret_cast<const ::sockaddr&>(v6));
}

TEST(AddressRules, OnlyPublicAddressesUnlessTheyAreListed) {
  for (const char* address :
       {"8.8.8.8", "2606:4700::1", "64:ff9b::808:808", "2002:808:808::1", "::ffff:8.8.8.8"})
    EXPECT_TRUE(Allows({}, address)) << address;
  for (const char* address : {"10.1.2.3",
                              "127.0.0.1",
                              "169.254.169.254",
                              "172.31.0.1",
                              "192.168.1.1",
                              "100.64.0.1",
                              "0.0.0.0",
                              "224.0.0.1",
                              "255.255.255.255",
                              "::",
                              "::1",
                              "::ffff:127.0.0.1",
                              "::ffff:169.254.169.254",
                              "fe80::1",
                              "fd00::1",
                              "ff02::1",
                              "64:ff9b::7f00:1",
                              "2002:7f00:1::1",
                              "2001:db8::1",
                              "::127.0.0.1"})
    EXPECT_FALSE(Allows({}, address)) << address;
  EXPECT_TRUE(Allows({"10.0.0.0/8"}, "10.1.2.3"));
  EXPECT_TRUE(Allows({"10.0.0.0/8"}, "::ffff:10.1.2.3"));
  EXPECT_FALSE(Allows({"172.16.0.0/16"}, "172.17.0.1"));
  EXPECT_TRUE(Allows({"192.168.1.7"}, "192.168.1.7"));
  EXPECT_FALSE(Allows({"192.168.1.7"}, "192.168.1.8"));
  EXPECT_FALSE(Allows({"10.0.0.0/9"}, "10.128.0.1"));
  EXPECT_TRUE(Allows({"fd00::/8"}, "fd12::1"));
}

TEST(AddressRules, ARangeIsAnAddressAndHowManyBits) {
  for (const char* text :
       {"", "10", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8 ", "fd00::/129", "a/8", "/8"})
    EXPECT_FALSE(ParseAddressRange(text).ok()) << text;
}

TEST(Signature, IsWhatPythonsHmacMakesOfTheSame) {
  EXPECT_EQ(SignatureOf("Jefe", 1, "a"), "v1=7f9a0343ddf96c6a421c28f0fbf3eaaf20cb49de9e44d951cdd583bf1450126f");
  EXPECT_NE(SignatureOf("Jefe", 2, "a"), SignatureOf("Jefe", 1, "a"));
}

v1::Notice Hostile(const std::string& words) {
  v1::Notice notice;
  notice.set_kind(v1::NOTICE_KIND_NOT_READY);
  notice.set_state(v1::NOTICE_STATE_OPEN);
  notice.set_unix_ns(1'700'000'000'123'456'789);
  notice.set_hosts(1);
  notice.set_group(words);
  v1::NoticeHost& host = *notice.add_named();
  host.set_name(words);
  host.set_check(words);
  host.set_subject(words);
  host.set_observed(words);
  notice.set_text(NoticeSentence(notice));
  return notice;
}

TEST(SyslogMessageTest, IsAsTheRfcSays) {
  v1::Notice notice = Hostile("node1");
  notice.set_incident("i");
  EXPECT_EQ(SyslogMessage(notice, {.facility = 16, .hostname = "hub1", .process = 7, .sd_id = "r@32473"}, 2048),
            "<131>1 2023-11-14T22:13:20.123456Z hub1 rdmaready-hub 7 not-ready [r@32473 kind=\"not-ready\" "
            "state=\"open\" incident=\"i\" group=\"node1\" hosts=\"1\" host=\"node1\" check=\"node1\" "
            "subject=\"node1\"] node1 of node1 is not ready: node1 on node1: node1");
  EXPECT_THAT(SyslogMessage(notice, {.hostname = "", .process = 7}, 2048),
              HasSubstr("Z - rdmaready-hub 7 not-ready - node1"));
}

TEST(SyslogMessageTest, OfSeveralIncidentsAllAreNamedOrTheFirstOnes) {
  v1::Notice notice = Hostile(std::string(3000, '"'));
  notice.set_hosts(20);
  std::string all;
  for (int i = 0; i < 20; ++i) {
    *notice.add_incidents() = std::string(30, 'a') + std::to_string(10 + i);
    all += (i == 0 ? "" : " ") + notice.incidents(i);
  }
  const SyslogIdentity identity{.hostname = std::string(300, 'h'), .sd_id = "r@32473"};
  std::string message = SyslogMessage(notice, identity, 2047);
  EXPECT_THAT(message, HasSubstr(" incidents=\"" + all + "\" group="));
  EXPECT_THAT(message, Not(HasSubstr("incident=")));
  EXPECT_THAT(message, HasSubstr("\"] ")) << "what is cut is the text";
  for (int i = 0; i < 80; ++i) *notice.add_incidents() = "more";
  EXPECT_THAT(SyslogMessage(notice, identity, 2047), HasSubstr(all + "\" group=")) << "each whole";
  notice.set_hosts(1);
  message = SyslogMessage(notice, identity, 2047);
  EXPECT_THAT(message, HasSubstr(" incidents=\"" + all.substr(0, 3 * 33 - 1) + "\" group="));
  EXPECT_THAT(message, HasSubstr("\"] ")) << "also beside the fields of one host";
}

TEST(SyslogMessageTest, AHostAddsNoLineAndNoField) {
  const v1::Notice notice = Hostile("a\"] [x@1 y=\"z\\\n<0>1 - - - - - -\x7f\xc2\x85\xe2\x80\xa8\xff");
  const std::string message = SyslogMessage(notice, {.hostname = "hub one\n", .sd_id = "r@32473"}, 8192);
  for (const char c : message) EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20 || c == 0x7f);
  EXPECT_THAT(message, HasSubstr("host=\"a\\\"\\] [x@1 y=\\\"z\\\\ <0>1"));
  EXPECT_THAT(message, HasSubstr(" hub?one? rdmaready-hub "));
  EXPECT_THAT(message, Not(HasSubstr("\xc2\x85")));
  EXPECT_THAT(message, HasSubstr("\xEF\xBB\xBF")) << "a mark before what is not ASCII";
}

TEST(SyslogMessageTest, IsBoundedBetweenCharacters) {
  std::string words;
  for (int i = 0; i < 3000; ++i) words += "\xc3\xa9";
  const std::string message = SyslogMessage(Hostile(words), {.hostname = "h", .sd_id = "r@32473"}, 2047);
  EXPECT_LE(message.size(), 2047u);
  EXPECT_THAT(message, HasSubstr("\"] \xEF\xBB\xBF")) << "what is cut is the text";
  EXPECT_EQ(CleanText(message), message) << "still UTF-8";
}

TEST(SyslogMessageTest, AnSdIdIsOnesOwn) {
  EXPECT_TRUE(IsPrivateSdId("rdmaready@32473"));
  for (const char* id : {"", "rdmaready", "@1", "a@", "a@0", "a@x", "a b@1", "a]@1", "a\"@1", "a=@1",
                         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@1", "a@1@2"})
    EXPECT_FALSE(IsPrivateSdId(id)) << id;
}

TEST(NoticeJsonTest, IsBounded) {
  v1::Notice notice = Hostile(std::string(1024, 'x'));
  for (int i = 0; i < 100; ++i) *notice.add_named() = notice.named(0);
  notice.set_hosts(101);
  const std::string body = NoticeJson(notice);
  EXPECT_LE(body.size(), kMostNoticeBytes);
  const auto read = nlohmann::json::parse(body);
  EXPECT_EQ(read["hosts"], 101);
  EXPECT_GT(read["named"].size(), 5u);
  EXPECT_LE(NoticeJson(Hostile(std::string(70'000, '\x01'))).size(), kMostNoticeBytes);
}

TEST(NoticeJsonTest, HasTheFieldsOfTheMessageInTheirOrder) {
  v1::Notice notice;
  Filled::Fill(notice);
  const auto read = nlohmann::ordered_json::parse(NoticeJson(notice));
  std::vector<std::string> names{"schema"};
  for (int i = 0; i < v1::Notice::descriptor()->field_count(); ++i)
    names.push_back(v1::Notice::descriptor()->field(i)->name());
  std::vector<std::string> keys;
  for (const auto& [key, value] : read.items()) keys.push_back(key);
  EXPECT_EQ(keys, names);
  EXPECT_EQ(read["kind"], "odd");
  EXPECT_EQ(read["state"], "over");
  EXPECT_EQ(read["named"][0].dump(),
            R"({"host_id":"host_id","name":"name","check":"check","subject":"subject",)"
            R"("observed":"observed","since_unix_ns":1005})");
  EXPECT_EQ(read["checks"].dump(), R"([{"check":"check","hosts":1001}])");
  EXPECT_EQ(read["incidents"].dump(), R"(["incidents"])");
}

TEST(NoticeJsonTest, IsAsItsSchemaSays) { test::ExpectShippedSchema(NoticeDocument()); }

TEST(RetryAfter, IsSecondsAndAnHourAtMost) {
  EXPECT_EQ(RetryAfterOf("Retry-After: 120\r\n").count(), 120);
  EXPECT_EQ(RetryAfterOf("retry-after:7").count(), 7);
  EXPECT_EQ(RetryAfterOf("Retry-After: 99999999\r\n").count(), 3600);
  for (const char* line : {"Retry-After: -5\r\n", "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n", "X: 3", ""})
    EXPECT_EQ(RetryAfterOf(line).count(), 0) << line;
}

// Takes nothing until it is let, and then what its number says.
class MadeSender final : public NoticeSender {
 public:
  struct Shared {
    std::atomic<bool> takes = false;
    std::atomic<int> tried = 0;
    std::mutex mutex;
    std::vector<std::string> taken{};
  };
  explicit MadeSender(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  SendResult Send(const v1::Notice& notice, const std::stop_token&) override {
    ++shared_->tried;
    if (!shared_->takes) return {.words = "away"};
    const std::lock_guard lock(shared_->mutex);
    shared_->taken.push_back(notice.notice_id());
    return {.kind = notice.notice_id() == "bad" ? SendResult::Kind::kRefused : SendResult::Kind::kTaken};
  }

 private:
  std::shared_ptr<Shared> shared_;
};

TEST(CourierTest, KeepsTheNewestInTheirOrderWhileItsReceiverIsAway) {
  const auto shared = std::make_shared<MadeSender::Shared>();
  FakeClock clock;
  Courier courier(
      "hook", std::make_unique<MadeSender>(shared),
      {.queue = 3, .first_rest = std::chrono::milliseconds(5), .longest_rest = std::chrono::milliseconds(20)},
      {}, {}, clock);
  for (const char* id : {"1", "2", "bad", "4", "5"}) {
    Courier::Parcel parcel{.key = id};
    parcel.notice.set_notice_id(id);
    courier.Add(std::move(parcel));
  }
  const auto in_time = [&clock](const std::function<bool()>& holds) {
    return Eventually([&] {
      clock.Advance(std::chrono::milliseconds(20));
      return holds();
    });
  };
  ASSERT_TRUE(in_time([&] { return shared->tried >= 3; }));
  EXPECT_EQ(courier.Counts().waiting, 3u);
  EXPECT_EQ(courier.Counts().dropped, 2u);
  shared->takes = true;
  ASSERT_TRUE(in_time([&] { return courier.Counts().waiting == 0; }));
  courier.Stop();
  const std::lock_guard lock(shared->mutex);
  // The one that was under way when the queue ran over may still arrive.
  std::vector<std::string> last(shared->taken.end() - 3, shared->taken.end());
  EXPECT_THAT(last, ElementsAre("bad", "4", "5"));
  EXPECT_EQ(courier.Counts().dropped, 3u) << "one was refused for good";
  EXPECT_EQ(courier.TakeDone().size(), 5u);
}

TEST(NoticeFile, SaysWhomToTellAndHow) {
  const auto options = ParseNotices(
      "gather: 5s\napart: 2m\nrepeat: 24h\nallow_private: [10.0.0.0/8, '::1']\nreceivers:\n"
      "  - {name: ops, webhook: 'https://example.org:8443/x', secret: 0123456789abcdef, ca: /etc/ca.pem}\n"
      "  - {name: relay, webhook: 'http://127.0.0.1:9000/'}\n"
      "  - {name: log, syslog: 'tls:[2001:db8::1]:6514', facility: local7, sd_id: rdmaready@32473}\n"
      "  - {name: local, syslog: 'unix:/dev/log'}\n",
      "n.yaml");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->rules.repeat, std::int64_t{86'400} * 1'000'000'000);
  ASSERT_EQ(options->receivers.size(), 4u);
  EXPECT_EQ(options->receivers[0].webhook.secret, "0123456789abcdef");
  EXPECT_TRUE(options->receivers[1].webhook.plain);
  EXPECT_EQ(options->receivers[2].syslog.host, "2001:db8::1");
  EXPECT_EQ(options->receivers[2].syslog.port, 6514);
  EXPECT_EQ(options->receivers[2].syslog.facility, 23);
  EXPECT_EQ(options->receivers[3].syslog.path, "/dev/log");
  EXPECT_THAT(std::string(ParseNotices("", "n.yaml").status().message()),
              EndsWith("from 1 to 16 are expected"));
}

}  // namespace
}  // namespace rdmaready::hub
