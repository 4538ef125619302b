// SPDX-License-Identifier: Apache-2.0
// What a distribution calls a package, and how its package manager is told to install it.
#pragma once

#include <string>
#include <string_view>

#include "api/model/facts.h"

namespace rdmaready {

enum class PackageManager { kUnknown, kApt, kDnf, kZypper };

// By the distribution's name, else by one that it is like. kUnknown also where packages are not installed into
// the running system (rpm-ostree, transactional-update).
PackageManager PackageManagerOf(const Distribution& distribution);

// By the release of the running kernel, which some distributions name as theirs: "6.1.0-28-amd64".
PackageManager PackageManagerOf(const Kernel& kernel);

// Of what programs need: that of the distribution, and where it is not known that of the kernel.
PackageManager PackageManagerOf(const Facts& host);

// "apt-get install ibverbs-providers" for the software "verbs-drivers", "apt-get install -y opensm" for
// "-y opensm". Where the package manager is not known "# install " and what is needed, in words. Empty for
// software without a row in the table.
std::string InstallCommand(PackageManager manager, std::string_view software);

}  // namespace rdmaready
