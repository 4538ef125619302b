// SPDX-License-Identifier: Apache-2.0
// Questions about programs, limits and the kernel itself.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/questions/kind_list.h"

namespace rdmaready {

// One message to lldpad's client interface, and its answer, as they are (collectors/lldp/lldpad_messages.h).
// Messages that are no questions are refused. It blocks for at most 300 ms. Never ask before lldpad was seen to
// run (collectors/lldp/lldp_agents.h): systemd may hold its socket, and would start it.
struct LldpadQuestion {
  using Answer = std::string;
  static constexpr const char* kFile = "lldpad.jsonl";

  std::string message{};

  auto operator<=>(const LldpadQuestion&) const = default;
  void Fields(auto& line) { line("question", message); }
  static void Answered(auto& line, Answer& answer) { line("answer", answer); }
  std::string What() const { return "ask lldpad"; }
  absl::StatusOr<Answer> AskThisHost() const;
};

struct MemlockAnswer {
  std::uint64_t limit_bytes = 0;  // all bits set: unlimited (RLIM_INFINITY)
  bool cap_ipc_lock = false;      // it may lock any amount
  std::int64_t pid = 0;

  bool operator==(const MemlockAnswer&) const = default;
  void Fields(auto& line) { line("limit_bytes", limit_bytes, "cap_ipc_lock", cap_ipc_lock, "pid", pid); }
};

// RLIMIT_MEMLOCK of the calling process.
struct MemlockQuestion {
  using Answer = MemlockAnswer;
  static constexpr const char* kFile = "limits.jsonl";

  auto operator<=>(const MemlockQuestion&) const = default;
  void Fields(auto& line) { line.Word("limit", "memlock"); }
  std::string What() const { return "get RLIMIT_MEMLOCK"; }
  absl::StatusOr<Answer> AskThisHost() const;
};

// What the kernel says of its clock: struct timex of adjtimex(2).
struct ClockAnswer {
  std::uint32_t state = 0;   // TIME_OK, ... TIME_ERROR: what the call returned
  std::uint32_t status = 0;  // STA_UNSYNC, ...: the bits of `status`
  std::uint64_t max_error_us = 0;
  std::uint64_t estimated_error_us = 0;

  bool operator==(const ClockAnswer&) const = default;
  void Fields(auto& line) {
    line("state", state, "status", status, "max_error_us", max_error_us, "estimated_error_us",
         estimated_error_us);
  }
};

// The clock of the system, CLOCK_REALTIME. Reading it takes no privilege.
struct ClockQuestion {
  using Answer = ClockAnswer;
  static constexpr const char* kFile = "clock.jsonl";

  auto operator<=>(const ClockQuestion&) const = default;
  void Fields(auto& line) { line.Word("clock", "realtime"); }
  std::string What() const { return "ask adjtimex"; }
  absl::StatusOr<Answer> AskThisHost() const;
};

// A process that the kubelet of a node started.
struct PodProcess {
  std::uint32_t pid = 0;
  std::string name{};    // of /proc/PID/comm
  std::string pod{};     // the UID of its pod, of /proc/PID/cgroup
  std::string script{};  // the file name of the script that it runs: "roce-qos.sh"; empty: it runs none
  std::vector<std::string> words{};  // those of the question that its command line holds

  bool operator==(const PodProcess&) const = default;
  void Fields(auto& line) { line("pid", pid, "name", name, "pod", pod, "script", script, "words", words); }
};

struct PodProcessesAnswer {
  std::vector<PodProcess> processes{};

  bool operator==(const PodProcessesAnswer&) const = default;
  void Fields(auto& line) { line("processes", processes); }
};

// Processes in pods that have one of `words` in their name or command line, or that run a script. Nothing else
// of a command line is returned.
struct PodProcessesQuestion {
  using Answer = PodProcessesAnswer;
  static constexpr const char* kFile = "pods.jsonl";

  std::vector<std::string> words{};

  auto operator<=>(const PodProcessesQuestion&) const = default;
  void Fields(auto& line) { line("pods", words); }
  std::string What() const { return "look for processes in pods"; }
  absl::StatusOr<Answer> AskThisHost() const;
};

using SystemQuestions = KindList<LldpadQuestion, MemlockQuestion, ClockQuestion, PodProcessesQuestion>;

}  // namespace rdmaready
