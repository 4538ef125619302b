// SPDX-License-Identifier: Apache-2.0
// The commands that there are, in the order of --help, with what each says of itself there.
#include <array>

#include "cli/commands.h"

namespace rdmaready {
namespace {

constexpr std::array<Command, 25> kCommands{{
    {"check", "Judge hosts: ready for SMB Direct and RDMA storage, or why not, and what to do",
     "  rdmaready check                             this host: settings and state\n"
     "  rdmaready check --level loopback            and live transfers through each of its RDMA ports\n"
     "  rdmaready check node1 node2 --level peer    and live transfers between the two, both ways\n"
     "  rdmaready check node1 --level server --target fs1   and the way to the SMB server fs1\n"
     "  rdmaready check --inventory hosts.txt --profile my-fabric.yaml --output json\n"
     "  rdmaready check 'node[001-128]' --max-time 2m       many hosts, each different finding once\n"
     "  rdmaready check --inventory fleet.yaml --rack r1     a fleet with groups, racks, rails and profiles\n"
     "  rdmaready check --inventory ansible.ini --group storage --output junit\n"
     "  rdmaready check --output nagios --exit-style nagios   as a monitoring plugin\n"
     "  rdmaready check --wait=2m                   as soon as it is ready: for boot scripts, Ansible and CI\n"
     "  rdmaready check --facts saved               hosts that `facts --save saved` recorded\n"
     "  rdmaready check --bundle hosts.tar.gz       hosts that `bundle` put into that file",
     DefineCheck},
    {"facts", "Show what is known of hosts, and why the rest is not",
     "  rdmaready facts\n"
     "  rdmaready facts node1 node2 --output json\n"
     "  rdmaready facts node1 node2 --save saved    to judge them elsewhere or later",
     DefineFacts},
    {"test", "Make live transfers: every byte verified, latency, rate and CPU measured",
     "  rdmaready test loopback                     every RDMA port of this host\n"
     "  rdmaready test loopback node1 --port mlx5_0/1 --case write-512k\n"
     "  rdmaready test peer node1 node2             from node1 to node2\n"
     "  rdmaready test --list                       the names of the cases",
     DefineTest},
    {"incast",
     "Load one receiver from several senders at once: is the class lossless, and what do others suffer?",
     "  rdmaready incast node1 node2 node3 --to node4\n"
     "  rdmaready incast node1 node2 --to node3 --victim node5 node6 --svg incast.svg\n"
     "\nIt loads switches that others share: each agent has to allow it (--allow-stress), and the caller needs "
     "the role stress.\n"
     "It ends with 0 when the class is lossless or loses under control, 1 when it collapses, 3 when the "
     "machines were the limit",
     DefineIncast},
    {"ets", "Send RDMA and TCP together: does each class get its configured share?",
     "  rdmaready ets node1 node2                   from node1 to node2\n"
     "  rdmaready ets node1 node2 --tos 32          TCP in a class of its mark\n"
     "\nIt loads switches that others share: each agent has to allow it (--allow-stress), and the caller needs "
     "the role stress.\n"
     "It ends with 0 when the shares are kept, 1 when they are not, 3 when a class did not want its share or "
     "nothing could be determined",
     DefineEts},
    {"pfc", "Pause one priority of the host at the other end of a cable: does its NIC obey?",
     "  rdmaready pfc node1 node2                   node1 pauses, the NIC of node2 is judged\n"
     "  rdmaready pfc node1 node2 --profile my-fabric.yaml   the profile says `direct_link: true`\n"
     "\nBoth agents have to allow stress tests (--allow-stress), the caller needs the role stress, and root of "
     "the first host names the interface in /etc/rdmaready/pauses.yaml.\n"
     "It ends with 0 when the NIC obeys, 1 when it goes on or stops other classes, too, 3 when that could not "
     "be determined",
     DefinePfc},
    {"compare",
     "Move the same bytes over RDMA and over TCP, in turns: which is ahead, and what does each cost?",
     "  rdmaready compare node1 node2               all cases of plain RDMA, from node1 to node2\n"
     "  rdmaready compare node1 node2 --case write-512k --rounds 5 --svg compare.svg\n"
     "\nIt ends with 0 when each case was measured over both, 1 when a transfer over RDMA failed, 3 when a "
     "case "
     "is unknown for another reason",
     DefineCompare},
    {"failover",
     "Write over all paths between two hosts while one is cut: how long is a write missing, and is one lost?",
     "  rdmaready failover node1 node2              pull a cable while it writes\n"
     "  rdmaready failover node1 node2 -- ssh node2 ip link set eth1 down\n"
     "\nThe program behind -- runs here, 2 s after all paths write, and has 10 s; without one a person cuts.\n"
     "It ends with 0 when a path was lost, no write was, and none was missing for longer than the bound; 1 "
     "when "
     "one was; 3 when no path was lost or nothing could be determined",
     DefineFailover},
    {"report", "Check hosts, and write a page to hand over: verdict, causes with remedies, evidence",
     "  rdmaready report node1 node2 --html report.html\n"
     "  rdmaready report node1 node2 --profile my-fabric.yaml --compare --html report.html\n"
     "\nThe page is one file without script and without anything from a network; it can be printed.\n"
     "It ends as check does; with --compare also with what compare ends with",
     DefineReport},
    {"probe", "Approach a storage server over RDMA as its clients do, and say how far one gets",
     "  rdmaready probe smb fileserver              from this host\n"
     "  rdmaready probe smb 10.0.0.9 --from node1   from another one, through its agent",
     DefineProbe},
    {"env", "Print what a library or a storage client needs on a host: ports, GID index, mark, mount options",
     "  rdmaready env --for nccl                   this host; a shell reads it: eval \"$(rdmaready env --for "
     "nccl)\"\n"
     "  rdmaready env node1 --for ucx --profile my-fabric.yaml --output json\n"
     "  rdmaready env --facts saved --for nvme      a host that `facts --save saved` recorded\n"
     "\nIt ends with 1 where the host is not ready for it and 3 where that is not known; then no value is "
     "printed",
     DefineEnv},
    {"plan", "Say what would have to be set on hosts, in which order, and what it costs",
     "  rdmaready plan                              this host, as its agent's profile wants it\n"
     "  rdmaready plan node1 --profile my-fabric.yaml --persist\n"
     "\nIt ends with 0 when there is nothing to do, 1 when something is to be set or cannot be, 3 when that is "
     "not known",
     DefinePlan},
    {"apply",
     "Have hosts set as their profiles want, proven by live transfers, and taken back unless confirmed",
     "  rdmaready apply                             this host: shows the plan, and asks\n"
     "  rdmaready apply node1 --peer node2 --yes    without asking; proven with node2, too\n"
     "  rdmaready confirm node1                     from anywhere, within a minute: else all goes back\n"
     "  rdmaready apply 'node[01-32]' --rolling --max-unavailable 4 --confirm-within 15m --yes\n"
     "\nIt ends with 0 proven and armed, or nothing to do; 1 taken back, or not begun; 2 not "
     "permitted,\n"
     "or a bad plan: nothing was written; 3 it could not be taken back, or what became of it is not known",
     DefineApply},
    {"confirm", "Keep what `apply` set, within its time",
     "  rdmaready confirm node1\n"
     "  rdmaready confirm --inventory hosts.txt\n"
     "\nIt ends with 1 when no change awaits it: it went back, or was confirmed before",
     DefineConfirm},
    {"rollback", "Take back what `apply` set and nobody confirmed; try once more where that failed",
     "  rdmaready rollback node1", DefineRollback},
    {"forget", "End the keeping of confirmed settings, which stay as they are until the host forgets them",
     "  rdmaready forget node1 --list               what is kept, and what may be set there\n"
     "  rdmaready forget node1 --setting pfc --of ens1f0np0",
     DefineForget},
    {"status",
     "What is open on hosts: changes that wait, failures that stay, the last verdict, and what changed since",
     "  rdmaready status                            this host\n"
     "  rdmaready status node1 node2\n"
     "  rdmaready status --inventory hosts.txt --output json\n"
     "\nIt ends with 0 when nothing is open, 1 when a host needs a person",
     DefineStatus},
    {"history", "What hosts remember: runs, what changed in them, transfers",
     "  rdmaready history                           this host, the newest 20\n"
     "  rdmaready history node1 node2 --since 7d\n"
     "  rdmaready history --baseline node1          live tests beside those of the days before\n"
     "  rdmaready history --run 4f1c09aa            one run in full",
     DefineHistory},
    {"fleet", "What a hub knows of many hosts: which are ready, which are not, what changed",
     "  rdmaready fleet status --hub hub.example.org\n"
     "  rdmaready fleet hosts --condition not-ready,silent\n"
     "  rdmaready fleet diff --at 24h               what is otherwise now\n"
     "  rdmaready fleet watch                       what changes, as it does",
     DefineFleet},
    {"bundle", "Put what is known of hosts into one file, to be judged elsewhere or later",
     "  rdmaready bundle                            this host, in rdmaready-bundle.tar.gz\n"
     "  rdmaready bundle node1 node2 --out case-4711.tar.gz\n"
     "  rdmaready bundle node1 node2 --pseudonyms   for who is not to see names and addresses\n"
     "  rdmaready check --bundle case-4711.tar.gz   anywhere, by the rules of that program",
     DefineBundle},
    {"explain", "What a check requires, why, and how to put it right",
     "  rdmaready explain pfc.lossless-priority\n"
     "  rdmaready explain --list\n"
     "  rdmaready explain --markdown > checks.md",
     DefineExplain, false},
    {"profile", "What hosts are judged by",
     "  rdmaready profile list\n"
     "  rdmaready profile show smb-direct-roce\n"
     "  rdmaready profile check my-fabric.yaml\n"
     "  rdmaready profile test my-fabric-tests.yaml     saved hosts: are they found to be as expected?",
     DefineProfile, false},
    {"pki", "Keep a CA of files: certificates for agents, hubs and operators, by which they know each other",
     "  rdmaready pki init\n"
     "  rdmaready pki issue host node1 --ip 10.0.0.7 --out certificates\n"
     "  rdmaready pki issue operator anna\n"
     "  rdmaready pki pair node1 node2 --out certificates\n"
     "  rdmaready pki revoke certificates/node1.pem\n"
     "  rdmaready pki list",
     DefinePki, false},
    {"context", "Keep what every command repeats: TLS files, hub, inventory and profile, by a name",
     "  rdmaready context set lab --tls-ca ca.pem --tls-cert anna.pem --tls-key anna.key --hub "
     "hub.example.org\n"
     "  rdmaready context show                      what commands take now, and where each value is from\n"
     "  rdmaready context use lab\n"
     "  rdmaready check node1 --context lab         for one command; RDMAREADY_CONTEXT for a shell\n"
     "\nThe command line wins over the environment (RDMAREADY_TLS_CA, ...), and that over the context.\n"
     "A command without hosts stays one about this host",
     DefineContext, false},
    {"version", "Show the version", "  rdmaready version --output json", DefineVersion, false},
}};

}  // namespace

std::span<const Command> AllCommands() { return kCommands; }

}  // namespace rdmaready
