// SPDX-License-Identifier: Apache-2.0
// A folder that stands for "/", with the folders of a host in which files for the next boot are written.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

namespace rdmaready {

class BootFolder {
 public:
  explicit BootFolder(std::string root) : root_(std::move(root)) {
    for (const char* folder : {"/etc/systemd/network", "/etc/systemd/system", "/etc/netplan", "/etc/sysctl.d"})
      std::filesystem::create_directories(root_ + folder);
  }

  std::string At(const std::string& path) const { return root_ + path; }
  const std::string& root() const { return root_; }

  void Put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(At(path)).parent_path());
    std::ofstream(At(path), std::ios::binary | std::ios::trunc) << text;
  }

  std::string Text(const std::string& path) const {
    std::ifstream file(At(path), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
  }

  // Everything below it: the text of a file, "-> TARGET" of a link, "/" of a folder.
  std::map<std::string, std::string> All() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      const std::string path = entry.path().string().substr(root_.size());
      if (entry.is_symlink())
        all[path] = "-> " + std::filesystem::read_symlink(entry.path()).string();
      else
        all[path] = entry.is_directory() ? "/" : Text(path);
    }
    return all;
  }

 private:
  const std::string root_;
};

}  // namespace rdmaready
