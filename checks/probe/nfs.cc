// SPDX-License-Identifier: Apache-2.0
// What an NFS server's answers mean for clients that mount by RDMA.
#include "api/base/text.h"
#include "checks/probe/families.h"
#include "checks/probe/storage.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kRpc = "RPC over RDMA";
constexpr std::string_view kClient = "this host's own NFS client";
constexpr std::string_view kFixLocalMount =
    "modprobe rpcrdma; dmesg | tail -n 30  # on this host: the agent needs the right to mount";

Verdict Null(const ProbeView& view) {
  return JudgeServerStep(view, "nfs-null", Cat("answers, ", view.Value("nfs-credits"), " credits"),
                         "version 3 or 4 is served", kRpc);
}

Verdict Versions(const ProbeView& view) {
  Verdict verdict = JudgeServerStep(view, "nfs-versions", Cat("serves ", view.Value("nfs-versions")),
                                    "version 4.1 or newer", kRpc);
  if (verdict.outcome != Outcome::kPass) return verdict;
  const std::string_view newest = view.Value("nfs-newest-version");
  if (newest == "3" || newest == "4.0") verdict.outcome = Outcome::kFail;
  if (newest == "3") verdict.observed += Cat("; 4: ", view.Value("nfs-4-refused"));
  return verdict;
}

Verdict Inline(const ProbeView& view) {
  const std::optional<std::uint64_t> bytes = view.Number("nfs-server-receive");
  Verdict verdict{.expected = "4096 bytes or more", .source = "RDMA connection manager, private data"};
  if (!bytes) {
    verdict.observed = "not told";
    return verdict;
  }
  verdict.outcome = *bytes >= 4096 ? Outcome::kPass : Outcome::kFail;
  verdict.observed = view.Value("nfs-connect-data") == "yes"
                         ? Cat(*bytes, " bytes")
                         : Cat(*bytes, " bytes, because the server says nothing");
  return verdict;
}

std::string MountFix(const ProbeView& view) {
  const ProbeStep* step = view.Step("nfs-mount");
  if (step == nullptr || step->failure.kind != FailureKind::kRejected) return {};
  return "exportfs -v  # on the server: the path must be exported to this host, with the option insecure when "
         "the "
         "client's RDMA port is not a privileged one";
}

Verdict Mount(const ProbeView& view) {
  constexpr std::string_view kStep = "nfs-mount";
  if (!IsProofAsked(view, kStep)) return NoProofAsked();
  return JudgeLocalStep(view, kStep,
                        Cat(view.Value("nfs-proof-export"), " mounted by ", view.Value("nfs-mount-transport")),
                        "an export that mounts by RDMA", kClient, kFixLocalMount, MountFix(view));
}

Verdict Write(const ProbeView& view) {
  if (!IsProofAsked(view, "nfs-write")) return NoProofAsked();
  return JudgeProofTransfer(view, "nfs-write", "nfs-write", false, kClient);
}

Verdict NfsRead(const ProbeView& view) {
  if (!IsProofAsked(view, "nfs-read")) return NoProofAsked();
  return JudgeProofTransfer(view, "nfs-read", "nfs-read", true, kClient);
}

// At least what was read and written: the rest is directories.
Verdict ByRdma(const ProbeView& view) {
  if (!IsProofAsked(view, "nfs-read")) return NoProofAsked();
  Verdict verdict{.expected = "the client's transport is rdma and counted every byte",
                  .source = "/proc/PID/mountstats of the proof"};
  const std::string_view transport = view.Value("nfs-mount-transport");
  if (transport.empty() || !view.Done("nfs-read")) {
    verdict.observed = "not told";
    return verdict;
  }
  std::uint64_t moved = 0;
  for (const TransferResult& transfer : view.result.transfers) moved += transfer.bytes;
  const std::uint64_t counted =
      view.Number("nfs-rdma-request-bytes").value_or(0) + view.Number("nfs-rdma-reply-bytes").value_or(0);
  verdict.outcome = transport == "rdma" && counted >= moved ? Outcome::kPass : Outcome::kFail;
  verdict.observed = Cat(transport, ", ", BytesText(counted), " by RDMA of ", BytesText(moved));
  return verdict;
}

Verdict NfsLeftNothing(const ProbeView& view) {
  if (!IsProofAsked(view, "nfs-unmount")) return NoProofAsked();
  return JudgeStep(view, "nfs-unmount", "file removed, unmounted", "nothing left behind", kClient);
}

