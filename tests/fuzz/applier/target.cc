// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: questions to the applier, its answers, and root's file of what may be changed.
#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/helper/applier/apply_file.h"
#include "agent/helper/applier/order.h"
#include "api/profile/load.h"
#include "api/profile/profile_proto.h"

namespace rdmaready {
namespace {

using helper::Arguments;
using helper::Json;

void Demand(bool holds) {
  if (!holds) std::abort();
}

constexpr char kApplyYaml[] = R"(ports: ["ens1f*", "mlx5_0/1", host]
settings: [pfc, all]
profiles:
  - {sha256: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae, name: ours}
confirm_within: {least: 10, most: 600}
one_way: false
put_back: {most_per_hour: 4}
changes: {most_per_hour: 12}
peer: nas1
)";

bool IsOneLine(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; });
}

void DemandPlainNames(const auto& order) {
  Demand(!order.profiles.empty() && order.profiles.size() <= helper::kMostOrderProfiles);
  Demand(order.ports.size() <= helper::kMostOrderPorts);
  for (const std::string& port : order.ports)
    Demand(!port.empty() && port.size() <= helper::kMostOrderNameBytes && IsOneLine(port));
  for (const Profile& profile : order.profiles) {
    Demand(profile.digest.empty() && profile.waivers.empty());
    Demand(FromProto(ToProto(profile)).ok() && ProfileContentDigest(profile).ok());
  }
}

// Nothing of an order is longer than is taken, or could be taken for two lines of an audit.
void DemandPlain(const ApplyOrder& order) {
  DemandPlainNames(order);
  Demand(order.requester.size() <= helper::kMostRequesterBytes && IsOneLine(order.requester));
}

// What decodes is sent again as it was, and decodes as the same.
template <class Order>
void Decode(std::string_view text, absl::StatusOr<Order> (*decode)(Arguments&), void (*demand)(const Order&)) {
  const auto json = recording::ParseObject(text);
  if (!json.ok()) return;
  Arguments arguments(*json);
  const auto order = decode(arguments);
  if (!order.ok()) return;
  demand(*order);
  const Json again = helper::ToJson(*order);
  const auto sent = recording::ParseObject(helper::Text(again));
  Demand(sent.ok());
  Arguments twice(*sent);
  const auto same = decode(twice);
  Demand(same.ok() && helper::ToJson(*same) == again);
}

void Apply(std::string_view text) { Decode<ApplyOrder>(text, helper::DecodeApplyOrder, DemandPlain); }

void Files(std::string_view text) {
  Decode<FilesOrder>(text, helper::DecodeFilesOrder, [](const FilesOrder& order) { DemandPlainNames(order); });
}

void Proved(std::string_view text) {
  Decode<helper::ProvedOrder>(text, helper::DecodeProvedOrder, [](const helper::ProvedOrder& order) {
    Demand(order.change_id.size() == 32 && order.proof.loopback_text.size() <= helper::kMostProofBytes);
  });
}

void ReadChange(std::string_view text) {
  Decode<helper::ChangeOrder>(text, helper::DecodeChangeOrder, [](const helper::ChangeOrder& order) {
    Demand(order.change_id.size() == 32 && IsOneLine(order.change_id) && IsOneLine(order.requester));
  });
}

void Forget(std::string_view text) {
  Decode<helper::ForgetOrder>(text, helper::DecodeForgetOrder, [](const helper::ForgetOrder& order) {
    Demand(order.objects.size() <= helper::kMostForgotten);
    for (const SettingObject& object : order.objects)
      Demand(object.kind != SettingKind::kUnknown && IsOneLine(object.where) && IsOneLine(object.name));
  });
}

