# SPDX-License-Identifier: Apache-2.0
"""The command line of the virtual fabric."""

import argparse
import os
import shutil
import signal
import sys
import time

import faults
import guest_exec
import machine
import roles
import switch
from errors import FabricError, say
from process import INTERRUPTIONS, interruptions_deferred
from state import DEFAULT_NAME, RunDirectory, Shape, all_names

MAX_HOSTS = 12
MAX_RAILS = 2
DEVICES = ("rxe", "siw")
DEFAULT_AGENT = os.path.join(machine.FABRIC_DIR, "..", "..", "build", "bin", "rdmaready-agent")
EXEC_FAILED_STATUS = 125


class Interrupted(Exception):
    pass


def print_status(fabric):
    minutes_left = max(0, fabric.deadline_unix_s - int(time.time())) // 60
    for guest in fabric.guests:
        state = "running" if guest.process.running() else "dead"
        agent = "agent" if fabric.shape.agent else "no-agent"
        address = f"127.0.0.1:{guest.agent_port}"
        shape = f"device={fabric.shape.device(guest.number)} rails={fabric.shape.rails}"
        print(guest.number, address, state, f"10.0.0.{guest.number}", agent, f"pid={guest.process.pid}", shape, f"minutes_left={minutes_left}")


def agent_path(argument):
    """The agent's real path, or empty when there is none to run."""
    path = os.path.realpath(argument or DEFAULT_AGENT)
    if os.path.isfile(path) and os.access(path, os.X_OK):
        return path
    say(f"no agent: {path} is not there or not executable")
    return ""


def devices_of(options):
    """The RDMA device of each guest: --device K=D for that one, --device D for the others."""
    chosen = dict(options.device)
    beyond = [number for number in chosen if number is not None and number > options.hosts]
    if beyond:
        raise FabricError(f"--device {beyond[0]}={chosen[beyond[0]]}: there are only {options.hosts} guests", 2)
    others = chosen.get(None, DEVICES[0])
    return [chosen.get(number, others) for number in range(1, options.hosts + 1)]


# bring_up is imported where it is used: it costs as much time as all else an exec does on this side.


def cmd_prepare(options):
    import bring_up

    for name, path in bring_up.prepare(options.device, options.roles, options.system).items():
        print(f"{name}={path}")


def cmd_up(options):
    import bring_up

    run = RunDirectory(options.name)
    shape = Shape(options.hosts, agent_path(options.agent), options.memory, options.rails, devices_of(options), options.state_disk,
                  options.roles, options.tls, options.link_mbps)
    with run.lock():
        fabric = run.load()
        if fabric is not None and len(fabric.guests) == fabric.shape.hosts and all(process.running() for process in run.processes()):
            if fabric.shape != shape:
                raise FabricError(f"fabric {run.name} runs already, but as \"{fabric.shape}\"; take it down first")
            say(f"fabric {run.name} runs already")
            print_status(fabric)
            return
        if fabric is not None and any(guest.process.running() for guest in fabric.guests):
            raise FabricError(f"fabric {run.name} is half dead; power K on starts a dead guest, down ends all")
        bring_up.take_down(run)
        prepared = bring_up.prepare(shape.devices, shape.roles)
        try:
            with interruptions_deferred():
                fabric = bring_up.start(run, shape, prepared, options.deadline * 60)
            bring_up.wait_until_ready(run, fabric, fabric.guests, options.boot_timeout)
        except BaseException:
            bring_up.take_down(run)
            raise
    print_status(fabric)


def cmd_power(options):
    import bring_up

    run = RunDirectory(options.name)
    with run.lock():
        fabric = run.load_running()
        guest = fabric.guest(options.guest)
        if options.state == "off":
            machine.power_off(guest)
        elif not guest.process.running():
            with interruptions_deferred():
                bring_up.power_on(run, fabric, guest)
            bring_up.wait_until_ready(run, fabric, [guest], options.boot_timeout)


