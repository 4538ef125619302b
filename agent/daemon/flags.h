// SPDX-License-Identifier: Apache-2.0
// Flags: the agent's command line, as CLI11 reads it: which options there are, and what --help says of them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rdmaready/v1/settings.pb.h"

namespace rdmaready {

inline constexpr std::string_view kDefaultListen = "127.0.0.1:7471";
inline constexpr std::string_view kDefaultCheckInterval = "15m";

// CLI11 refuses by exceptions; they end in ParseAgentCommandLine.
class FlagParser {
 public:
  FlagParser();

  void Parse(int argc, const char* const* argv) { app_.parse(argc, argv); }

  const std::string& config() const { return config_; }
  const v1::AgentSettings& flags() const { return flags_; }
  std::string Help() const {
    return app_.help() + "\nTo make this host one of a fleet: rdmaready-agent enrol (see its --help)\n";
  }

  // An option that does not exist explains more than one that is missing.
  std::string Trouble(const CLI::ParseError& error) const;

 private:
  void Text(const std::string& option, const std::string& type, const std::string& help,
            void (v1::AgentSettings::*set)(const std::string&));
  // `words` in the order of the enum's numbers.
  void Choice(const std::string& option, const std::vector<std::string>& words, const std::string& help,
              const std::function<void(std::size_t)>& set);

  CLI::App app_{"Answers for this host: facts, checks and live RDMA tests over gRPC.", "rdmaready-agent"};
  std::string config_;
  v1::AgentSettings flags_;
};

}  // namespace rdmaready
