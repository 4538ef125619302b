// SPDX-License-Identifier: Apache-2.0
#include "api/metrics/families.h"

#include <prometheus/text_serializer.h>

#include <limits>

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

void Family::AddHistogram(std::span<const double> upper, std::span<const std::uint64_t> counts, double sum) {
  prometheus::ClientMetric metric;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    below += counts[i];
    const double bound = i < upper.size() ? upper[i] : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({.cumulative_count = below, .upper_bound = bound});
  }
  metric.histogram.sample_count = below;
  metric.histogram.sample_sum = sum;
  family_.metric.push_back(std::move(metric));
}

std::string Families::Text() const { return prometheus::TextSerializer().Serialize(all_); }

}  // namespace rdmaready::metrics
