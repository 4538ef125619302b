# SPDX-License-Identifier: Apache-2.0
"""Receivers of notices: a web server with TLS that behaves as it is told, and syslog servers that read RFC 5424 strictly."""
import hashlib
import hmac
import http.server
import json
import os
import re
import socket
import ssl
import threading
import time

from eventually import eventually


class Webhook:
    """Keeps what is posted, a notice once: it comes again when its answer was slow. `answers`: (status, headers, body) or a callable of the handler,
    one each; the last one goes on."""

    def __init__(self, pair=None, answers=((204, {}, b""),), secret="", until=eventually):
        self.until = until
        self.secret = secret
        self.answers = list(answers)
        self.notices, self.requests, self.unsigned = [], [], 0
        lock = threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with lock:
                    answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                    outer.requests.append((time.monotonic(), self.path, dict(self.headers), body))
                    if outer.secret and not outer.signed(self.headers, body):
                        outer.unsigned += 1
                if callable(answer):
                    return answer(self)
                status, headers, text = answer
                if 200 <= status < 300:
                    with lock:
                        outer.keep(json.loads(body))
                self.send_response(status)
                for name, value in {"Content-Length": str(len(text)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(text)
                except OSError:
                    pass
                return None

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a caller that hangs up

        self.server = Server(("127.0.0.1", 0), Handler)
        if pair:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pair.cert, pair.key)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def keep(self, notice):
        if notice["notice_id"] not in [one["notice_id"] for one in self.notices]:
            self.notices.append(notice)

    def signed(self, headers, body):
        """As the README shows it."""
        stamp = headers["Rdmaready-Timestamp"]
        good = "v1=" + hmac.new(self.secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(good, headers["Rdmaready-Signature"]) and abs(time.time() - int(stamp)) < 300

    def wait(self, count=1, seconds=120, of=None):
        """The notices, once there are so many (that `of` chooses)."""
        return self.until(lambda: [one for one in list(self.notices) if of is None or of(one)], lambda chosen: len(chosen) >= count, seconds,
                          why=lambda: self.notices)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Syslog:
    """A list of messages as they came: datagrams of `unix:PATH` or `udp`, or counted octets over `tcp` and `tls`."""

    def __init__(self, way, folder=None, pair=None, until=eventually):
        self.until = until
        self.messages = []
        if way == "unix":
            self.target = f"unix:{folder}/log"
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.socket.bind(f"{folder}/log")
        elif way == "udp":
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.socket.bind(("127.0.0.1", 0))
            self.target = f"udp:127.0.0.1:{self.socket.getsockname()[1]}"
        else:
            self.socket = socket.create_server(("127.0.0.1", 0))
            self.target = f"{way}:127.0.0.1:{self.socket.getsockname()[1]}"
        context = None
        if way == "tls":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pair.cert, pair.key)
        threading.Thread(target=self.datagrams if way in ("unix", "udp") else self.streams, args=() if way in ("unix", "udp") else (context,), daemon=True).start()

    def datagrams(self):
        while True:
            try:
                self.messages.append(self.socket.recv(65536))
            except OSError:
                return

    def streams(self, context):
        while True:
            try:
                plain, _ = self.socket.accept()
                stream = context.wrap_socket(plain, server_side=True) if context else plain
                octets = b""
                while more := stream.recv(65536):
                    octets += more
                stream.close()
            except OSError:
                if self.socket.fileno() < 0:
                    return
                continue
            while octets:
                count, _, rest = octets.partition(b" ")
                if not count.isdigit() or len(rest) < int(count):
                    self.messages.append(b"not counted: " + octets)
                    break
                self.messages.append(rest[:int(count)])
                octets = rest[int(count):]

    def wait(self, count=1, seconds=120):
        return self.until(lambda: list(self.messages), lambda messages: len(messages) >= count, seconds)

    def close(self):
        self.socket.close()


_HEADER = re.compile(rb"<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) ([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) ", re.S)
_PARAM = re.compile(r' ([!#-<>-\[^-~]{1,32})="((?:[^"\\\]]|\\["\\\]])*)"')


def parse(message):
    """RFC 5424, section 6: a dictionary, or ValueError."""
    head = _HEADER.match(message)
    if not head or any(octet < 32 or octet == 127 for octet in message):
        raise ValueError(message)
    rest = message[head.end():].decode()
    data = {}
    if rest.startswith("["):
        name = re.match(r"\[([!#-<>-\\^-~]{1,32})", rest)
        at, data["id"] = name.end(), name[1]
        while param := _PARAM.match(rest, at):
            data[param[1]] = re.sub(r'\\(["\\\]])', r"\1", param[2])
            at = param.end()
        if rest[at:at + 1] != "]":
            raise ValueError(message)
        rest = rest[at + 1:]
    elif rest.startswith("-"):
        rest = rest[1:]
    else:
        raise ValueError(message)
    text = rest.removeprefix(" ")
    if not text.isascii() and not text.startswith("﻿"):
        raise ValueError("UTF-8 without its mark")
    return {"facility": int(head[1]) // 8, "severity": int(head[1]) % 8, "time": head[2].decode(), "host": head[3].decode(),
            "app": head[4].decode(), "msgid": head[6].decode(), "data": data, "text": text.removeprefix("﻿")}


def write(path, text):
    """A file of receivers, as it has to be."""
    path.write_text(text)
    os.chmod(path, 0o600)
    return path
