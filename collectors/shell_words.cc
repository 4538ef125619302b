// SPDX-License-Identifier: Apache-2.0
#include "collectors/shell_words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rdmaready {
namespace {

constexpr std::array<std::string_view, 18> kKeywords{"if",    "then", "else",    "elif", "fi",    "while",
                                                     "until", "do",   "done",    "{",    "}",     "!",
                                                     "time",  "exec", "command", "sudo", "nohup", "env"};

// Splits a script at blanks and at the signs between commands.
class Splitter {
 public:
  explicit Splitter(std::string_view script) : rest_(script) {}

  std::vector<CommandWords> Split() {
    while (!rest_.empty()) Step();
    EndCommand();
    return std::move(commands_);
  }

 private:
  void Step() {
    const char one = rest_.front();
    const bool begins_word = word_.empty() && !quoted_;
    if (rest_.starts_with("\\\n")) {
      rest_.remove_prefix(2);
    } else if (one == '\\' && rest_.size() > 1) {
      word_ += rest_[1];
      rest_.remove_prefix(2);
    } else if (one == '\'' || one == '"') {
      TakeQuoted(one);
    } else if (rest_.starts_with("$(") || rest_.starts_with("${")) {
      TakeBrackets(rest_[1] == '(' ? ')' : '}');
    } else if (one == '#' && begins_word) {
      rest_.remove_prefix(std::min(rest_.size(), rest_.find('\n')));
    } else if (std::string_view(" \t\r").find(one) != std::string_view::npos) {
      EndWord();
      rest_.remove_prefix(1);
    } else if (std::string_view("\n;&|()").find(one) != std::string_view::npos) {
      EndCommand();
      rest_.remove_prefix(1);
      if (one == '\n') SkipHere();
    } else if (one == '>') {
      TakeRedirection();
    } else if (rest_.starts_with("<<<")) {
      EndWord();
      rest_.remove_prefix(3);
    } else if (rest_.starts_with("<<")) {
      TakeHereMark();
    } else {
      word_ += one;
      rest_.remove_prefix(1);
    }
  }

  void TakeQuoted(char quote) {
    quoted_ = true;
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != quote) {
      const bool escaped = quote == '"' && rest_.front() == '\\' && rest_.size() > 1 &&
                           std::string_view("$`\"\\\n").find(rest_[1]) != std::string_view::npos;
      if (escaped) rest_.remove_prefix(1);
      word_ += rest_.front();
      rest_.remove_prefix(1);
    }
    rest_.remove_prefix(std::min<std::size_t>(rest_.size(), 1));
  }

  // "$(...)" and "${...}" as they are, those inside of them included.
  void TakeBrackets(char close) {
    const char open = rest_[1];
    std::size_t depth = 0;
    while (!rest_.empty()) {
      const char one = rest_.front();
      word_ += one;
      rest_.remove_prefix(1);
      if (one == open) ++depth;
      if (one == close && --depth == 0) return;
    }
  }

  // "echo 106>FILE": a word for dash, and the number of a file for bash.
  void TakeRedirection() {
    const bool digits =
        !quoted_ && !word_.empty() && word_.find_first_not_of("0123456789") == std::string::npos;
    const bool of_number = digits && word_.size() == 1;
    const bool of_errors = of_number && word_ != "1";
    if (of_number) word_.clear();
    if (digits && !of_number) word_ = "*";
    EndWord();
    const bool longer = rest_.starts_with(">>") || rest_.starts_with(">|");
    rest_.remove_prefix(longer ? 2 : 1);
    if (rest_.starts_with("&")) {
      rest_.remove_prefix(1);
      const bool copy =
          rest_.empty() || std::string_view("0123456789-").find(rest_.front()) != std::string_view::npos;
      if (copy) {
        rest_.remove_prefix(std::min<std::size_t>(rest_.size(), 1));
        return;
      }
    }
    words_.emplace_back(of_errors ? "2>" : ">");
  }

  // "<<-'EOF'": the lines up to EOF are no commands.
  void TakeHereMark() {
    EndWord();
    rest_.remove_prefix(rest_.starts_with("<<-") ? 3 : 2);
    rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \t")));
    here_ = rest_.substr(0, rest_.find_first_of(" \t\n;&|()<>"));
    rest_.remove_prefix(here_.size());
    std::erase_if(here_, [](char sign) { return sign == '\'' || sign == '"' || sign == '\\'; });
  }

  void SkipHere() {
    while (!here_.empty() && !rest_.empty()) {
      std::string_view line = rest_.substr(0, rest_.find('\n'));
      rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
      line.remove_prefix(std::min(line.size(), line.find_first_not_of('\t')));
      if (line == here_) here_.clear();
    }
  }

  void EndWord() {
    if (!word_.empty() || quoted_) words_.push_back(std::move(word_));
    word_.clear();
    quoted_ = false;
  }

  void EndCommand() {
    EndWord();
    const auto begin = std::ranges::find_if(
        words_, [](const std::string& word) { return std::ranges::find(kKeywords, word) == kKeywords.end(); });
    if (begin != words_.end()) commands_.emplace_back(begin, words_.end());
    words_.clear();
  }

  std::string_view rest_;
  std::string word_{};
  bool quoted_ = false;
  std::string here_{};  // the word that ends a here-document; empty: none is open
  CommandWords words_{};
  std::vector<CommandWords> commands_{};
};

}  // namespace

std::vector<CommandWords> CommandsOf(std::string_view script) { return Splitter(script).Split(); }

}  // namespace rdmaready
