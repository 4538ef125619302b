// SPDX-License-Identifier: Apache-2.0
// Families: puts metric families together. No two series of a family have the same labels: Prometheus refuses a
// scrape that has two.
#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rdmaready::metrics {

struct LabelValue {
  std::string_view name{};
  std::string_view value{};  // empty: the series has no such label
};

class Family {
 public:
  Family(prometheus::MetricType type, std::string name, std::string help) {
    family_.type = type;
    family_.name = std::move(name);
    family_.help = std::move(help);
  }

  // The first of two series with the same labels counts.
  void Add(double value, std::initializer_list<LabelValue> labels = {});

  // Of a histogram: `upper` are the bounds, ascending; `counts` how many fell into each, and one more beyond.
  void AddHistogram(std::span<const double> upper, std::span<const std::uint64_t> counts, double sum);

  const prometheus::MetricFamily& family() const { return family_; }

 private:
  prometheus::MetricFamily family_{};
  std::set<std::vector<std::pair<std::string, std::string>>> seen_{};
};

// In the order in which they were made; one without a series is left out.
class Families {
 public:
  Family Gauge(std::string name, std::string help) {
    return {prometheus::MetricType::Gauge, std::move(name), std::move(help)};
  }
  Family Counter(std::string name, std::string help) {
    return {prometheus::MetricType::Counter, std::move(name), std::move(help)};
  }

  Family Histogram(std::string name, std::string help) {
    return {prometheus::MetricType::Histogram, std::move(name), std::move(help)};
  }

  void Take(const Family& family) {
    if (!family.family().metric.empty()) all_.push_back(family.family());
  }
  void TakeGauge(std::string name, std::string help, double value) {
    Family one = Gauge(std::move(name), std::move(help));
    one.Add(value);
    Take(one);
  }
  void TakeCounter(std::string name, std::string help, double value) {
    Family one = Counter(std::move(name), std::move(help));
    one.Add(value);
    Take(one);
  }

  std::string Text() const;

 private:
  std::vector<prometheus::MetricFamily> all_{};
};

}  // namespace rdmaready::metrics
