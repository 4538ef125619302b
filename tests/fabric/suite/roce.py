# SPDX-License-Identifier: Apache-2.0
"""RoCEv2 datagrams without RDMA, run in a guest as: roce.py PEER COUNT QPN. Sends so many with CE to the peer, and prints the frames from
port 4791 of the peer that come within a second, in hexadecimal, each with the invariant CRC that it should have."""
import socket
import struct
import sys
import time
import zlib

PORT = 4791
CE_OF_DSCP_26 = 26 << 2 | 3
ETHERNET_BYTES = 14
WRITE_ONLY = 0x0a


def invariant_crc(frame):
    """Of an IPv4 frame without options: what hops may change counts as ones."""
    packet = bytearray(frame[ETHERNET_BYTES:-4])
    packet[1] = packet[8] = packet[32] = 0xff  # ToS, TTL, the byte before the queue pair
    packet[10:12] = packet[26:28] = b"\xff\xff"  # checksums
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + packet))


def main(peer, count, qpn):
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    tap.bind(("dcb0", 0))
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, CE_OF_DSCP_26)
    sender.bind(("", 50000))
    for number in range(count):
        sender.sendto(struct.pack(">BBHII", WRITE_ONLY, 0, 0xffff, qpn, number) + bytes(4), (peer, PORT))
    end = time.monotonic() + 1
    while (left := end - time.monotonic()) > 0:
        tap.settimeout(left)
        try:
            frame, where = tap.recvfrom(10000)
        except TimeoutError:
            break
        if where[2] != socket.PACKET_OUTGOING and frame[12:14] == b"\x08\x00" and frame[23] == socket.IPPROTO_UDP and frame[36:38] == struct.pack(">H", PORT):
            print(frame.hex(), invariant_crc(frame).hex())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