void Answer(std::string_view text) {
  const auto answer = helper::ReadAnswerBody(text);
  if (!answer.ok()) return;
  if (const auto change = helper::ReadChange(*answer); change.ok())
    static_cast<void>(helper::AnswerOf(*change));
  if (const auto status = helper::ReadApplierStatus(*answer); status.ok())
    static_cast<void>(helper::AnswerOf(*status));
  if (const auto files = helper::ReadOrderFiles(*answer); files.ok()) {
    Demand(files->persist.size() <= helper::kMostOrderFiles && files->unkept.size() <= helper::kMostOrderFiles);
    for (const PersistFile& file : files->persist) Demand(file.keeps.size() <= helper::kMostOrderFiles);
    static_cast<void>(helper::AnswerOf(*files));
  }
  static_cast<void>(helper::ReadSettings(*answer));
  static_cast<void>(helper::ReadOwnWrites(*answer));
}

void File(std::string_view text) {
  const auto permission = helper::ParseApplyFile(text, "a.yaml");
  if (!permission.ok()) return Demand(permission.status().message().substr(0, 7) == "a.yaml:");
  Demand(permission->least_confirm_within_ms > 0);
  Demand(permission->least_confirm_within_ms <= permission->most_confirm_within_ms);
  Demand(std::ranges::find(permission->settings, SettingKind::kUnknown) == permission->settings.end());
  for (const Permission::ListedProfile& profile : permission->profiles) Demand(profile.sha256.size() == 64);
  Demand(permission->put_back_most_per_hour.value_or(1) > 0);
}

void Progress(std::string_view text) {
  const auto what = helper::ReadProgressBody(text, helper::kApplierProgress.most_bytes);
  if (what) static_cast<void>(helper::ReadProgressOf(*what));
}

constexpr void (*kDecoders[])(std::string_view) = {Apply,  Proved, ReadChange, Forget,
                                                   Answer, File,   Progress,   Files};

std::vector<std::uint8_t> Seed(std::uint8_t decoder, std::string_view text) {
  std::vector<std::uint8_t> seed{decoder};
  seed.insert(seed.end(), text.begin(), text.end());
  return seed;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  const std::string id(32, 'a');
  const ApplyOrder order{.profiles = {*LoadProfile("virtual-fabric")}, .ports = {"dcb0"}, .requester = "alice"};
  const helper::ProvedOrder proved{.change_id = id, .proof = {.loopback = true, .loopback_text = "9 Gb/s"}};
  const helper::ForgetOrder forget{.objects = {{.kind = SettingKind::kSysctl, .name = "net.ipv4.ip_forward"}},
                                   .requester = "alice"};
  const rdmaready::Change change{.id = id, .state = ChangeState::kProving, .steps = {{.text = "on 3"}}};
  const OrderFiles files{
      .persist = {{.path = "/etc/netplan/90-rdmaready-dcb0.yaml", .content = "network:\n", .by_apply = true}},
      .unkept = {{.what = "DSCP 48"}}};
  const ApplierStatus status{.changes = {change}, .allowed = {"ports: *"}};
  return {Seed(0, helper::Text(helper::ToJson(order))),
          Seed(1, helper::Text(helper::ToJson(proved))),
          Seed(2, helper::Text(helper::ToJson(helper::ChangeOrder{.change_id = id, .requester = "bob"}))),
          Seed(3, helper::Text(helper::ToJson(forget))),
          Seed(4, helper::AnswerBody(helper::AnswerOf(change))),
          Seed(4, helper::AnswerBody(helper::AnswerOf(status))),
          Seed(4, helper::AnswerBody(helper::AnswerOf(std::vector<OwnWrite>{{.port_id = 1, .sequence = 2}}))),
          Seed(5, kApplyYaml),
          Seed(6, helper::ProgressBody(helper::ProgressOf(change), helper::kApplierProgress.most_bytes)),
          Seed(4, helper::AnswerBody(helper::AnswerOf(files))),
          Seed(7, helper::Text(helper::ToJson(FilesOrder{.profiles = order.profiles, .ports = {"dcb0"}})))};
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  rdmaready::kDecoders[data[0] % std::size(rdmaready::kDecoders)](rest);
  return 0;
}
