// SPDX-License-Identifier: Apache-2.0
#include "agent/metrics/families.h"

#include <prometheus/text_serializer.h>

#include "api/base/text.h"

namespace rdmaready::metrics {
namespace {

constexpr std::size_t kMaxValueBytes = 200;

}  // namespace

void Family::Add(double value, std::initializer_list<LabelValue> labels) {
  std::vector<std::pair<std::string, std::string>> key;
  prometheus::ClientMetric metric;
  for (const LabelValue& label : labels) {
    if (label.value.empty()) continue;
    key.emplace_back(label.name, SafeLine(label.value, kMaxValueBytes));
    metric.label.push_back({key.back().first, key.back().second});
  }
  if (!seen_.insert(std::move(key)).second) return;
  if (family_.type == prometheus::MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  family_.metric.push_back(std::move(metric));
}

std::string Families::Text() const { return prometheus::TextSerializer().Serialize(all_); }

}  // namespace rdmaready::metrics
