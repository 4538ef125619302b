// SPDX-License-Identifier: Apache-2.0
// What a helper can be asked: a closed list of verbs. A verb carries names and indexes, never bytes of netlink,
// numbers of ioctls or paths: the helper builds its request to the kernel itself, out of what was decoded.
//
// Decoding is apart from doing, so that what decodes can be fuzzed without a host.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/helper/frame.h"

namespace rdmaready::helper {

// Tells who waits for an answer how far the work is; on the thread of the work. Does nothing once he has heard
// as many of them as ProgressLimits allow, or left.
using Progress = std::function<void(std::string_view what)>;

// What a verb does once its arguments are known: blocks until it has its answer. `stop` is requested when who
// asked closed the connection, or when the helper is told to end.
using Work = std::function<absl::StatusOr<Json>(const std::stop_token& stop, const Progress& progress)>;

struct Verb {
  std::string_view name;
  // Reads the arguments and says what to do with them; kInvalidArgument for what no helper does. It touches
  // nothing.
  std::function<absl::StatusOr<Work>(Arguments& arguments)> decode;
  // In place of `decode` where root itself asks. Empty: root is answered as everybody.
  std::function<absl::StatusOr<Work>(Arguments& arguments)> decode_for_root{};
};

// A verb of a struct of arguments: `decode` reads it, `answer` gets it.
template <class Args>
Verb MakeVerb(std::string_view name, absl::StatusOr<Args> (*decode)(Arguments&),
              absl::StatusOr<Json> (*answer)(const Args&, const std::stop_token&)) {
  return {name, [decode, answer](Arguments& arguments) -> absl::StatusOr<Work> {
            absl::StatusOr<Args> args = decode(arguments);
            if (!args.ok()) return args.status();
            return Work([answer, kept = *std::move(args)](const std::stop_token& stop, const Progress&) {
              return answer(kept, stop);
            });
          }};
}

// The text of the error, kInvalidArgument, of a verb that a helper does not have. It is a part of the wire and
// never changes: no code says it alone, since kUnimplemented means that the host lacks what was asked for.
inline constexpr std::string_view kNoSuchVerb = "no such verb";

// Whether it is that error: the helper is of an earlier version than the program that asks.
bool IsNoSuchVerb(const absl::Status& status);

// The body of a question to the verb of that name with these arguments. An unknown verb, an argument that is
// missing, of another kind or not known is kInvalidArgument. Whatever the body is, it does not throw.
absl::StatusOr<Work> DecodeQuestion(std::string_view body, std::span<const Verb> verbs, bool from_root = false);

// The body of a question.
std::string QuestionBody(std::string_view verb, const Json& arguments);

}  // namespace rdmaready::helper
