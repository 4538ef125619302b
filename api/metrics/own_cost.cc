// SPDX-License-Identifier: Apache-2.0
#include "api/metrics/own_cost.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <string>
#include <string_view>

#include "api/base/handle.h"
#include "api/base/small_file.h"

namespace rdmaready::metrics {
namespace {

double Seconds(const ::timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// The second number of /proc/self/statm, in pages.
std::uint64_t ResidentPages() {
  constexpr std::size_t kMaxBytes = 256;
  const absl::StatusOr<std::string> text = ReadSmallFile("/proc/self/statm", kMaxBytes);
  if (!text.ok()) return 0;
  const std::size_t blank = text->find(' ');
  if (blank == std::string::npos) return 0;
  std::uint64_t pages = 0;
  std::from_chars(text->data() + blank + 1, text->data() + text->size(), pages);
  return pages;
}

std::uint64_t OpenDescriptors() {
  const Handle<::DIR, ::closedir> directory(::opendir("/proc/self/fd"));
  if (!directory) return 0;
  std::uint64_t count = 0;
  while (const ::dirent* entry = ::readdir(directory.get())) count += entry->d_name[0] == '.' ? 0 : 1;
  return count > 0 ? count - 1 : 0;  // the directory itself
}

}  // namespace

OwnCost ReadOwnCost() {
  OwnCost cost;
  ::rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) cost.cpu_s = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  cost.resident_bytes = ResidentPages() * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  cost.open_fds = OpenDescriptors();
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) cost.most_fds = limit.rlim_cur;
  return cost;
}

void AddCost(const OwnCost& cost, double started_unix_s, Families& all) {
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  all.TakeCounter("process_cpu_seconds_total", "CPU time of this process.", cost.cpu_s);
  all.TakeGauge("process_resident_memory_bytes", "Its resident memory.", number(cost.resident_bytes));
  all.TakeGauge("process_open_fds", "File descriptors that it has open.", number(cost.open_fds));
  all.TakeGauge("process_max_fds", "File descriptors that it may have open.", number(cost.most_fds));
  all.TakeGauge("process_start_time_seconds", "When it was started.", started_unix_s);
}

}  // namespace rdmaready::metrics
