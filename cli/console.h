// SPDX-License-Identifier: Apache-2.0
// Console: standard output and standard error of the command. Commands hand it what a renderer made.
//
// Threads: all methods may be called from any thread.
#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "cli/style.h"

namespace rdmaready {

class Console {
 public:
  Console(std::FILE* out, std::FILE* err);

  StreamTraits OutTraits() const;

  // Results, to standard output. A reader who has gone away is no error.
  void Print(std::string_view text);
  bool HasPrinted() const;

  // One line to standard error: "rdmaready: TEXT". The text may come from another host: it is made Printable
  // here, as that of Progress is.
  void Error(std::string_view text);

  // One line on standard error, rewritten in place, at most ten times a second; nothing unless it is
  // a terminal.
  void Progress(std::string_view text);
  void EraseProgress();

  // One line on standard error that stays; nothing unless it is a terminal.
  void Step(std::string_view text);

  // False when standard output could not be written (a full disk).
  bool Flush();

 private:
  void EraseLocked();

  std::FILE* out_;
  std::FILE* err_;
  bool progress_wanted_;
  bool progress_shown_ = false;
  bool printed_ = false;
  bool lost_output_ = false;
  std::chrono::steady_clock::time_point last_progress_{};
  mutable std::mutex mutex_;
};

}  // namespace rdmaready
