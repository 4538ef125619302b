// SPDX-License-Identifier: Apache-2.0
#include "agent/event_ring.h"

namespace rdmaready {
namespace {

std::string KeptValue(const Event::Field& field) {
  if (const auto* text = std::get_if<std::string>(&field.value))
    return text->substr(0, EventRing::kMostValueBytes);
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return std::to_string(*number);
  return std::get<bool>(field.value) ? "true" : "false";
}

std::size_t KeptBytes(const KeptEvent& event) {
  std::size_t bytes = event.name.size();
  for (const auto& [key, value] : event.fields) bytes += key.size() + value.size();
  return bytes;
}

}  // namespace

void EventRing::Add(const Event& event, std::int64_t unix_ns) {
  if (event.level == EventLevel::kDebug || event.name == kAuditEvent) return;
  KeptEvent kept{.unix_ns = unix_ns, .level = event.level, .name = std::string(event.name)};
  for (const Event::Field& field : event.fields) kept.fields.emplace_back(field.key, KeptValue(field));
  const std::lock_guard lock(mutex_);
  bytes_ += KeptBytes(kept);
  kept_.push_back(std::move(kept));
  while (kept_.size() > kMostEvents || bytes_ > kMostBytes) {
    bytes_ -= KeptBytes(kept_.front());
    kept_.pop_front();
  }
}

std::vector<KeptEvent> EventRing::Kept() const {
  const std::lock_guard lock(mutex_);
  return {kept_.begin(), kept_.end()};
}

EventSink EventRing::Before(std::shared_ptr<EventRing> ring, EventSink sink, Clock& clock) {
  return [ring = std::move(ring), sink = std::move(sink), &clock](const Event& event) {
    ring->Add(event, UnixNs(clock));
    if (sink) sink(event);
  };
}

}  // namespace rdmaready
