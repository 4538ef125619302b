// SPDX-License-Identifier: Apache-2.0
// What an SMB server's answers mean for SMB Direct.
#include <fmt/format.h>

#include "api/base/text.h"
#include "api/model/probe_walk.h"
#include "checks/probe/answers.h"
#include "checks/probe/families.h"
#include "checks/probe/storage.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSmbTcp = "TCP";
constexpr std::string_view kSmb2Tcp = "SMB2 NEGOTIATE by TCP";
constexpr std::string_view kSmbCm = "RDMA connection manager";
constexpr std::string_view kSmbd = "MS-SMBD negotiate";
constexpr std::string_view kSmb2Rdma = "SMB2 NEGOTIATE by RDMA";

constexpr std::uint64_t kSmbGoodIoBytes = 1'048'576;
constexpr std::uint64_t kSmbLeastIoBytes = 65'536;  // below it clients drop the server, [MS-SMB2] 3.2.5.2
constexpr std::uint64_t kSmbUsualDepth = 8;         // what servers ask for; see the kernel's smb_direct

Fix SmbTcpFix(const ProbeView& view) {
  const ProbeStep* step = view.Step(kStepTcpConnect);
  if (step == nullptr || step->failure.kind != FailureKind::kRejected) return {};
  return OnServer("ss -ltn 'sport = :445'")
      .Because("the server is there, and no SMB server listens")
      .Do("Linux: systemctl start ksmbd (or smbd)")
      .Or("Windows: Start-Service LanmanServer");
}

Verdict JudgeServerTcp(const ProbeView& view) {
  return JudgeServerStep(view, kStepTcpConnect, "open", "open", kSmbTcp, SmbTcpFix(view));
}

bool IsSmb3(std::string_view dialect) { return dialect.starts_with("3."); }

Verdict JudgeSmb3(const ProbeView& view) {
  const std::string_view dialect = TextOf(view.answers.tcp.dialect);
  Verdict verdict =
      JudgeServerStep(view, kStepTcpNegotiate, fmt::format("SMB {}", dialect), "SMB 3.0 or newer", kSmb2Tcp);
  if (verdict.outcome == Outcome::kPass && !IsSmb3(dialect)) verdict.outcome = Outcome::kFail;
  return verdict;
}

Verdict JudgeSmbMultiChannel(const ProbeView& view) {
  const bool by_rdma = !view.answers.tcp.multi_channel;
  const std::optional<bool> announced =
      by_rdma ? view.answers.smb.multi_channel : view.answers.tcp.multi_channel;
  const std::string_view source = by_rdma ? kSmb2Rdma : kSmb2Tcp;
  if (!announced) return NotTold(source, "announced");
  return {.outcome = *announced ? Outcome::kPass : Outcome::kWarn,
          .observed = *announced ? "announced" : "not announced: Windows clients stay on TCP",
          .expected = "announced",
          .source = std::string(source)};
}

Verdict NobodyListensForSmb(const ProbeView& view, Verdict verdict) {
  const RdmaRefusal& refusal = view.answers.rdma.refusal;
  if (refusal.kind == RdmaRefusal::Kind::kNoListener)
    verdict.observed = fmt::format("no RDMA listener ({})", verdict.observed);
  if (!IsSilent(refusal) || !view.Done(kStepTcpConnect)) return verdict;
  // The address is alive: what keeps silent there is RDMA.
  verdict.observed = fmt::format("TCP is answered there and RDMA is not ({})", verdict.observed);
  verdict.fix = FixOfSilentRdma(view);
  return verdict;
}

Verdict JudgeServerListener(const ProbeView& view) {
  Verdict verdict =
      JudgeServerStep(view, kStepRdmaConnect, fmt::format("answers on port {}", view.result.port_number),
                      "an SMB Direct server that listens", kSmbCm);
  if (verdict.outcome == Outcome::kFail) return NobodyListensForSmb(view, std::move(verdict));
  if (verdict.outcome == Outcome::kPass && view.result.port_number == 5445 &&
      view.result.transport != "iwarp") {
    verdict.outcome = Outcome::kWarn;
    verdict.observed = "answers on port 5445 only, which is that of iWARP";
    verdict.expected = "port 445 on InfiniBand and RoCE";
    verdict.fix = OnServer("rdma link show")
                      .Because("ksmbd before Linux 7.0 moves to 5445 as soon as any iWARP device exists")
                      .Do("remove the iWARP device, and start ksmbd again")
                      .Or("mount with -o rdma,port=5445");
  }
  return verdict;
}

