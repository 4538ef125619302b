// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::size_t kDefaultColumns = 80;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::size_t Columns(int fd) {
  ::winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string Locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (std::string value = Environment(name); !value.empty()) return value;
  }
  return {};
}

}  // namespace

Console::Console(std::FILE* out, std::FILE* err)
    : out_(out), err_(err), progress_wanted_(::isatty(::fileno(err)) != 0 && Environment("TERM") != "dumb") {}

StreamTraits Console::OutTraits() const {
  const int fd = ::fileno(out_);
  StreamTraits traits;
  traits.terminal = ::isatty(fd) != 0;
  traits.columns = traits.terminal ? Columns(fd) : 0;
  traits.term = Environment("TERM");
  traits.no_color = Environment("NO_COLOR");
  traits.force_color = Environment("CLICOLOR_FORCE");
  traits.locale = Locale();
  return traits;
}

void Console::Print(std::string_view text) {
  const std::lock_guard lock(mutex_);
  EraseLocked();
  printed_ = printed_ || !text.empty();
  if (std::fwrite(text.data(), 1, text.size(), out_) != text.size() && errno != EPIPE) lost_output_ = true;
}

bool Console::HasPrinted() const {
  const std::lock_guard lock(mutex_);
  return printed_;
}

void Console::Error(std::string_view text) {
  const std::lock_guard lock(mutex_);
  EraseLocked();
  std::fflush(out_);  // so that a terminal shows both in the order in which they were said
  const std::string line = "rdmaready: " + Printable(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), err_);
}

void Console::Progress(std::string_view text) {
  constexpr auto kInterval = std::chrono::milliseconds(100);
  if (!progress_wanted_) return;
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (progress_shown_ && now - last_progress_ < kInterval) return;
  last_progress_ = now;
  progress_shown_ = true;
  const std::size_t columns = Columns(::fileno(err_));
  const std::size_t room = (columns == 0 ? kDefaultColumns : columns) - 1;  // a full line would wrap
  const std::string line = Printable(Printable(text).substr(0, room));  // again: a character may have been cut
  std::fprintf(err_, "\r\x1b[K%s", line.c_str());
  std::fflush(err_);
}

void Console::EraseProgress() {
  const std::lock_guard lock(mutex_);
  EraseLocked();
}

void Console::Step(std::string_view text) {
  if (!progress_wanted_) return;
  const std::lock_guard lock(mutex_);
  EraseLocked();
  std::fprintf(err_, "%s\n", Printable(text).c_str());
  std::fflush(err_);
}

void Console::EraseLocked() {
  if (!progress_shown_) return;
  progress_shown_ = false;
  std::fputs("\r\x1b[K", err_);
  std::fflush(err_);
}

bool Console::Flush() {
  const std::lock_guard lock(mutex_);
  if (std::fflush(out_) != 0 && errno != EPIPE) lost_output_ = true;
  return !lost_output_;
}

}  // namespace rdmaready
