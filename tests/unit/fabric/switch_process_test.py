# SPDX-License-Identifier: Apache-2.0
"""The switch of the fabric as a process: its sockets, its clock and its end. What it does with frames is switch_test's."""
import contextlib
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import unittest

from eventually import eventually

# Where tests/run unpacks it; else what is installed.
UNPACKED = pathlib.Path(__file__).resolve().parents[3] / "build" / "tshark" / "usr"
TSHARK = shutil.which("tshark", path=UNPACKED / "bin") or shutil.which("tshark")
HUB = pathlib.Path(os.environ["RDMAREADY_BIN"]) / "rdmaready-test-hub"
ADDRESSES = {port: bytes([0x52, 0x54, 0, 0, 1, port]) for port in (1, 2, 3)}
PATIENCE_S = 20


def frame_of(to, source, size, fill=0):
    """Of an Ethertype for experiments."""
    return (ADDRESSES[to] + ADDRESSES[source] + b"\x88\xb5").ljust(size, bytes([fill]))


def decoded(frame, *fields):
    """These fields of a frame, as Wireshark's dissectors read it."""
    with tempfile.TemporaryDirectory() as folder:
        capture = pathlib.Path(folder) / "frame.pcap"
        capture.write_bytes(struct.pack("<IHHiIIIIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1, 0, 0, len(frame), len(frame)) + frame)
        command = [TSHARK, "-r", capture, "-T", "fields", *(word for field in fields for word in ("-e", field))]
        environment = {**os.environ, "LD_LIBRARY_PATH": str(UNPACKED / "lib" / "x86_64-linux-gnu")}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return done.stdout.rstrip("\n").split("\t")


class Guest:
    """The QEMU of a guest, as far as the switch sees it."""

    def __init__(self, prefix, port):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(f"{prefix}.{port}.sock")

    def send(self, *frames):
        self.socket.sendall(b"".join(struct.pack(">I", len(frame)) + frame for frame in frames))

    def exactly(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def frame(self):
        return self.exactly(struct.unpack(">I", self.exactly(4))[0])

    def is_silent(self, seconds=0.05):
        self.socket.settimeout(seconds)
        try:
            self.socket.recv(1)
            return False
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(PATIENCE_S)

    def close(self):
        self.socket.close()


class SwitchProcess(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = f"{folder.name}/hub1"
        self.start("60")

    def start(self, *options):
        self.process = subprocess.Popen([HUB, self.prefix, "3", *options])
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        eventually(lambda: os.path.exists(f"{self.prefix}.sock"), bool)

    def guests(self, *ports):
        """Connected, and known to the switch, which says so."""
        guests = []
        for port in ports:
            guest = Guest(self.prefix, port)
            self.addCleanup(guest.close)
            guest.send(frame_of(port, port, 60))  # goes nowhere, and the switch learns the address
            guests.append(guest)
        for port in ports:
            eventually(lambda: f"port={port} link=up" in self.ask(f"counters {port}"), bool)
            eventually(lambda: f"port={port} priority=0 in=" in self.ask(f"counters {port}"), bool)
        return guests

    def ask(self, line):
        with socket.socket(socket.AF_UNIX) as asker:
            asker.settimeout(PATIENCE_S)
            asker.connect(f"{self.prefix}.sock")
            asker.sendall(line.encode() + b"\n")
            answer = ""
            while not answer.endswith("ok\n") and "error: " not in answer:
                more = asker.recv(65536).decode()
                if not more:
                    return answer
                answer += more
            return answer

    def set(self, *settings):
        for setting in settings:
            self.assertEqual(self.ask(f"set {setting}"), "ok\n", setting)

    def test_a_frame_reaches_the_guest_it_is_for_alone(self):
        one, two, three = self.guests(1, 2, 3)
        frames = [frame_of(2, 1, size, size & 255) for size in (14, 60, 1500, 9000)]
        one.send(*frames)
        for frame in frames:
            self.assertEqual(two.frame(), frame)
        self.assertTrue(three.is_silent())

    def test_frames_that_come_in_pieces_are_put_together(self):
        one, two = self.guests(1, 2)
        frame = frame_of(2, 1, 300, 7)
        for byte in struct.pack(">I", len(frame)) + frame:
            one.socket.sendall(bytes([byte]))
        self.assertEqual(two.frame(), frame)

    def test_a_guest_that_reads_nothing_gets_all_when_it_does(self):
        one, two = self.guests(1, 2)
        frames = [frame_of(2, 1, 9000, number & 255) for number in range(800)]  # 7 MB, below the queue's 8
        one.send(*frames)
        for frame in frames:
            self.assertEqual(two.frame(), frame)

    def test_a_rate_holds_frames_back(self):
        one, two = self.guests(1, 2)
        self.set("2 rate_mbps 8")
        begin = time.monotonic()
        one.send(*[frame_of(2, 1, 1000)] * 500)  # half a second
        for _ in range(500):
            two.frame()
        took = time.monotonic() - begin
        self.assertGreater(took, 0.45)
        self.assertLess(took, 5)

    def test_a_lossless_priority_pauses_its_link_partner_alone_and_loses_nothing(self):
        one, two, three = self.guests(1, 2, 3)
        self.set("1 pfc 0", "1 xoff_kb 64", "1 xon_kb 32", "2 rate_mbps 8")
        one.send(*[frame_of(2, 1, 1000)] * 100)
        pause = one.frame()
        self.assertEqual(pause.hex(), "0180c2000001" "027377000001" "8808" "0101" "0001" "ffff" + "0000" * 7 + "00" * 26)
        self.assertEqual({two.frame() for _ in range(100)}, {frame_of(2, 1, 1000)})
        while one.frame()[18:20] == b"\xff\xff":  # renewed until it ends
            pass
        self.assertTrue(three.is_silent())

    @unittest.skipUnless(TSHARK, "no tshark")
    def test_tshark_decodes_a_pause_as_one_of_802_1qbb(self):
        one, _ = self.guests(1, 2)
        self.set("1 pfc 3", "1 priority 3", "1 xoff_kb 64", "2 rate_mbps 8")
        one.send(*[frame_of(2, 1, 1000)] * 100)
        self.assertEqual(decoded(one.frame(), "eth.type", "macc.opcode", "macc.cbfc.enbv", "macc.cbfc.pause_time.c3", "macc.cbfc.pause_time.c0"),
                         ["0x8808", "0x0101", "0x0008", "65535", "0"])

    def test_a_pause_of_a_guest_holds_its_frames_until_it_ends(self):
        one, two = self.guests(1, 2)
        self.set("2 pfc 0")
        stop, go_on = (bytes.fromhex(f"0180c2000001525400000102880801010001{quanta}").ljust(60, b"\0") for quanta in ("ffff", "0000"))
        begin = time.monotonic()
        two.send(stop)  # 34 ms at 1 Gb/s
        eventually(lambda: "pauses_obeyed=1" in self.ask("counters 2"), bool)
        one.send(frame_of(2, 1, 100))
        two.frame()
        self.assertGreater(time.monotonic() - begin, 0.0335)
        self.set("2 rate_mbps 1")
        two.send(stop)  # 34 s at that rate
        eventually(lambda: "pauses_obeyed=2" in self.ask("counters 2"), bool)
        one.send(frame_of(2, 1, 200))
        self.assertTrue(two.is_silent())
        two.send(go_on)
        self.assertEqual(len(two.frame()), 200)

    def test_a_guest_that_goes_and_comes_has_its_port_again(self):
        one, two = self.guests(1, 2)
        two.close()
        eventually(lambda: "port=2 link=down" in self.ask("counters 2"), bool)
        self.set("2 rate_mbps 100")
        two, = self.guests(2)
        one.send(frame_of(2, 1, 64))
        self.assertEqual(len(two.frame()), 64)
        self.assertIn("set 2 rate_mbps 100\n", self.ask("show 2"))

    def test_a_new_connection_takes_the_place_of_one_that_is_there(self):
        one, old = self.guests(1, 2)
        new, = self.guests(2)
        with self.assertRaises((EOFError, ConnectionResetError)):
            old.frame()
        one.send(frame_of(2, 1, 64))
        self.assertEqual(len(new.frame()), 64)

    def test_a_connection_with_an_impossible_length_is_closed(self):
        one, = self.guests(1)
        one.socket.sendall(b"\xff\xff\xff\xff")
        with self.assertRaises((EOFError, ConnectionResetError)):
            one.frame()
        self.assertIn("port=1 link=down", self.ask("counters 1"))

    def test_requests_are_answered_in_order_and_bound(self):
        with socket.socket(socket.AF_UNIX) as asker:
            asker.settimeout(PATIENCE_S)
            asker.connect(f"{self.prefix}.sock")
            asker.sendall(b"set 1 pfc 3\nshow 9\nset 1 pfc none\n")
            answer = b""
            while answer.count(b"\n") < 3:
                answer += asker.recv(4096)
            self.assertEqual(answer, b"ok\nerror: no such port\nok\n")
            asker.sendall(b"x" * 5000)  # no line is that long: the connection ends
            with contextlib.suppress(ConnectionError):
                self.assertEqual(asker.recv(1), b"")
        self.assertEqual(self.ask("set 1 pfc 3"), "ok\n")

    def test_an_asker_too_many_is_turned_away_and_the_others_are_not(self):
        held = [socket.socket(socket.AF_UNIX) for _ in range(6)]
        for one in held:
            self.addCleanup(one.close)
            one.settimeout(PATIENCE_S)
            one.connect(f"{self.prefix}.sock")
        for one in held[4:]:
            with contextlib.suppress(ConnectionError):
                self.assertEqual(one.recv(1), b"")
        held[0].sendall(b"reset all\n")
        self.assertEqual(held[0].recv(100), b"ok\n")

    def test_it_ends_at_its_deadline(self):
        self.prefix += "x"
        self.start("1")
        self.assertEqual(self.process.wait(timeout=PATIENCE_S), -14)  # SIGALRM

    def test_wrong_words_are_refused(self):
        for words in ([], [self.prefix], [self.prefix, "0", "60"], [self.prefix, "17", "60"], [self.prefix, "2", "0"],
                      [self.prefix, "2", "60", "fast"], [self.prefix, "2", "60", "8", "9"]):
            self.assertEqual(subprocess.run([HUB, *words], stderr=subprocess.DEVNULL, check=False).returncode, 2, words)


if __name__ == "__main__":
    unittest.main()