Verdict JudgeSmbdNegotiate(const ProbeView& view) {
  const SmbAnswers& smb = view.answers.smb;
  const std::string sizes = fmt::format("send {} B, fragmented {} B, {} credits", TextOf(smb.smbd_max_receive),
                                        TextOf(smb.smbd_max_fragmented), TextOf(smb.smbd_credits_granted));
  return JudgeServerStep(view, kStepSmbdNegotiate, sizes, "version 1.0 and sizes to work with", kSmbd);
}

Verdict JudgeSmb2OverRdma(const ProbeView& view) {
  const std::string_view dialect = TextOf(view.answers.smb.dialect);
  Verdict verdict =
      JudgeServerStep(view, kStepSmb2Negotiate, fmt::format("SMB {} over {}", dialect, view.result.transport),
                      "SMB 3 over RDMA", kSmb2Rdma);
  if (verdict.outcome == Outcome::kPass && !IsSmb3(dialect)) verdict.outcome = Outcome::kFail;
  return verdict;
}

Verdict JudgeServerSigning(const ProbeView& view) {
  const SmbAnswers& smb = view.answers.smb;
  if (smb.signing == SmbAnswers::Signing::kUnknown) return NotTold(kSmb2Rdma);
  Verdict verdict{.outcome = Outcome::kPass,
                  .observed = "not required",
                  .expected = "not required",
                  .source = std::string(kSmb2Rdma)};
  if (smb.signing != SmbAnswers::Signing::kRequired) return verdict;
  verdict.outcome = Outcome::kWarn;
  verdict.observed = smb.rdma_transform == true
                         ? "required, with the RDMA transform: only newer Windows clients place data by RDMA"
                         : "required, without the RDMA transform: no client places data by RDMA";
  return verdict;
}

Verdict JudgeSmbIoSize(const ProbeView& view) {
  const SmbAnswers& smb = view.answers.smb;
  if (!smb.io_size) return NotTold(kSmb2Rdma);
  Verdict verdict{
      .observed = fmt::format("{} at a time (read {}, write {}, RDMA {})", BytesText(*smb.io_size),
                              TextOf(smb.max_read), TextOf(smb.max_write), TextOf(smb.smbd_max_read_write)),
      .expected = "1 MiB or more",
      .source = "SMB2 NEGOTIATE and MS-SMBD negotiate"};
  verdict.outcome = *smb.io_size >= kSmbGoodIoBytes ? Outcome::kPass : Outcome::kWarn;
  if (*smb.io_size < kSmbLeastIoBytes) {
    verdict.outcome = Outcome::kFail;
    verdict.expected = "64 KiB at the least, better 1 MiB";
  }
  return verdict;
}

Verdict JudgeSmbRdmaDepth(const ProbeView& view) {
  const std::optional<std::uint64_t> reads = view.answers.rdma.ird;
  if (!reads) return NotTold(kSmbCm);
  return {.outcome = *reads == 0               ? Outcome::kFail
                     : *reads < kSmbUsualDepth ? Outcome::kWarn
                                               : Outcome::kPass,
          .observed = fmt::format("the server may have {} RDMA reads under way", *reads),
          .expected = fmt::format("{} or more", kSmbUsualDepth),
          .source = std::string(kSmbCm)};
}

