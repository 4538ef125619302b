// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nvme/nvme_sysfs.h"

#include <dirent.h>

#include <algorithm>
#include <fstream>
#include <memory>

namespace rdmaready::nvme {

std::string ReadLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(folder.c_str()), ::closedir);
  if (!directory) return names;
  while (const dirent* entry = ::readdir(directory.get())) names.emplace_back(entry->d_name);
  std::ranges::sort(names);
  return names;
}

bool IsController(std::string_view name) {
  constexpr std::string_view kHead = "nvme";
  return name.starts_with(kHead) && name.size() > kHead.size() &&
         std::ranges::all_of(name.substr(kHead.size()),
                             [](char letter) { return letter >= '0' && letter <= '9'; });
}

std::vector<std::string> Controllers(const std::string& sys) {
  std::vector<std::string> names = NamesIn(sys + "/class/nvme");
  std::erase_if(names, [](const std::string& name) { return !IsController(name); });
  return names;
}

std::vector<std::string> ControllersOf(const std::string& subsystem_name, const std::string& sys) {
  std::vector<std::string> names = Controllers(sys);
  std::erase_if(names, [&](const std::string& name) {
    return ReadLine(sys + "/class/nvme/" + name + "/subsysnqn") != subsystem_name;
  });
  return names;
}

std::vector<std::string> PathsBeside(const std::string& controller, const std::string& sys) {
  const std::string all = sys + "/class/nvme-subsystem";
  for (const std::string& subsystem : NamesIn(all)) {
    if (subsystem.starts_with('.')) continue;
    std::vector<std::string> paths = NamesIn(all + "/" + subsystem);
    std::erase_if(paths, [](const std::string& name) { return !IsController(name); });
    if (std::ranges::find(paths, controller) != paths.end()) return paths;
  }
  return {};
}

}  // namespace rdmaready::nvme
