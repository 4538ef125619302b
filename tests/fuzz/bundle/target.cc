// SPDX-License-Identifier: Apache-2.0
// What `check --bundle FILE` reads of a file that a stranger made. The first byte of an input chooses the way:
// the rest are the bytes of the file; or what is compressed into it; or changes of a bundle that is well: of
// its tar, with each header's checksum right again, or of its manifest; or they are the facts of a host. These
// get past what would refuse nearly all damage.
#include "tests/fuzz/target.h"

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/convert/facts.h"
#include "cli/bundle/bundle.h"
#include "cli/bundle/facts.h"
#include "cli/bundle/manifest.h"
#include "tests/unit/cli/bundle/made_tar.h"

namespace rdmaready {
namespace {

using bundle::Bundle;
using bundle::Members;

enum Way : std::uint8_t { kFile, kCompressed, kTar, kManifest, kFacts, kWays };

constexpr std::size_t kMost = std::size_t{1} << 20;
constexpr std::size_t kBlock = bundle::kTestBlock;

void Demand(bool holds) {
  if (!holds) std::abort();
}

Bundle Well() {
  return {
      .version = "0.1.0",
      .created_unix_ns = 1,
      .hosts = {{.name = "a", .folder = "a", .versions = {{"kernel", "6"}}, .members = {{"recording/x", "1"}}},
                {.name = "b", .folder = "b", .error = "gone", .members = {{"report.json", "{}"}}}},
      .left_out = {{"b", "events", "old"}}};
}

std::string WellTar() {
  absl::StatusOr<bundle::EncodedBundle> encoded = bundle::Encode(Well(), kMost);
  Demand(encoded.ok());
  return std::move(encoded->tar);
}

// Changes of three bytes: where, in two, and what is there then.
void Alter(std::string& text, std::string_view changes) {
  if (text.empty()) return;
  for (; changes.size() >= 3; changes.remove_prefix(3)) {
    const std::size_t place =
        static_cast<unsigned char>(changes[0]) * 256U + static_cast<unsigned char>(changes[1]);
    text[place % text.size()] = changes[2];
  }
}

std::string ChangedTar(std::string_view changes) {
  std::string tar = WellTar();
  Alter(tar, changes);
  for (std::size_t at = 0; at + kBlock <= tar.size(); at += kBlock) {
    if (tar.substr(at + 257, 5) == "ustar") bundle::Sum(tar, at);
  }
  return tar;
}

std::string ChangedManifest(std::string_view changes) {
  absl::StatusOr<Members> members = bundle::ReadTar(WellTar());
  Demand(members.ok());
  Alter(members->at("manifest.json"), changes);
  return bundle::WriteTar(*members, bundle::kManifest).value_or("");
}

// What was read is written as it is.
void DemandSame(const Bundle& read) {
  const absl::StatusOr<bundle::EncodedBundle> encoded = bundle::Encode(read, bundle::kMaxTarBytes);
  if (!encoded.ok()) return Demand(encoded.status().code() == absl::StatusCode::kResourceExhausted);
  const absl::StatusOr<Bundle> again = bundle::Decode(encoded->tar);
  Demand(again.ok());
  Demand(again->hosts.size() == read.hosts.size());
  Demand(bundle::Encode(*again, bundle::kMaxTarBytes)->tar == encoded->tar);
}

void Read(std::string_view bytes) {
  const absl::StatusOr<Bundle> read = bundle::Decode(bytes);
  if (read.ok()) return DemandSame(*read);
  Demand(read.status().code() == absl::StatusCode::kInvalidArgument);
  const std::string why = Message(read.status());
  Demand(!why.empty() && why.find('\n') == std::string::npos && why.find('\x1b') == std::string::npos);
}

// What was read has its place in a bundle again.
void ReadFactsOf(std::string_view json) {
  const absl::StatusOr<Facts> facts = bundle::ReadFacts(json);
  if (facts.ok()) return Demand(bundle::WriteFacts(ToProto(*facts)).ok());
  Demand(facts.status().code() == absl::StatusCode::kInvalidArgument);
  Demand(Message(facts.status()).find('\n') == std::string::npos);
}

std::vector<std::uint8_t> InputOf(Way way, std::string_view rest) {
  std::vector<std::uint8_t> input{way};
  input.insert(input.end(), rest.begin(), rest.end());
  return input;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  const std::string tar = WellTar();
  std::vector<std::vector<std::uint8_t>> seeds{
      InputOf(kFile, tar),
      InputOf(kFile, tar.substr(0, 1500)),
      InputOf(kFile, *bundle::Gzip(tar)),
      InputOf(kCompressed, tar),
      InputOf(kTar, ""),
      InputOf(kManifest, ""),
      InputOf(kTar, "\0\0/"),
      InputOf(kTar, std::string("\0\x9c"
                                "2",
                                3)),
      InputOf(kTar, std::string("\0\x9c"
                                "5",
                                3)),
      InputOf(kManifest,
              "\0\x20"
              "x"),
      InputOf(kFacts, "{}"),
      InputOf(
          kFacts,
          R"({"hostname":"a","ports":{"ports":[{"device":"rxe0","number":1,"node_guid":"5",)"
          R"("gids":{"gids":[{"index":0,"raw":"AAAAAAAAAAAAAP//CgAAAQ==","type":"GID_TYPE_ROCE_V2"}]}}]}})"),
      InputOf(kFacts, R"({"missing":{"ports":{"kind":"KIND_DENIED","detail":"x"}}})")};
  for (std::uint8_t place = 0; place < 250; place = static_cast<std::uint8_t>(place + 25)) {
    for (const char by : {'"', '}', '9', '\\'}) {
      seeds.push_back(InputOf(kManifest, std::string{'\0', static_cast<char>(place), by}));
      seeds.push_back(InputOf(kTar, std::string{'\0', static_cast<char>(place), by}));
    }
  }
  return seeds;
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmaready;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (static_cast<Way>(data[0] % kWays)) {
    case kFile:
      Read(rest);
      break;
    case kCompressed:
      Read(bundle::Gzip(rest).value_or(""));
      break;
    case kTar:
      Read(ChangedTar(rest));
      break;
    case kManifest:
      Read(ChangedManifest(rest));
      break;
    case kFacts:
      ReadFactsOf(rest);
      break;
    case kWays:
      break;
  }
  return 0;
}