Verdict JudgeSmbdMinimum(const ProbeView& view) {
  const auto verdict = [](Outcome outcome, std::string observed) {
    return Verdict{.outcome = outcome,
                   .observed = std::move(observed),
                   .expected = "MaxReceiveSize 128 and MaxFragmentedSize 131072 accepted",
                   .source = std::string(kSmbd)};
  };
  switch (view.answers.smb.smbd_minimum) {
    case SmbAnswers::Minimum::kUnknown:
      return NotTold(kSmbd);
    case SmbAnswers::Minimum::kAccepted:
      return verdict(Outcome::kPass, "accepted");
    case SmbAnswers::Minimum::kDropped:
      return verdict(Outcome::kWarn, "the connection is dropped");
    case SmbAnswers::Minimum::kSilent:
      return verdict(Outcome::kWarn, "no answer, and the connection stays");
  }
  return NotTold(kSmbd);
}

std::vector<ProbeCheck> SmbConnectionChecks() {
  return {
      {.id = "server.address",
       .title = "The server's name leads to an address",
       .why = kProbeWhyAddress,
       .fix = ProbeAddressFix(),
       .blocking = true,
       .judge = &JudgeProbeAddress},
      {.id = "server.route",
       .title = "An RDMA port of this host leads to the server",
       .why =
           "SMB Direct goes out of the interface that routes to the server: without RDMA there it stays on TCP",
       .fix = ProbeRouteFix(),
       .blocking = true,
       .depends_on = {"server.address"},
       .judge = &JudgeProbeRoute},
      {.id = "server.tcp-445",
       .title = "The server answers on TCP port 445",
       .why = "A Windows client begins with TCP and only then moves to RDMA; without TCP it does not get there",
       .fix = Fix("nc -vz {address} 445")
                  .Because("a firewall on the way drops TCP port 445, or nothing listens there",
                           Certainty::kPossible)
                  .Do("let TCP port 445 through every firewall on the way")
                  .CheckBy("nc -vz {address} 445"),
       .blocking = true,
       .depends_on = {"server.address", "server.route"},
       .judge = &JudgeServerTcp},
      {.id = "server.smb3",
       .title = "The server speaks SMB 3.0 or newer",
       .why = "SMB Direct and multichannel exist since SMB 3.0",
       .fix = OnServer("grep -i protocol /etc/ksmbd/ksmbd.conf")
                  .Do("let the server speak SMB3_11")
                  .Or("Windows: Set-SmbServerConfiguration -EnableSMB2Protocol $true"),
       .blocking = true,
       .depends_on = {"server.address", "server.tcp-445"},
       .judge = &JudgeSmb3},
      {.id = "server.multichannel",
       .title = "The server announces multichannel",
       .why = "Windows clients learn by multichannel which addresses speak RDMA: without it they stay on TCP, "
              "silently. Linux clients are told by mount -o rdma, and need it not",
       .fix = OnServer("sed -i '/\\[global\\]/a server multi channel support = yes' /etc/ksmbd/ksmbd.conf && "
                       "systemctl restart ksmbd")
                  .Caution("the sessions of all clients end: drain them before")
                  .Or("Windows: Set-SmbServerConfiguration -EnableMultiChannel $true"),
       .depends_on = {"server.address", "server.tcp-445", "server.smb3"},
       .judge = &JudgeSmbMultiChannel},
      {.id = "server.rdma-listener",
       .title = "The server accepts RDMA connections for SMB",
       .why = "Where nobody listens by RDMA, clients use TCP and say nothing",
       .fix = OnServer("rdma resource show cm_id")
                  .Because("ksmbd was built without SMB Direct, or started before its RDMA device was there",
                           Certainty::kPossible)
                  .Do("take a kernel with CONFIG_SMB_SERVER_SMBDIRECT=y (Debian has it off)")
                  .Do("start ksmbd again, when the RDMA device is there")
                  .Or("Windows: Get-NetAdapterRdma must say Enabled, and the edition must have SMB Direct"),
       .blocking = true,
       .depends_on = {"server.address", "server.route", "server.tcp-445"},
       .judge = &JudgeServerListener},
      {.id = "server.rdma-depth",
       .title = "The server can fetch what clients write by RDMA reads, several at a time",
       .why = "With a depth of 0 no write goes by RDMA; each step below 8 costs write throughput",
       .fix =
           Fix("ibv_devinfo -v | grep max_qp")
               .Caution(
                   "run the command on both hosts: max_qp_rd_atom and max_qp_init_rd_atom of the ports decide")
               .Do("iWARP: update the older kernel; before Linux 6.18 the depths came in another byte order"),
       .blocking = true,
       .depends_on = {"server.address", "server.route", "server.tcp-445", "server.rdma-listener"},
       .judge = &JudgeSmbRdmaDepth},
      {.id = "server.smbd-negotiate",
       .title = "The server agrees on an SMB Direct connection",
       .why = "MS-SMBD fixes message sizes and credits before SMB can say a word",
       .fix = OnServer("dmesg | grep -i -e ksmbd -e smbdirect")
                  .Or("Windows: Get-WinEvent -LogName Microsoft-Windows-SMBServer/Operational"),
       .blocking = true,
       .depends_on = {"server.address", "server.route", "server.tcp-445", "server.rdma-listener"},
       .judge = &JudgeSmbdNegotiate},
      {.id = "server.smb2-over-rdma",
       .title = "The server speaks SMB 3 over RDMA",
       .why = "Only an answer that came over RDMA shows that the whole way to the server works",
       .fix = OnServer("dmesg | grep -i -e ksmbd -e smbdirect")
                  .Do("look for credits, fragments or the dialect")
                  .Or("Windows: Get-WinEvent -LogName Microsoft-Windows-SMBServer/Operational"),
       .blocking = true,
       .proof = true,
       .depends_on = {"server.address", "server.route", "server.tcp-445", "server.rdma-listener",
                      "server.smbd-negotiate"},
       .judge = &JudgeSmb2OverRdma},
  };
}

}  // namespace

