// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/hands.h"

#include <fmt/format.h>

#include <chrono>

#include "agent/apply/device.h"
#include "api/base/status.h"

namespace rdmaready::apply {
namespace {

constexpr std::uint32_t kLookAgainMs = 50;

}  // namespace

SettingValues Hands::Read(const std::vector<SettingObject>& objects) const {
  if (seams_.read_some) return seams_.read_some(objects);
  SettingValues values;
  for (const SettingObject& object : objects)
    values.emplace(object, absl::NotFoundError("it cannot be read any more"));
  if (objects.empty()) return values;
  for (const Setting& setting : seams_.settings(seams_.read()))
    if (const auto found = values.find(setting.object); found != values.end()) found->second = setting.value;
  return values;
}

absl::StatusOr<std::string> Hands::Read(const SettingObject& object) const {
  return Read(std::vector{object}).at(object);
}

absl::StatusOr<std::string> Hands::ReadUntil(const Setting& to, std::uint32_t within_ms,
                                             const std::stop_token& stop) const {
  const Clock::TimePoint until = seams_.clock->Now() + std::chrono::milliseconds(within_ms);
  for (;;) {
    absl::StatusOr<std::string> value = Read(to.object);
    const bool holds = value.ok() && *value == to.value;
    if (holds || stop.stop_requested() || seams_.clock->Now() >= until) return value;
    Sleep(kLookAgainMs, stop);
  }
}

absl::Status Hands::Write(const WriteOrder& order, std::string_view from, const Setting& to) const {
  const absl::Status journaled =
      ledger_.journal().WillWrite(order.change_id, order.why, to, from, ledger_.Now());
  if (order.must_journal && !journaled.ok()) return journaled;
  const absl::Status written =
      seams_.writer->Write(to.object, from, to.value, [&](const OwnWrite& own) -> absl::Status {
        const absl::Status kept = ledger_.journal().WillSend(own);
        if (order.must_journal && !kept.ok()) return kept;
        board_.AddOwn(own);
        if (seams_.foreign != nullptr) seams_.foreign->Own(own);
        return absl::OkStatus();
      });
  return written;
}

bool Hands::DeviceIsThere(const SettingObject& object) const {
  return !seams_.device || !absl::IsNotFound(seams_.device(object).status());
}

std::string Hands::IdentityOf(const SettingObject& object) const {
  return seams_.identity ? seams_.identity(object) : "";
}

std::string Hands::WhyAnother(const SettingObject& object, const std::string& identity) const {
  if (identity.empty()) return {};
  const std::string now = IdentityOf(object);
  if (MayBeSame(identity, now)) return {};
  return fmt::format("its name is another device's now ({}), which is left alone; meant is {}", now, identity);
}

void Hands::Sleep(std::uint32_t ms, const std::stop_token& stop) const {
  seams_.clock->SleepUntil(seams_.clock->Now() + std::chrono::milliseconds(ms), stop);
}

}  // namespace rdmaready::apply