def cmd_reset(options):
    import bring_up

    run = RunDirectory(options.name)
    with run.lock():
        fabric = run.load_running()
        guests = [fabric.guest(number) for number in options.guests] or fabric.guests
        switch.reset(run, machine.rails_of(fabric.shape), options.guests)
        dead = [guest for guest in guests if not guest.process.running()]
        for guest in dead:
            if crash := run.crash(guest.number):
                say(f"guest {guest.number} crashed\n{crash}")
        with interruptions_deferred():
            for guest in dead:
                bring_up.power_on(run, fabric, guest)
        bring_up.wait_until_ready(run, fabric, dead, options.boot_timeout)
    failed = bring_up.reset(run, fabric, [guest for guest in guests if guest not in dead], options.timeout)
    if failed:
        boot_again(run, failed, options.boot_timeout)


def boot_again(run, failed, boot_timeout_s):
    """Boots guests that were not reset, and says why: a task that the kernel keeps waiting ends by nothing else."""
    import bring_up

    with run.lock():
        fabric = run.load_running()
        guests = []
        for guest, why in failed:
            say(f"guest {guest.number} was not reset\n{why}")
            now = fabric.guest(guest.number)
            if now.process == guest.process:  # nobody booted it meanwhile
                machine.power_off(now)
                guests.append(now)
        with interruptions_deferred():
            for guest in guests:
                bring_up.power_on(run, fabric, guest)
        bring_up.wait_until_ready(run, fabric, guests, boot_timeout_s)


def run_in_guest(options, argv, timeout_s=None, input_fd=None):
    guest = RunDirectory(options.name).load_running().guest(options.guest)
    if not guest.process.running():
        raise FabricError(f"guest {guest.number} is dead", EXEC_FAILED_STATUS)

    def write_to(stream):
        def write(data):
            stream.write(data)
            stream.flush()
        return write

    try:
        return guest_exec.run(guest, argv, write_to(sys.stdout.buffer), write_to(sys.stderr.buffer), timeout_s, input_fd)
    except guest_exec.NotReached as error:
        raise FabricError(f"guest {guest.number}: {error}", EXEC_FAILED_STATUS) from error


def cmd_exec(options):
    return run_in_guest(options, options.command, options.timeout, 0 if options.stdin else None)


def cmd_agent(options):
    argv = [os.path.join(machine.FABRIC_DIR, "guest", "agent"), options.verb]
    if options.memlock is not None:
        argv += ["--memlock", str(options.memlock)]
    if options.all_capabilities:
        argv += ["--all-capabilities"]
    if options.no_stress:
        argv += ["--no-stress"]
    return run_in_guest(options, argv)


def cmd_applier(options):
    argv = [os.path.join(machine.FABRIC_DIR, "guest", "applier"), options.verb]
    if options.no_capability:
        argv += ["--no-capability"]
    return run_in_guest(options, argv)


def cmd_fault(options):
    run = RunDirectory(options.name)
    fabric = run.load_running()
    guest = fabric.guest(options.guest)
    if options.rail > fabric.shape.rails:
        raise FabricError(f"fabric {fabric.name} has no rail {options.rail}", 2)
    options.cause(run, guest, options)


def cmd_switch(options):
    run = RunDirectory(options.name)
    fabric = run.load_running()
    if options.rail > fabric.shape.rails:
        raise FabricError(f"fabric {fabric.name} has no rail {options.rail}", 2)
    switch.command(run, options)


def cmd_role(options):
    fabric = RunDirectory(options.name).load_running()
    roles.take_up(fabric, fabric.guest(options.guest), options)


def cmd_status(options):
    print_status(RunDirectory(options.name).load_running())


def cmd_down(options):
    import bring_up

    for name in all_names() if options.all else [options.name]:
        run = RunDirectory(name)
        with run.lock():
            bring_up.take_down(run)


