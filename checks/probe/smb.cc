// SPDX-License-Identifier: Apache-2.0
// What an SMB server's answers mean for SMB Direct.
#include <algorithm>

#include "api/base/text.h"
#include "checks/probe/families.h"
#include "checks/probe/storage.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kTcp = "TCP";
constexpr std::string_view kSmb2Tcp = "SMB2 NEGOTIATE by TCP";
constexpr std::string_view kSmbCm = "RDMA connection manager";
constexpr std::string_view kSmbd = "MS-SMBD negotiate";
constexpr std::string_view kSmb2Rdma = "SMB2 NEGOTIATE by RDMA";

constexpr std::uint64_t kMiB = 1'048'576;
constexpr std::uint64_t kLeastIoBytes = 65'536;  // below it clients drop the server, [MS-SMB2] 3.2.5.2
constexpr std::uint64_t kUsualDepth = 8;         // what servers ask for; see the kernel's smb_direct

Verdict Address(const ProbeView& view) {
  return JudgeStep(view, "resolve", std::string(view.result.address), "a name that resolves", "resolver");
}

Verdict Route(const ProbeView& view) {
  return JudgeStep(view, "route", Cat(view.result.local_port, " leads to ", view.result.address),
                   "an RDMA port on the way to the server", "routing table and RDMA ports of this host");
}

std::string TcpFix(const ProbeView& view) {
  const ProbeStep* step = view.Step("tcp-connect");
  if (step == nullptr || step->failure.kind != FailureKind::kRejected) return {};
  return "ss -ltn 'sport = :445'  # on the server: nothing listens; Linux: systemctl start ksmbd (or smbd), "
         "Windows: Start-Service LanmanServer";
}

Verdict Tcp445(const ProbeView& view) {
  return JudgeServerStep(view, "tcp-connect", "open", "open", kTcp, TcpFix(view));
}

bool IsSmb3(std::string_view dialect) { return dialect.starts_with("3."); }

Verdict Smb3(const ProbeView& view) {
  const std::string_view dialect = view.Value("tcp-dialect");
  Verdict verdict = JudgeServerStep(view, "tcp-negotiate", Cat("SMB ", dialect), "SMB 3.0 or newer", kSmb2Tcp);
  if (verdict.outcome == Outcome::kPass && !IsSmb3(dialect)) verdict.outcome = Outcome::kFail;
  return verdict;
}

Verdict MultiChannel(const ProbeView& view) {
  const bool by_rdma = view.Value("tcp-multi-channel").empty();
  const std::string_view announced = view.Value(by_rdma ? "smb2-multi-channel" : "tcp-multi-channel");
  Verdict verdict{.expected = "announced", .source = std::string(by_rdma ? kSmb2Rdma : kSmb2Tcp)};
  if (announced.empty()) {
    verdict.observed = "not told";
    return verdict;
  }
  verdict.outcome = announced == "yes" ? Outcome::kPass : Outcome::kFail;
  verdict.observed = announced == "yes" ? "announced" : "not announced";
  return verdict;
}

Verdict NobodyAnswers(const ProbeView& view, Verdict verdict) {
  const std::string_view refusal = view.Value("rdma-refusal");
  const bool silent = refusal == "no-answer" || refusal == "unresolved";
  if (refusal == "no-listener") verdict.observed = Cat("no RDMA listener (", verdict.observed, ")");
  if (!silent || !view.Done("tcp-connect")) return verdict;
  // The address is alive: what keeps silent there is RDMA.
  verdict.observed = Cat("TCP is answered there and RDMA is not (", verdict.observed, ")");
  verdict.fix = FixOfSilentRdma(view);
  return verdict;
}

Verdict ListensByRdma(const ProbeView& view) {
  Verdict verdict = JudgeServerStep(view, "rdma-connect", Cat("answers on port ", view.result.port_number),
                                    "an SMB Direct server that listens", kSmbCm);
  if (verdict.outcome == Outcome::kFail) return NobodyAnswers(view, std::move(verdict));
  if (verdict.outcome == Outcome::kPass && view.result.port_number == 5445 &&
      view.result.transport != "iwarp") {
    verdict.outcome = Outcome::kWarn;
    verdict.observed = "answers on port 5445 only, which is that of iWARP";
    verdict.expected = "port 445 on InfiniBand and RoCE";
    verdict.fix =
        "rdma link show  # on the server: ksmbd before Linux 7.0 moves to 5445 as soon as any iWARP device "
        "exists; remove that device, or mount with -o rdma,port=5445";
  }
  return verdict;
}

Verdict SmbdNegotiate(const ProbeView& view) {
  const std::string sizes =
      Cat("send ", view.Value("smbd-max-receive"), " B, fragmented ", view.Value("smbd-max-fragmented"), " B, ",
          view.Value("smbd-credits-granted"), " credits");
  return JudgeServerStep(view, "smbd-negotiate", sizes, "version 1.0 and sizes to work with", kSmbd);
}

