# SPDX-License-Identifier: Apache-2.0
"""A guest that is a storage server: the kernel's own client in the other guest is served over RDMA. And a reset leaves nothing of it."""
import unittest

import fabric
import slices

CLIENT, SERVER = 1, 2
ADDRESS = f"10.0.0.{SERVER}"
MOUNT_SMB = f"mount -t cifs //{ADDRESS}/share /mnt -o username=tester,password=secret,vers=3.1.1"
MOUNT_NFS = f"mount -i -t nfs4 {ADDRESS}:/ /mnt -o vers=4.1,proto=rdma,port=20049,addr={ADDRESS},clientaddr=10.0.0.{CLIENT},sec=sys"
UNMOUNT_AT_THE_END = "trap 'umount /mnt' EXIT"
CONNECT_NVME = (f"modprobe nvme-rdma; echo transport=rdma,traddr={ADDRESS},trsvcid=4420,nqn=nqn.2026-01.test.rdmaready:guest{SERVER} "
                "> /dev/nvme-fabrics")
AWAIT_DISK = "for i in $(seq 600); do [ ! -b /dev/nvme0n1 ] || break; sleep 0.1; done; [ -b /dev/nvme0n1 ]"
AWAIT_END_OF_CIFS = ("for i in $(seq 1200); do read -r uses < /sys/module/cifs/refcnt; [ $uses != 0 ] || exit 0; sleep 0.1; done; "
                     "echo cifs is in use; exit 1")
SERVER_MODULES = "ksmbd nvmet_rdma nvmet ib_isert iscsi_target_mod target_core_mod nfsd"
CLIENT_MODULES = "cifs nvme_rdma rpcrdma"


def on_client(*lines):
    return fabric.guest(CLIENT, "set -e; " + "; ".join(lines))


def write_and_read(path):
    """Two hashes: of what was made, and of what the server gives back, past the page cache."""
    return (f"head -c 1M /dev/urandom > /tmp/made; sha256sum < /tmp/made; dd if=/tmp/made of={path} bs=256k oflag=direct 2> /dev/null; "
            f"dd if={path} bs=256k count=4 iflag=direct 2> /dev/null | sha256sum")


def leftovers(modules):
    """A line for whatever a role or its client left in a guest."""
    return (f"for m in {modules}; do [ ! -d /sys/module/$m ] || echo module $m; done; ls -A /run/fabric/roles 2> /dev/null; "
            "grep ' /mnt ' /proc/mounts; rdma resource show cm_id | grep LISTEN; ls /sys/module/rdma_cm/holders | grep -v rdma_ucm; "
            "ip -br addr show to 10.0.0.0/24 | grep -v '^dcb0 .* 10.0.0.[1-4]/24 *$'; :")


class Roles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fabric.bring_up()

    def role(self, *words, check=True):
        return fabric.launcher("role", SERVER, *words, check=check)

    def assert_all_the_same(self, made, *others):
        self.assertRegex(made, "^[0-9a-f]{64}  -$")
        for other in others:
            self.assertEqual(other, made)

    def mount_write_and_read(self, mount, role, show):
        """What was written is what is read and what the server has; gives back what the client's kernel shows of the mount."""
        made, read, *shown = on_client(mount, UNMOUNT_AT_THE_END, write_and_read("/mnt/made"), show).splitlines()
        self.assert_all_the_same(made, read, fabric.guest(SERVER, f"sha256sum < /run/fabric/roles/{role}/data/made").strip())
        return "\n".join(shown)

    def test_smb_over_rdma(self):
        self.role("smb")
        shown = self.mount_write_and_read(f"{MOUNT_SMB},rdma", "smb", "cat /proc/fs/cifs/DebugData")
        self.assertRegex(shown, r"SMBDirect .*protocol version: 100 ")
        self.assertRegex(shown, r"Capabilities: rdma *\n.*IPv4: " + ADDRESS)

    def test_smb_as_debian_has_it_serves_no_rdma(self):
        """And the other options, at the same server."""
        self.role("smb", "--no-rdma", "--no-multichannel", "--signing", "required", "--encrypt")
        with self.assertRaisesRegex(AssertionError, "mount error"):
            on_client(f"{MOUNT_SMB},rdma")
        shown = self.mount_write_and_read(MOUNT_SMB, "smb", "cat /proc/fs/cifs/DebugData")
        self.assertRegex(shown, r"Dialect 0x311 signed")
        self.assertRegex(shown, r"SessionId: \S+ encrypted")
        multichannel = 0x8
        self.assertFalse(int(shown.split("Server capabilities: ")[1].split()[0], 16) & multichannel)

    def test_nvme(self):
        self.role("nvme")
        self.assert_all_the_same(*on_client(CONNECT_NVME, AWAIT_DISK, write_and_read("/dev/nvme0n1"),
                                            "echo 1 > /sys/class/nvme/nvme0/delete_controller").splitlines())
        self.role("nvme", "--deny")
        refused = on_client(f"dmesg -C; if {CONNECT_NVME}; then exit 1; fi 2> /dev/null", "dmesg")
        self.assertIn("is not allowed, hostnqn", refused)

    def test_nfs_over_rdma(self):
        self.role("nfs")
        shown = self.mount_write_and_read(MOUNT_NFS, "nfs", "grep ' /mnt ' /proc/mounts")
        self.assertIn("proto=rdma,port=20049", shown)

    def test_iser_listens(self):
        self.role("iser")
        self.assertRegex(fabric.guest(SERVER, "rdma resource show cm_id"), rf"LISTEN .*ib_isert.* {ADDRESS}:3260 ")

    def test_what_is_asked_for_wrongly_is_refused(self):
        for wrong in (("smb", "--bridge", "--vlan"), ("smb", "--signing", "perhaps"), ("nvme", "--auth"), ("ftp",)):
            with self.subTest(wrong=wrong):
                self.assertEqual(self.role(*wrong, check=False).returncode, 2)

    def test_zz_a_reset_leaves_nothing_of_them(self):
        """The last one, so that there is something to leave; the others count on it to clean up."""
        try:
            self.role("smb", "--bridge")
            self.assertIn("br0", fabric.guest(SERVER, f"ip -br addr show to {ADDRESS}"))
            on_client(MOUNT_SMB)
        finally:
            fabric.put_right()
        # A client whose server went at the same time may outlast that reset, which waits 10 s for it.
        if "module cifs\n" in fabric.guest(CLIENT, leftovers(CLIENT_MODULES)):
            fabric.guest(CLIENT, AWAIT_END_OF_CIFS)
            fabric.put_right(CLIENT)
        self.assertEqual(fabric.guest(CLIENT, leftovers(CLIENT_MODULES)), "")
        self.assertEqual(fabric.guest(SERVER, leftovers(SERVER_MODULES)), "")


load_tests = slices.tests("roles", 2)

if __name__ == "__main__":
    unittest.main()