def cmd_console(options):
    run = RunDirectory(options.name)
    guest = run.load_running().guest(options.guest)
    with open(run.console(guest.number), "rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)


class Parser(argparse.ArgumentParser):
    """One line for what is wrong."""

    def error(self, message):
        print(f"{self.prog}: {message}; see {self.prog} --help", file=sys.stderr)
        sys.exit(2)


def whole_number(lowest, highest):
    def parse(text):
        if not text.isdecimal() or not lowest <= int(text) <= highest:
            raise argparse.ArgumentTypeError(f"{text}: not a whole number from {lowest} to {highest}")
        return int(text)
    return parse


def device_choice(text):
    """(K or None, device)"""
    number, _, device = text.rpartition("=")
    if device not in DEVICES or ("=" in text and number not in map(str, range(1, MAX_HOSTS + 1))):
        raise argparse.ArgumentTypeError(f"{text}: not {' or '.join(DEVICES)}, nor K=DEVICE with K from 1 to {MAX_HOSTS}")
    return int(number) if number else None, device


def boot_timeout(command):
    command.add_argument("--boot-timeout", type=whole_number(1, 3600), default=240, metavar="S",
                         help="for a guest to be ready (default: %(default)s)")


def with_roles(command):
    command.add_argument("--roles", action="store_true",
                         help="the kernel's SMB server and client with SMB Direct (adds minutes the first time)")


def parser():
    top = Parser(prog="fabric", description="Linux hosts with RDMA over a DCB NIC, as QEMU guests on this machine.", allow_abbrev=False)
    commands = top.add_subparsers(dest="verb_name", metavar="COMMAND", required=True)

    def command(name, function, text, named=True, guest=False, **more):
        sub = commands.add_parser(name, help=text, description=text, allow_abbrev=False, **more)
        sub.set_defaults(function=function)
        if named:
            sub.add_argument("--name", default=DEFAULT_NAME, help="which fabric (default: %(default)s)")
        if guest:
            sub.add_argument("guest", metavar="K", type=whole_number(1, MAX_HOSTS), help="the guest's number")
        return sub

    prepare = command("prepare", cmd_prepare, "install, download and build what the guests need; \"up\" does it too", named=False)
    prepare.add_argument("--device", choices=DEVICES, action="append", default=[], help="also what this RDMA device needs")
    with_roles(prepare)
    prepare.add_argument("--system", action="store_true", help="also the disk of a guest that boots systemd")

    up = command("up", cmd_up, "start a fabric and wait until every guest is ready")
    up.add_argument("--hosts", type=whole_number(1, MAX_HOSTS), required=True, metavar="N",
                    help=f"how many guests, 1 to {MAX_HOSTS}")
    up.add_argument("--rails", type=whole_number(1, MAX_RAILS), default=1, metavar="R",
                    help=f"fabric NICs of each guest, every rail with a switch of its own, 1 to {MAX_RAILS} (default: %(default)s)")
    up.add_argument("--device", type=device_choice, action="append", default=[], metavar="[K=]rxe|siw",
                    help="RDMA device of all guests, or of guest K: rxe is RoCE v2, siw is iWARP (default: rxe)")
    up.add_argument("--agent", metavar="PATH", help="the agent to run in each guest (default: build/bin/rdmaready-agent)")
    up.add_argument("--state-disk", type=whole_number(16, 4096), nargs="?", default=0, const=64, metavar="MB",
                    help="keep the agent's state on a disk that survives power-off (%(const)s MB)")
    with_roles(up)
    up.add_argument("--tls", action="store_true", help="give each agent a certificate and a role map, and the tests one to ask with")
    up.add_argument("--memory", type=whole_number(256, 65536), default=1024, metavar="MB",
                    help="of each guest (default: %(default)s)")
    up.add_argument("--link-mbps", type=whole_number(1, 100_000), default=0, metavar="MBPS",
                    help="rate of each port of the switch, in Mb/s (default: as fast as the guests take frames)")
    up.add_argument("--deadline", type=whole_number(1, 1440), default=60, metavar="MIN",
                    help="after which the guests are ended (default: %(default)s)")
    boot_timeout(up)

    run = command("exec", cmd_exec, "run a command in a guest as root", guest=True,
                  usage="fabric exec [--name NAME] [--timeout S] [--stdin] K -- CMD...")
    run.add_argument("--timeout", type=whole_number(1, 86400), metavar="S",
                     help=f"end the command after S seconds, with exit status {guest_exec.TIMEOUT_STATUS}")
    run.add_argument("--stdin", action="store_true", help="pass standard input on (default: it is empty)")

    agent = command("agent", cmd_agent, "start, stop (SIGTERM), kill (SIGKILL) or restart a guest's agent", guest=True)
    agent.add_argument("verb", choices=("start", "stop", "kill", "restart"))
    limits = agent.add_mutually_exclusive_group()
    limits.add_argument("--memlock", type=whole_number(0, 2**62), metavar="BYTES",
                        help="limit the agent's locked memory (default: 1 GiB)")
    limits.add_argument("--all-capabilities", action="store_true",
                        help="run the agent as root with all capabilities (default: a user of its own, with none)")
    limits.add_argument("--no-stress", action="store_true", help="let the agent take no part in stress tests (default: with TLS it does)")

    applier = command("applier", cmd_applier, "start, stop (SIGTERM), kill (SIGKILL; it is back at once) or restart a guest's applier, or keep "
                                              "it away by SIGKILL (halt)", guest=True)
    applier.add_argument("verb", choices=("start", "stop", "kill", "restart", "halt"))
    applier.add_argument("--no-capability", action="store_true", help="with start: run it as root without any capability")

    faults.add_arguments(command("fault", cmd_fault, "do something bad to a guest, or undo it", guest=True), MAX_RAILS, whole_number)

    switch.add_arguments(command("switch", cmd_switch, "set a knob of the switch, or print its settings or counters"),
                         MAX_HOSTS, MAX_RAILS, whole_number)

    roles.add_arguments(command("role", cmd_role, "start a storage server in a guest", guest=True))

    reset = command("reset", cmd_reset, "put guests back to what they are after a boot; one that is dead, or is not reset, is booted")
    reset.add_argument("guests", metavar="K", type=whole_number(1, MAX_HOSTS), nargs="*", help="the guests' numbers (default: all)")
    reset.add_argument("--timeout", type=whole_number(1, 3600), metavar="SECONDS", default=120,
                       help="a guest that takes longer is booted (default: %(default)s)")
    boot_timeout(reset)

    power = command("power", cmd_power, "pull a guest's cord, or start it again and wait until it is ready", guest=True)
    power.add_argument("state", choices=("on", "off"))
    boot_timeout(power)

    command("status", cmd_status, "one line per guest: number, agent's address, running or dead, fabric address, ...")
    down = command("down", cmd_down, "end the fabric and remove its files")
    down.add_argument("--all", action="store_true", help="every fabric of this user")
    command("console", cmd_console, "print a guest's console", guest=True)
    return top


def parse(argv):
    """What follows "--" is a guest's command, untouched by us."""
    own, command = argv, None
    if "--" in argv:
        split = argv.index("--")
        own, command = argv[:split], argv[split + 1:]
    top = parser()
    options = top.parse_args(own)
    wants_command = options.verb_name == "exec"
    if wants_command != bool(command):
        top.error("exec K -- CMD...: the command is missing" if wants_command else f"{options.verb_name} takes no '--'")
    options.command = command
    return options


def tell_of_a_crash(options):
    """A guest that does not answer may have crashed: then its last words are the reason."""
    if options.verb_name in ("prepare", "up", "reset"):
        return
    run = RunDirectory(options.name)
    fabric = run.load()
    for guest in fabric.guests if fabric else []:
        crash = "" if guest.process.running() else run.crash(guest.number)
        if crash:
            say(f"guest {guest.number} crashed\n{crash}")


def interrupt(number, _):
    # Only once: what is being torn down is torn down.
    for one in INTERRUPTIONS:
        signal.signal(one, signal.SIG_IGN)
    raise Interrupted(128 + number)


def main():
    options = parse(sys.argv[1:])
    for number in INTERRUPTIONS:
        if signal.getsignal(number) != signal.SIG_IGN:  # who calls us while cleaning up is not to be interrupted
            signal.signal(number, interrupt)
    try:
        return options.function(options) or 0
    except FabricError as error:
        say(error)
        tell_of_a_crash(options)
        return error.exit_status
    except Interrupted as interrupted:
        say("interrupted")
        return interrupted.args[0]
    except BrokenPipeError:
        return 141


if __name__ == "__main__":
    sys.exit(main())