Verdict Smb2OverRdma(const ProbeView& view) {
  const std::string_view dialect = view.Value("smb2-dialect");
  Verdict verdict =
      JudgeServerStep(view, "smb2-negotiate", Cat("SMB ", dialect, " over ", view.result.transport),
                      "SMB 3 over RDMA", kSmb2Rdma);
  if (verdict.outcome == Outcome::kPass && !IsSmb3(dialect)) verdict.outcome = Outcome::kFail;
  return verdict;
}

Verdict NotTold(std::string_view source) { return {.observed = "not told", .source = std::string(source)}; }

Verdict Signing(const ProbeView& view) {
  const std::string_view signing = view.Value("smb2-signing");
  if (signing.empty()) return NotTold(kSmb2Rdma);
  const bool transform = view.Value("smb2-rdma-transform") == "yes";
  Verdict verdict{.outcome = Outcome::kPass,
                  .observed = signing == "required" ? "required" : "not required",
                  .expected = "not required",
                  .source = std::string(kSmb2Rdma)};
  if (signing != "required") return verdict;
  verdict.outcome = Outcome::kWarn;
  verdict.observed = transform
                         ? "required, with the RDMA transform: only newer Windows clients place data by RDMA"
                         : "required, without the RDMA transform: no client places data by RDMA";
  return verdict;
}

Verdict IoSize(const ProbeView& view) {
  const std::optional<std::uint64_t> bytes = view.Number("io-size");
  if (!bytes) return NotTold(kSmb2Rdma);
  Verdict verdict{
      .observed = Cat(BytesText(*bytes), " at a time (read ", view.Value("smb2-max-read"), ", write ",
                      view.Value("smb2-max-write"), ", RDMA ", view.Value("smbd-max-read-write"), ")"),
      .expected = "1 MiB or more",
      .source = "SMB2 NEGOTIATE and MS-SMBD negotiate"};
  verdict.outcome = *bytes >= kMiB ? Outcome::kPass : Outcome::kWarn;
  if (*bytes < kLeastIoBytes) {
    verdict.outcome = Outcome::kFail;
    verdict.expected = "64 KiB at the least, better 1 MiB";
  }
  return verdict;
}

Verdict RdmaDepth(const ProbeView& view) {
  const std::optional<std::uint64_t> reads = view.Number("rdma-ird");
  if (!reads) return NotTold(kSmbCm);
  Verdict verdict{.observed = Cat("the server may have ", *reads, " RDMA reads under way"),
                  .expected = Cat(kUsualDepth, " or more"),
                  .source = std::string(kSmbCm)};
  verdict.outcome = *reads == 0 ? Outcome::kFail : *reads < kUsualDepth ? Outcome::kWarn : Outcome::kPass;
  return verdict;
}

Verdict SmbdMinimum(const ProbeView& view) {
  const std::string_view accepts = view.Value("smbd-accepts-minimum");
  if (accepts.empty()) return NotTold(kSmbd);
  return {.outcome = accepts == "yes" ? Outcome::kPass : Outcome::kWarn,
          .observed = accepts == "yes"  ? "accepted"
                      : accepts == "no" ? "the connection is dropped"
                                        : "no answer, and the connection stays",
          .expected = "MaxReceiveSize 128 and MaxFragmentedSize 131072 accepted",
          .source = std::string(kSmbd)};
}

}  // namespace

