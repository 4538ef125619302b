// SPDX-License-Identifier: Apache-2.0
// Lists of the kinds of questions: each file of this folder has one, ../questions.h joins them.
//
// A kind is a struct whose members are what is asked. It says
//   Answer          the type of its answer, a raw value
//   kFile           the file of a recording that holds it
//   Fields(line)    the names and members of the question in a line of that file, in their order
//   Answered(line)  the same of an answer that is no struct; a struct has Fields of its own
//   What()          what is asked, in the words of an error: "read /proc/uptime"
//   AskThisHost()   the answer of the running host; the bodies are in ../real
//
// One list of fields serves writing and reading (../recording/answer_lines.cc): line("name", member, ...);
// line.Word(name, text) for what is the same in each line; and for people only line.Note(name, text), and
// line.Shows(bytes), the texts inside of them. Fields is not const because reading fills the members; writing
// changes nothing.
#pragma once

#include <cstddef>
#include <type_traits>
#include <variant>

namespace rdmaready {

template <class... Kinds>
struct KindList {
  using Question = std::variant<Kinds...>;
  using Answer = std::variant<typename Kinds::Answer...>;  // the alternative of the same place answers

  template <class Kind>
  static consteval std::size_t PlaceOf() {
    std::size_t place = 0;
    bool found = false;
    ((found = found || std::is_same_v<Kind, Kinds>, place += found ? 0 : 1), ...);
    return place;
  }
};

template <class... Lists>
struct JoinedKinds;
template <class... Kinds>
struct JoinedKinds<KindList<Kinds...>> {
  using List = KindList<Kinds...>;
};
template <class... First, class... Second, class... Rest>
struct JoinedKinds<KindList<First...>, KindList<Second...>, Rest...> {
  using List = typename JoinedKinds<KindList<First..., Second...>, Rest...>::List;
};

}  // namespace rdmaready
