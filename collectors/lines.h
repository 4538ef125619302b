// SPDX-License-Identifier: Apache-2.0
// Lines of a text file that matter, and nothing of the rest. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

// The lines, without their ends, that hold one of `words`, whatever the case of ASCII letters. Nothing and
// what goes over a line's end are words of no line.
std::vector<std::string> LinesWith(std::string_view text, std::span<const std::string> words);

// The parts of those lines that an answer about the file may hold. Files of the kernel and of its packages:
// the whole lines. A record of udev's: the properties that begin with a word. People's and programs' own files
// have secrets in the same lines, a key of NVMe-oF or a password beside the words. Their lines keep the sign of
// a comment, each of `words` that is there, as it is written there, and after it a number or a word as "yes";
// of a line that begins with it ("word = value"), and of such a comment of systemd-system.conf(5), the first
// word of its value; of a file of ksmbd's, whose values hold no secret, the whole value; of a limit of
// limits.conf(5) the line without its comment; of a file of opensm's a line's first word, if it is looked for,
// and the GUIDs after it; and of a variable of the environment that is set ("export NCCL_IB_HCA=mlx5_0") the
// value, as far as it is a list of names.
std::vector<std::string> LinesToKeep(std::string_view path, std::string_view text,
                                     std::span<const std::string> words);

// Takes the first line off `text`, without its end.
std::string_view TakeLine(std::string_view& text);

// The words of a line, apart by blanks or tabs.
std::vector<std::string_view> WordsOf(std::string_view line);

}  // namespace rdmaready