std::vector<ProbeCheck> SmbServerChecks() {
  std::vector<ProbeCheck> checks = SmbConnectionChecks();
  const std::vector<ProbeCheck> session{
      {.id = "server.signing",
       .title = "The server does not require signing",
       .why = "A Linux client that signs or encrypts never places data by RDMA, and a Windows client needs the "
              "RDMA transform for it (Windows Server 2022): messages still go by RDMA, bulk data is copied",
       .fix = OnServer("grep -i 'server signing' /etc/ksmbd/ksmbd.conf")
                  .Caution("without signing nothing shows that data was changed on its way")
                  .Do("write server signing = auto, where the network is trusted")
                  .Or("Windows (11 24H2 and Server 2025 require it by default): "
                      "Set-SmbServerConfiguration -RequireSecuritySignature $false"),
       .depends_on = {"server.address", "server.route", "server.tcp-445", "server.rdma-listener",
                      "server.smbd-negotiate", "server.smb2-over-rdma"},
       .judge = &JudgeServerSigning},
      {.id = "server.io-size",
       .title = "Reads and writes of 1 MiB go in one piece",
       .why = "The least of SMB2's and SMB Direct's limits decides how much one request moves",
       .fix = OnServer("grep -i -e 'smb2 max' -e 'smbd max io size' /etc/ksmbd/ksmbd.conf")
                  .Do("raise smb2 max read, smb2 max write and smbd max io size")
                  .Or("Windows Server 2012: install KB2934016"),
       .depends_on = {"server.address", "server.route", "server.tcp-445", "server.rdma-listener",
                      "server.smbd-negotiate", "server.smb2-over-rdma"},
       .judge = &JudgeSmbIoSize},
      {.id = "server.smbd-minimum",
       .title = "The server accepts the least sizes that MS-SMBD allows",
       .why = "Windows and Linux clients ask for more and never notice; another client that keeps to the "
              "specification's minima is dropped without a word",
       .fix = OnServer("uname -r")
                  .Because("ksmbd before Linux 6.18 drops the minima")
                  .Do("install a newer kernel, where clients other than Windows and Linux connect")
                  .Or("leave it, where all clients are Windows or Linux"),
       .depends_on = {"server.address", "server.route", "server.tcp-445", "server.rdma-listener",
                      "server.smbd-negotiate", "server.smb2-over-rdma"},
       .judge = &JudgeSmbdMinimum},
  };
  checks.insert(checks.end(), session.begin(), session.end());
  return checks;
}

}  // namespace rdmaready
