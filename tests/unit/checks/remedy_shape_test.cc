// SPDX-License-Identifier: Apache-2.0
// The remedies of all checks: what they have to say beside a command, and that each command can be typed.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/fields.h"
#include "checks/catalog.h"
#include "checks/judge.h"
#include "checks/live/transfer.h"
#include "checks/live/transfer_hints.h"
#include "checks/placeholders.h"
#include "checks/probe/probe.h"
#include "checks/words/fix.h"
#include "checks/words/open_words.h"
#include "tests/unit/checks/ask_alone.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/shell_command.h"

namespace rdmaready {
namespace {

// More than a command and what a person does after it.
bool IsStructured(const Remedy& remedy) {
  return !remedy.cause.empty() || !remedy.cautions.empty() || !remedy.alternatives.empty() ||
         !remedy.check.empty() || !remedy.owner.empty();
}

bool IsWrong(Outcome outcome) { return outcome == Outcome::kFail || outcome == Outcome::kWarn; }

// The key is the command, and the value the check that prints it.
using CommandsOfChecks = std::map<std::string, std::string>;

// As a finding prints them: SetRemedy makes an action of each command that is to be filled in.
void AddCommands(std::string_view check, const Remedy& written, CommandsOfChecks& commands) {
  const Remedy remedy = WithoutOpenCommands(written);
  for (const RemedyStep& step : remedy.steps) {
    if (!step.command.empty()) commands.emplace(step.command, check);
  }
  if (!remedy.check.empty()) commands.emplace(remedy.check, check);
}

void ExpectCommandsToBeTypable(const CommandsOfChecks& commands) {
  EXPECT_FALSE(commands.empty());
  for (const auto& [command, check] : commands)
    EXPECT_EQ(FaultOfCommand(command), "") << check << ": " << command;
}

// Checks whose failures have nothing but a command.
constexpr std::string_view kOnlyACommand[] = {"dcb.at-boot",     "dcbx.dialect",      "dcbx.mode",
                                              "dcbx.one-agent",  "dcbx.willing",      "drift.foreign-writer",
                                              "drv.dcb-capable", "roce.consumer-tos", "roce.tos-persistent",
                                              "vlan.egress-map", "vlan.mqprio"};

TEST(RemedyShape, SaysMoreThanACommand) {
  std::map<std::string_view, bool> structured;
  for (const CheckCase& row : AllCheckCases()) {
    const Verdict verdict = AskAlone(*FindCheck(row.id), row);
    if (!IsWrong(verdict.outcome)) continue;
    bool& all = structured.emplace(row.id, true).first->second;
    all = all && IsStructured(verdict.fix.remedy());
  }
  for (const auto& [id, all] : structured) {
    const bool listed = std::ranges::find(kOnlyACommand, id) != std::end(kOnlyACommand);
    EXPECT_TRUE(all || listed)
        << id << ": name a cause, a caution, another way or a command that shows that it worked";
    EXPECT_FALSE(all && listed) << id << ": take it off the list";
  }
}

TEST(RemedyShape, HasCommandsThatCanBeTyped) {
  CommandsOfChecks commands;
  const Facts host = GoodHost();
  for (const Check& check : AllChecks()) {
    AddCommands(check.id,
                WithTexts(check.fix.remedy(),
                          [&host](const std::string& text) {
                            return FillIn(text, host, &host.ports->front(), VirtualFabricProfile());
                          }),
                commands);
  }
  for (const TransferCheck& check : AllTransferChecks()) AddCommands(check.id, check.fix.remedy(), commands);
  for (const ProbeCheck& check : AllProbeChecks()) AddCommands(check.id, check.fix.remedy(), commands);
  ExpectCommandsToBeTypable(commands);
}

TEST(RemedyShape, HasCommandsThatCanBeTypedOnTheHostOfEachCase) {
  CommandsOfChecks commands;
  for (const CheckCase& row : AllCheckCases()) {
    AddCommands(row.id, AskAlone(*FindCheck(row.id), row).fix.remedy(), commands);
    for (const Finding& finding : JudgeHost(row.host, row.extra.profile)) {
      if (finding.remedy) AddCommands(finding.id, *finding.remedy, commands);
    }
  }
  ExpectCommandsToBeTypable(commands);
}

// The words of a command that come after `word`.
std::string WordAfter(const std::string& command, const std::string& word) {
  const std::size_t at = command.find(" " + word + " ");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + word.size() + 2;
  return command.substr(begin, command.find_first_of(" ;&", begin) - begin);
}

// An address, a route or an interface that is deleted where RDMA runs is a repair that ends the storage of the
// host.
TEST(RemedyShape, DeletesNothingOfAnInterfaceThatCarriesRdma) {
  int deletes = 0;
  for (const CheckCase& row : AllCheckCases()) {
    if (!row.host.ports) continue;
    std::set<std::string> rdma;
    for (const Port& port : *row.host.ports) {
      if (port.netdev) rdma.insert(port.netdev->name);
      if (!port.uppers) continue;
      for (const UpperNetdev& upper : *port.uppers) rdma.insert(upper.name);
    }
    for (const Finding& finding : JudgeHost(row.host, row.extra.profile)) {
      if (!finding.remedy) continue;
      for (const RemedyStep& step : finding.remedy->steps) {
        const bool ends = step.command.starts_with("ip ") &&
                          step.command.find(" neighbour ") == std::string::npos &&
                          (step.command.find(" del ") != std::string::npos ||
                           step.command.find(" flush ") != std::string::npos);
        if (!ends) continue;
        ++deletes;
        EXPECT_FALSE(rdma.contains(WordAfter(step.command, "dev"))) << finding.id << ": " << step.command;
      }
    }
  }
  EXPECT_GT(deletes, 0);
}

TEST(RemedyShape, MakesAnActionOfACommandWithAPlaceholder) {
  Finding finding;
  SetFix(finding, Fix("ip address add ADDRESS dev dcb0").Run("ip link set dev dcb0 up").CheckBy("ping HOST"));
  EXPECT_EQ(finding.fix, "ip link set dev dcb0 up");
  ASSERT_EQ(finding.remedy->steps.size(), 3U);
  EXPECT_EQ(finding.remedy->steps[0].action, "fill in and run: ip address add ADDRESS dev dcb0");
  EXPECT_EQ(finding.remedy->steps[2].action, "at the end fill in and run: ping HOST");
  EXPECT_EQ(finding.remedy->check, "");
  EXPECT_EQ(WithoutOpenCommands(*finding.remedy), *finding.remedy);
  EXPECT_FALSE(HasOpenWord("ip link show dev 'PORT'"));
  EXPECT_FALSE(HasOpenWord("NAME=a grep NETDEV_MTU file"));
}

// An older reader knows the fix alone. A remedy over the limits does not travel.
TEST(RemedyShape, HasItsFirstCommandAsTheFixAndTravels) {
  std::size_t judged = 0;
  for (const CheckCase& row : AllCheckCases()) {
    for (const Finding& finding : JudgeHost(row.host, row.extra.profile)) {
      if (!finding.remedy) {
        EXPECT_EQ(finding.fix, "") << finding.id;
        continue;
      }
      ++judged;
      EXPECT_EQ(finding.fix, FirstCommand(*finding.remedy)) << finding.id;
      EXPECT_TRUE(IsWithinLimits(*finding.remedy))
          << finding.id << ": " << BytesOf(*finding.remedy) << " bytes";
      for (const std::string& caution : finding.remedy->cautions)
        EXPECT_EQ(finding.fix.find(caution), std::string::npos) << finding.id;
    }
  }
  EXPECT_GT(judged, 100u);
}

constexpr std::string_view kHostile = "x;$(reboot) y";

std::set<std::string> NamesOf(const Facts& host) {
  std::set<std::string> names;
  if (!host.ports) return names;
  for (const Port& port : *host.ports) {
    names.insert(port.device);
    if (port.netdev) names.insert(port.netdev->name);
    if (port.uppers) {
      for (const UpperNetdev& upper : *port.uppers) names.insert(upper.name);
    }
    if (!port.subnets) continue;
    for (const Subnet& subnet : *port.subnets) {
      for (const SubnetSharer& sharer : subnet.shared_with) names.insert(sharer.netdev);
    }
  }
  names.erase("");
  return names;
}

// Appends the hostile text to each text that is one of the names.
void MakeHostile(const TypeInfo& type, void* object, const std::set<std::string>& names) {
  using Form = TypeInfo::Form;
  if (type.form == Form::kText) {
    auto& text = *static_cast<std::string*>(object);
    if (names.contains(text)) text += kHostile;
  } else if (type.form == Form::kStruct) {
    for (const FieldInfo& field : type.fields()) MakeHostile(*field.type, MemberOf(object, field), names);
  } else if (type.element != nullptr) {
    for (std::size_t i = 0; i < type.size(object); ++i) MakeHostile(*type.element, type.at(object, i), names);
  }
}

// Names come from the host, and the kernel allows nearly all characters in them.
TEST(RemedyShape, QuotesTheNamesOfTheHost) {
  CommandsOfChecks commands;
  for (const CheckCase& row : AllCheckCases()) {
    CheckCase hostile = row;
    MakeHostile(TypeOf<Facts>(), &hostile.host, NamesOf(row.host));
    AddCommands(row.id, AskAlone(*FindCheck(row.id), hostile).fix.remedy(), commands);
    for (const Finding& finding : JudgeHost(hostile.host, row.extra.profile)) {
      if (finding.remedy) AddCommands(finding.id, *finding.remedy, commands);
    }
  }
  const auto named = std::ranges::count_if(
      commands, [](const auto& one) { return one.first.find(kHostile) != std::string::npos; });
  EXPECT_GT(named, 100);
  for (const auto& [command, check] : commands) {
    EXPECT_EQ(FaultOfCommand(command), "") << check << ": " << command;
    EXPECT_TRUE(IsQuotedIn(command, kHostile)) << check << ": " << command;
  }
}

// A netdev, an address and the name of a host: the caller or the other host gives them.
TEST(RemedyShape, QuotesTheNamesOfALiveTest) {
  CommandsOfChecks commands;
  const std::string name(kHostile);
  for (const Rung rung : {Rung::kLoopback, Rung::kPeer}) {
    for (const bool routed : {false, true}) {
      const TransferPlace place{.rung = rung,
                                .routed = routed,
                                .netdev = name,
                                .peer_address = name,
                                .peer_host = name,
                                .host = name};
      for (int kind = 0; kind <= static_cast<int>(FailureKind::kCancelled); ++kind) {
        const Fix fix = HintFor({.kind = static_cast<FailureKind>(kind), .detail = {}}, place);
        EXPECT_TRUE(fix.empty() || IsStructured(fix.remedy())) << kind;
        AddCommands(std::to_string(kind), fix.remedy(), commands);
      }
      for (const Fix& fix : {HintForErrors(place), HintForThroughput(place), HintForLatency(place)})
        AddCommands("hint", fix.remedy(), commands);
    }
  }
  ExpectCommandsToBeTypable(commands);
  for (const auto& [command, kind] : commands)
    EXPECT_TRUE(IsQuotedIn(command, kHostile)) << kind << ": " << command;
}

TEST(RemedyShape, QuotesTheNamesOfAProbe) {
  for (const Protocol protocol : {Protocol::kSmb, Protocol::kNvme, Protocol::kIser, Protocol::kNfs}) {
    ProbeResult result{.protocol = protocol, .target = std::string(kHostile), .address = std::string(kHostile)};
    result.answers.nvme.proof_subsystem = kHostile;
    result.answers.nvme.kernel_controller = kHostile;
    result.answers.iser.proof_target = kHostile;
    result.answers.nfs.proof_export = kHostile;
    CommandsOfChecks commands;
    for (const Finding& finding : JudgeProbe(result)) {
      if (finding.remedy) AddCommands(finding.id, *finding.remedy, commands);
    }
    ExpectCommandsToBeTypable(commands);
    for (const auto& [command, id] : commands)
      EXPECT_TRUE(IsQuotedIn(command, kHostile)) << id << ": " << command;
  }
}

TEST(ShellCommand, FindsWhatCannotBeTyped) {
  EXPECT_EQ(FaultOfCommand("ip link show dev 'a;b'"), "");
  EXPECT_EQ(FaultOfCommand("grep '# no comment' /etc/fstab"), "");
  EXPECT_EQ(FaultOfCommand("# check the cable"), "has a comment");
  EXPECT_EQ(FaultOfCommand("ip link  # look at it"), "has a comment");
  EXPECT_EQ(FaultOfCommand("if true; then true; fi"), "does not begin with a program");
  EXPECT_EQ(FaultOfCommand("ip link show dev 'a"), "does not parse in a shell");
  EXPECT_EQ(FaultOfCommand("ip address add ADDRESS dev dcb0"), "has a placeholder");
  EXPECT_EQ(FaultOfCommand("ip link set dev dcb0.VLAN up"), "has a placeholder");
  EXPECT_EQ(FaultOfCommand("rdmaready test peer HOST-A b"), "has a placeholder");
  EXPECT_EQ(FaultOfCommand("grep NCCL_IB_TC /etc/nccl.conf"), "");
  EXPECT_TRUE(IsQuotedIn("ip link show dev 'a;b'", "a;b"));
  EXPECT_FALSE(IsQuotedIn("ip link show dev a;b", "a;b"));
  EXPECT_FALSE(IsQuotedIn("ip link show dev \"a;b\"", "a;b"));
}

}  // namespace
}  // namespace rdmaready
