// SPDX-License-Identifier: Apache-2.0
#include "checks/words/packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rdmaready {
namespace {

struct Software {
  std::string_view name;    // in a fix: {install NAME}
  std::string_view words;   // where nobody knows the package's name
  std::string_view debian;  // and those that are like it
  std::string_view red_hat;
  std::string_view suse;
};

constexpr std::array<Software, 2> kSoftware{{
    {"opensm", "opensm", "opensm", "opensm", "opensm"},
    {"verbs-drivers", "the verbs drivers of rdma-core", "ibverbs-providers", "libibverbs", "libibverbs"},
}};

struct Family {
  std::string_view name;  // a word of ID or ID_LIKE
  PackageManager manager;
};

constexpr std::array<Family, 7> kFamilies{{
    {"debian", PackageManager::kApt},
    {"ubuntu", PackageManager::kApt},
    {"fedora", PackageManager::kDnf},
    {"rhel", PackageManager::kDnf},
    {"centos", PackageManager::kDnf},
    {"suse", PackageManager::kZypper},
    {"opensuse", PackageManager::kZypper},
}};

// These are like others, but packages are not installed into their running system.
constexpr std::array<std::string_view, 4> kReadOnly{"rhcos", "opensuse-microos", "sl-micro", "sle-micro"};

PackageManager ByName(std::string_view name) {
  const auto found = std::ranges::find(kFamilies, name, &Family::name);
  return found == kFamilies.end() ? PackageManager::kUnknown : found->manager;
}

}  // namespace

PackageManager PackageManagerOf(const Distribution& distribution) {
  if (std::ranges::find(kReadOnly, distribution.id) != kReadOnly.end()) return PackageManager::kUnknown;
  PackageManager manager = ByName(distribution.id);
  for (const std::string& like : distribution.like) {
    if (manager == PackageManager::kUnknown) manager = ByName(like);
  }
  return manager;
}

PackageManager PackageManagerOf(const Kernel& kernel) {
  const std::string& release = kernel.release;
  const auto ends = [&release](std::string_view text) {
    return release.size() > text.size() && release.ends_with(text);
  };
  const auto holds = [&release](std::string_view text) { return release.find(text) != std::string::npos; };
  if (ends("-amd64") || ends("-arm64") || ends("-generic")) return PackageManager::kApt;
  if (holds(".el") || holds(".fc") || holds(".amzn")) return PackageManager::kDnf;
  return ends("-default") ? PackageManager::kZypper : PackageManager::kUnknown;
}

PackageManager PackageManagerOf(const Facts& host) {
  if (host.distribution) return PackageManagerOf(*host.distribution);
  return host.kernel ? PackageManagerOf(*host.kernel) : PackageManager::kUnknown;
}

std::string InstallCommand(PackageManager manager, std::string_view software) {
  constexpr std::string_view kYes = "-y ";
  const std::string_view yes = software.starts_with(kYes) ? kYes : "";
  software.remove_prefix(yes.size());
  const auto row = std::ranges::find(kSoftware, software, &Software::name);
  if (row == kSoftware.end()) return {};
  switch (manager) {
    case PackageManager::kUnknown:
      return fmt::format("# install {}", row->words);
    case PackageManager::kApt:
      return fmt::format("apt-get install {}{}", yes, row->debian);
    case PackageManager::kDnf:
      return fmt::format("dnf install {}{}", yes, row->red_hat);
    case PackageManager::kZypper:
      return fmt::format("zypper install {}{}", yes, row->suse);
  }
  return {};
}

}  // namespace rdmaready