std::vector<ProbeCheck> SmbServerChecks() {
  return {
      {.id = "server.address",
       .title = "The server's name leads to an address",
       .why = "Without an address nothing can be tried",
       .fix = "getent hosts {target}  # give the name an address in the DNS or in /etc/hosts",
       .blocking = true,
       .judge = &Address},
      {.id = "server.route",
       .title = "An RDMA port of this host leads to the server",
       .why =
           "SMB Direct goes out of the interface that routes to the server: without RDMA there it stays on TCP",
       .fix = "ip route get {address}; rdma link show  # the interface of the route needs an RDMA device",
       .blocking = true,
       .depends_on = {"server.address"},
       .judge = &Route},
      {.id = "server.tcp-445",
       .title = "The server answers on TCP port 445",
       .why = "A Windows client begins with TCP and only then moves to RDMA; without TCP it does not get there",
       .fix = "nc -vz {address} 445  # let TCP port 445 through every firewall on the way",
       .blocking = true,
       .depends_on = {"server.address", "server.route"},
       .judge = &Tcp445},
      {.id = "server.smb3",
       .title = "The server speaks SMB 3.0 or newer",
       .why = "SMB Direct and multichannel exist since SMB 3.0",
       .fix = "grep -i protocol /etc/ksmbd/ksmbd.conf  # on the server: let it speak SMB3_11; Windows: "
              "Set-SmbServerConfiguration -EnableSMB2Protocol $true",
       .blocking = true,
       .depends_on = {"server.address", "server.tcp-445"},
       .judge = &Smb3},
      {.id = "server.multichannel",
       .title = "The server announces multichannel",
       .why = "Clients learn by multichannel which addresses speak RDMA: without it they stay on TCP, silently",
       .fix = "sed -i '/\\[global\\]/a server multi channel support = yes' /etc/ksmbd/ksmbd.conf && systemctl "
              "restart ksmbd  # on the server; Windows: Set-SmbServerConfiguration -EnableMultiChannel $true",
       .blocking = true,
       .depends_on = {"server.address", "server.tcp-445", "server.smb3"},
       .judge = &MultiChannel},
      {.id = "server.rdma-listener",
       .title = "The server accepts RDMA connections for SMB",
       .why = "Where nobody listens by RDMA, clients use TCP and say nothing",
       .fix =
           "rdma resource show cm_id  # on the server: nobody listens on {port}; Linux: the kernel needs "
           "CONFIG_SMB_SERVER_SMBDIRECT=y (Debian has it off) and the RDMA device must be there before ksmbd "
           "starts; Windows: Get-NetAdapterRdma must say Enabled, and the edition must have SMB Direct",
       .blocking = true,
       .depends_on = {"server.address", "server.route", "server.tcp-445"},
       .judge = &ListensByRdma},
      {.id = "server.rdma-depth",
       .title = "The server can fetch what clients write by RDMA reads, several at a time",
       .why = "With a depth of 0 no write goes by RDMA; each step below 8 costs write throughput",
       .fix = "ibv_devinfo -v | grep max_qp  # on both hosts: max_qp_rd_atom and max_qp_init_rd_atom of the "
              "ports; on iWARP also update the older kernel: before Linux 6.18 the depths were told in another "
              "byte order",
       .blocking = true,
       .depends_on = {"server.address", "server.route", "server.tcp-445", "server.rdma-listener"},
       .judge = &RdmaDepth},
      {.id = "server.smbd-negotiate",
       .title = "The server agrees on an SMB Direct connection",
       .why = "MS-SMBD fixes message sizes and credits before SMB can say a word",
       .fix = "dmesg | grep -i -e ksmbd -e smbdirect  # on the server; Windows: Get-WinEvent -LogName "
              "Microsoft-Windows-SMBServer/Operational",
       .blocking = true,
       .depends_on = {"server.address", "server.route", "server.tcp-445", "server.rdma-listener"},
       .judge = &SmbdNegotiate},
      {.id = "server.smb2-over-rdma",
       .title = "The server speaks SMB 3 over RDMA",
       .why = "Only an answer that came over RDMA shows that the whole way to the server works",
       .fix = "dmesg | grep -i -e ksmbd -e smbdirect  # on the server: credits, fragments or the dialect; "
              "Windows: Get-WinEvent -LogName Microsoft-Windows-SMBServer/Operational",
       .blocking = true,
       .proof = true,
       .depends_on = {"server.address", "server.route", "server.tcp-445", "server.rdma-listener",
                      "server.smbd-negotiate"},
       .judge = &Smb2OverRdma},
      {.id = "server.signing",
       .title = "The server does not require signing",
       .why = "A Linux client that signs or encrypts never places data by RDMA, and a Windows client needs the "
              "RDMA transform for it (Windows Server 2022): messages still go by RDMA, bulk data is copied",
       .fix = "grep -i 'server signing' /etc/ksmbd/ksmbd.conf  # on the server: auto, where the network is "
              "trusted; Windows (11 24H2 and Server 2025 require it by default): Set-SmbServerConfiguration "
              "-RequireSecuritySignature $false",
       .depends_on = {"server.address", "server.route", "server.tcp-445", "server.rdma-listener",
                      "server.smbd-negotiate", "server.smb2-over-rdma"},
       .judge = &Signing},
      {.id = "server.io-size",
       .title = "Reads and writes of 1 MiB go in one piece",
       .why = "The least of SMB2's and SMB Direct's limits decides how much one request moves",
       .fix = "grep -i -e 'smb2 max' -e 'smbd max io size' /etc/ksmbd/ksmbd.conf  # on the server: raise smb2 "
              "max read, smb2 max write and smbd max io size; Windows Server 2012: install KB2934016",
       .depends_on = {"server.address", "server.route", "server.tcp-445", "server.rdma-listener",
                      "server.smbd-negotiate", "server.smb2-over-rdma"},
       .judge = &IoSize},
      {.id = "server.smbd-minimum",
       .title = "The server accepts the least sizes that MS-SMBD allows",
       .why = "Windows and Linux clients ask for more and never notice; another client that keeps to the "
              "specification's minima is dropped without a word",
       .fix = "uname -r  # on the server: ksmbd before Linux 6.18 drops the minima; nothing to do for Windows "
              "and Linux clients",
       .depends_on = {"server.address", "server.route", "server.tcp-445", "server.rdma-listener",
                      "server.smbd-negotiate", "server.smb2-over-rdma"},
       .judge = &SmbdMinimum},
  };
}

}  // namespace rdmaready
