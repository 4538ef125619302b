# SPDX-License-Identifier: Apache-2.0
"""Certificates for a test, made by the openssl command: a CA, and what it signs."""
import pathlib
import subprocess

_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def _openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


class Pair:
    """A certificate and its key, two files."""

    def __init__(self, directory, name):
        self.cert = pathlib.Path(directory) / f"{name}.pem"
        self.key = pathlib.Path(directory) / f"{name}.key"


class Authority(Pair):
    def __init__(self, directory, name):
        super().__init__(directory, name)
        self.directory = pathlib.Path(directory)
        _openssl("req", "-x509", *_KEY, "-keyout", self.key, "-out", self.cert, "-days", "30", "-subj", f"/CN={name}")

    def sign(self, name, names="", days=10, usage="", ca=False):
        """`names` is a subjectAltName: "DNS:localhost,IP:127.0.0.1". With -1 days it expired yesterday."""
        pair = Pair(self.directory, name)
        request = self.directory / f"{name}.csr"
        extensions = self.directory / f"{name}.ext"
        lines = [f"subjectAltName={names}"] if names else []
        lines += [f"extendedKeyUsage={usage}"] if usage else []
        lines += ["basicConstraints=CA:TRUE"] if ca else []
        extensions.write_text("\n".join(lines) + "\n")
        _openssl("req", *_KEY, "-keyout", pair.key, "-out", request, "-subj", f"/CN={name}")
        _openssl("x509", "-req", "-in", request, "-CA", self.cert, "-CAkey", self.key, "-CAcreateserial", "-days", days,
                 "-extfile", extensions, "-out", pair.cert)
        return pair

    def intermediate(self, name):
        pair = self.sign(name, ca=True)
        authority = Authority.__new__(Authority)
        authority.cert, authority.key, authority.directory = pair.cert, pair.key, self.directory
        return authority