std::vector<std::string_view> Behind(std::initializer_list<std::string_view> more) {
  std::vector<std::string_view> all = {"nfs.address", "nfs.route", "nfs.rdma-listener"};
  all.insert(all.end(), more);
  return all;
}

}  // namespace

std::vector<ProbeCheck> NfsServerChecks() {
  return {
      {.id = "nfs.address",
       .title = "The server's name leads to an address",
       .why = kProbeWhyAddress,
       .fix = kProbeFixAddress,
       .blocking = true,
       .judge = &JudgeProbeAddress},
      {.id = "nfs.route",
       .title = "An RDMA port of this host leads to the server",
       .why = kProbeWhyRoute,
       .fix = kProbeFixRoute,
       .blocking = true,
       .depends_on = {"nfs.address"},
       .judge = &JudgeProbeRoute},
      {.id = "nfs.rdma-listener",
       .title = "The server accepts RDMA connections for NFS",
       .why = "A mount with proto=rdma has no other way: without a listener it fails",
       .fix = "echo 'rdma {port}' > /proc/fs/nfsd/portlist  # on the server, after modprobe rpcrdma; for good: "
              "rdma=y and "
              "rdma-port={port} in the nfsd section of /etc/nfs.conf",
       .blocking = true,
       .depends_on = {"nfs.address", "nfs.route"},
       .judge = &JudgeProbeListener},
      {.id = "nfs.null",
       .title = "The server answers NFS calls over RDMA",
       .why = "A listener accepts connections before anybody serves them: only an answer shows that NFS runs",
       .fix =
           "cat /proc/fs/nfsd/threads /proc/fs/nfsd/versions  # on the server: threads above 0, and +3 or +4",
       .blocking = true,
       .proof = true,
       .depends_on = Behind({}),
       .judge = &Null},
      {.id = "nfs.version",
       .title = "The server has NFS 4.1 or newer",
       .why = "Sessions (4.1) let a client keep many requests under way and recover from a lost connection; "
              "4.0 and 3 "
              "need further services beside RDMA",
       .fix = "cat /proc/fs/nfsd/versions  # on the server: vers4.1=y and vers4.2=y in the nfsd section of "
              "/etc/nfs.conf",
       .depends_on = Behind({"nfs.null"}),
       .judge = &Versions},
      {.id = "nfs.inline-size",
       .title = "The server takes messages of 4 KiB",
       .why = "Smaller messages make more calls need RDMA transfers of their own",
       .fix = "uname -r  # on the server: a newer kernel takes 4096 bytes and says so when connecting",
       .depends_on = Behind({}),
       .judge = &Inline},
      {.id = "nfs.mount",
       .title = "This host's own client mounts the export over RDMA",
       .why = "Only the kernel's own mount shows that a workload will have its files",
       .fix = kFixLocalMount,
       .blocking = true,
       .depends_on = Behind({"nfs.null"}),
       .judge = &Mount},
      {.id = "nfs.write",
       .title = "A file can be written",
       .why = "The server fetches what is written by RDMA read",
       .fix = "exportfs -v  # on the server: rw, and a squash option that lets root of this host write, or "
              "another path",
       .blocking = true,
       .depends_on = Behind({"nfs.null", "nfs.mount"}),
       .judge = &Write},
      {.id = "nfs.read",
       .title = "A file is read back as it was written",
       .why = "The server places what is read by RDMA write: every byte was compared",
       .fix = "dmesg | tail -n 30  # on both hosts",
       .blocking = true,
       .depends_on = Behind({"nfs.null", "nfs.mount", "nfs.write"}),
       .judge = &NfsRead},
      {.id = "nfs.by-rdma",
       .title = "The file's bytes went over RDMA",
       .why = "What the client's own counters do not show as RDMA went in messages, copied on both sides",
       .fix = "nfsstat -m; grep xprt: /proc/self/mountstats  # proto=rdma must be among the mount's options",
       .blocking = true,
       .depends_on = Behind({"nfs.null", "nfs.mount", "nfs.write", "nfs.read"}),
       .judge = &ByRdma},
      {.id = "nfs.unmount",
       .title = "The proof left nothing behind",
       .why = "A file or a mount that nobody needs stays until somebody removes it",
       .fix =
           "find EXPORT -maxdepth 1 -name '.rdmaready-*' -delete  # on the server, EXPORT: the exported path",
       .depends_on = Behind({"nfs.null", "nfs.mount"}),
       .judge = &NfsLeftNothing},
  };
}

}  // namespace rdmaready
