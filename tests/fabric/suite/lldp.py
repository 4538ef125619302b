# SPDX-License-Identifier: Apache-2.0
"""LLDP frames of agents made of a few lines, and what sends them from a guest. IEEE 802.1AB, 802.1Q annex D; CEE: DCBX 1.01."""

FRAMES = "/run/lldp.frames"


def tlv(kind, value):
    return bytes([kind << 1 | len(value) >> 8, len(value) & 0xff]) + value


def organization(oui, subtype, value):
    return tlv(127, bytes.fromhex(oui) + bytes([subtype]) + value)


def frame(source, *tlvs, ttl=120):
    """Of an agent whose chassis is its address and whose port is `p`."""
    address = bytes([2, 0, 0, 0, 0, source])
    return (bytes.fromhex("0180c200000e") + address + b"\x88\xcc" + tlv(1, b"\x04" + address) + tlv(2, b"\x05p") +
            tlv(3, ttl.to_bytes(2, "big")) + b"".join(tlvs) + tlv(0, b""))


def pfc(priority, willing=False):
    return organization("0080c2", 11, bytes([0x88 if willing else 0x08, 1 << priority]))


def cee_pfc(priority):
    return organization("001b21", 2, tlv(3, bytes([0, 0, 0x80, 0, 1 << priority, 8])))


def ets(of_others, of_rdma):
    """Shares of the classes 0 and 3; priority 3 is in class 3."""
    priorities = bytes([0, 0x03, 0, 0])
    return organization("0080c2", 9, bytes([0]) + priorities + bytes([of_others, 0, 0, of_rdma, 0, 0, 0, 0]) +
                        bytes([2, 0, 0, 2, 0, 0, 0, 0]))


def dscp(*rows):
    """DSCP and priority in turn."""
    table = b"".join(bytes([priority << 5 | 5]) + value.to_bytes(2, "big") for value, priority in zip(rows[::2], rows[1::2]))
    return organization("0080c2", 12, bytes([0]) + table)


def frame_size(size_bytes):
    return organization("00120f", 4, size_bytes.to_bytes(2, "big"))


def system_name(name):
    return tlv(5, name.encode())


def good(pfc=pfc(3), ets=ets(50, 50), app=dscp(26, 3), mtu=frame_size(9018), extra=b"", ttl=120):
    """Of a switch that is set as the profile virtual-fabric has it, but for what is said."""
    return frame(1, pfc, ets, app, mtu, extra, ttl=ttl)


def now(frames):
    """Shell: the guest's agent announces these from now on."""
    return f"echo '{' '.join(one.hex() for one in frames)}' > {FRAMES}"


# Shell: ends the agent.
END = "[ ! -e /run/lldp_send.pid ] || kill $(cat /run/lldp_send.pid) 2> /dev/null; rm -f /run/lldp_send.pid"

# Shell: an agent of the guest that announces what is right.
BASE = f"""
cat > /run/lldp_send.py <<'END'
import os, socket, time
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind(("dcb0", 0))
open("/run/lldp_send.pid", "w").write(str(os.getpid()))
while True:
    for frame in open("{FRAMES}").read().split():
        # The first agent is that of the guest, and has its address.
        wire.send(bytes.fromhex(frame).replace(bytes([2, 0, 0, 0, 0, 1]), wire.getsockname()[4]))
    time.sleep(0.2)
END
{END}
{now([good()])}
setsid python3 /run/lldp_send.py < /dev/null > /dev/null 2>&1 &
until [ -e /run/lldp_send.pid ]; do kill -0 $! || exit; sleep 0.1; done
"""
