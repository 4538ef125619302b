// SPDX-License-Identifier: Apache-2.0
// SettingsFlags: the command line of a daemon, each of whose options is a field of its message of settings; a
// configuration file sets the same fields.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/version.h"

namespace rdmaready {

// Derived from by who adds the options, in the order of --help.
template <class Settings>
class SettingsFlags {
 public:
  // What is to be printed, where --help or --version is asked for, and that is all; else empty.
  // kInvalidArgument with one clear line.
  absl::StatusOr<std::string> Parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return app_.help() + "\n" + more_help_;
    } catch (const CLI::CallForVersion& version) {
      return version.what() + std::string("\n");
    } catch (const CLI::ParseError& error) {
      // An option that does not exist explains more than one that is missing.
      const std::vector<std::string> unknown = app_.remaining();
      const std::string trouble = unknown.empty() ? error.what() : "unknown option " + unknown.front();
      return absl::InvalidArgumentError(trouble + " (see " + app_.get_name() + " --help)");
    }
    return std::string();
  }

  const std::string& config() const { return config_; }  // a path; empty: none was named
  const Settings& flags() const { return flags_; }

 protected:
  // `more_help`: lines that stand below the options. `example` of a line of the configuration file.
  SettingsFlags(const std::string& program, const std::string& summary, std::string more_help,
                const std::string& example)
      : app_(summary, program), more_help_(std::move(more_help)) {
    app_.add_option("--config", config_, "A YAML file of these options: " + example)->type_name("FILE");
  }

  void Text(const std::string& option, const std::string& type, const std::string& help,
            void (Settings::*set)(const std::string&)) {
    app_.add_option_function<std::string>(
            option, [this, set](const std::string& value) { (flags_.*set)(value); }, help)
        ->type_name(type);
  }

  // `words` in the order of the enum's numbers.
  void Choice(const std::string& option, const std::vector<std::string>& words, const std::string& help,
              const std::function<void(std::size_t)>& set) {
    app_.add_option_function<std::string>(
            option,
            [words, set](const std::string& value) {
              set(static_cast<std::size_t>(std::ranges::find(words, value) - words.begin()));
            },
            help)
        ->check(CLI::IsMember(words))
        ->type_name("WORD");
  }

  // --log-format, --log-level and --version.
  void LogAndVersion() {
    Choice("--log-format", {"text", "json"}, "How events are written to standard error: text or json",
           [this](std::size_t i) { flags_.set_log_format(static_cast<typename Settings::Format>(i)); });
    Choice("--log-level", {"info", "debug", "warning", "error"},
           "The least that is written: debug, info, warning or error",
           [this](std::size_t i) { flags_.set_log_level(static_cast<typename Settings::Level>(i)); });
    app_.set_version_flag("--version", app_.get_name() + " " + kVersion);
  }

  CLI::App app_;
  Settings flags_{};

 private:
  const std::string more_help_;
  std::string config_{};
};

}  // namespace rdmaready
