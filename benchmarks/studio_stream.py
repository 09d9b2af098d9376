"""What it costs the solver that a page watches: steps a second of a run of about 200,000 particles, watched at 10 frames a second and not,
in turns. benchmarks/studio_stream.py --firn build/firn"""
import argparse
import base64
import json
import os
import re
import signal
import socket
import statistics
import struct
import subprocess
import tempfile
import time
import urllib.request

# A ball at rest in the air without gravity: every step costs the same.
SCENE = """
[simulation]
spacing = 0.01
duration = 1000
gravity = [0, 0, 0]
[solver]
time_step = 1e-4
integrator = "explicit"
sleep = false
[[snow]]
shape = "sphere"
center = [0, 0.5, 0]
radius = 0.182
velocity = [0.01, 0, 0]
"""


class Page:
    """A WebSocket with no more than this needs."""

    def __init__(self, port, token):
        self.socket = socket.create_connection(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET /ws?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: firn.1\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        while self.file.readline().strip():
            pass
        self.id, self.bytes, self.frames = 0, 0, 0

    def tell(self, what, **fields):
        self.id += 1
        payload = json.dumps({"id": self.id, "do": what, **fields}).encode()
        size = struct.pack("!B", 0x80 | len(payload)) if len(payload) < 126 else struct.pack("!BH", 0x80 | 126, len(payload))
        self.socket.sendall(b"\x81" + size + b"\0\0\0\0" + payload)
        return self.id

    def take(self):
        """The next message: an object, or the serial of a frame that is then asked to be followed by another."""
        kind, payload, is_last = 0, b"", False
        while not is_last:
            opcode, size = self.file.read(2)
            size &= 127
            if size >= 126:
                size = int.from_bytes(self.file.read(2 if size == 126 else 8), "big")
            kind, is_last = kind or opcode & 15, opcode & 128
            payload += self.file.read(size)
        if kind == 2:
            self.bytes, self.frames = self.bytes + len(payload), self.frames + 1
            self.tell("ready", run=payload[5], serial=struct.unpack_from("<I", payload, 8)[0])
            return None
        return json.loads(payload)

    def ask(self, what, **fields):
        number = self.tell(what, **fields)
        while True:
            message = self.take()
            if message and message.get("id") == number:
                return message

    def run_state(self):
        return self.ask("hello", version=1)["runs"][0]


def steps_a_second(page, seconds):
    begin, first = time.perf_counter(), page.run_state()["steps"]
    while time.perf_counter() - begin < seconds:
        page.take()
    return (page.run_state()["steps"] - first) / (time.perf_counter() - begin)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--firn", default="build/firn")
    parser.add_argument("--seconds", type=float, default=8, help="of each turn")
    parser.add_argument("--turns", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [options.firn, "studio", "--no-open", "--port", "0", "--folder", folder]
        program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        port = int(re.search(r":(\d+)/", program.stdout.readline())[1])
        with urllib.request.urlopen(f"http://{'127.0.0.1'}:{port}/") as answer:
            token = re.search(r'firn-token" content="(\w+)"', answer.read().decode())[1]
        try:
            page = Page(port, token)
            run = page.ask("open", text=SCENE, go=True)["run"]
            while page.run_state()["steps"] < 20:
                time.sleep(0.2)
            measure(page, run, options)
        finally:
            program.send_signal(signal.SIGKILL)
            program.wait()


def measure(page, run, options):
    alone, watched = [], []
    for _ in range(options.turns):
        page.ask("watch", run=run, frame=0)  # a recorded frame comes once
        alone.append(steps_a_second(page, options.seconds))
        page.ask("watch", run=run, colour="speed", frame="live", rate=10)
        page.frames = page.bytes = 0
        watched.append(steps_a_second(page, options.seconds))
        rate, size = page.frames / options.seconds, page.bytes / max(1, page.frames)
        print(f"{alone[-1]:.2f} steps/s alone, {watched[-1]:.2f} watched, {rate:.1f} frames/s of {size / 1e6:.2f} MB", flush=True)
    cost = 1 - statistics.median(watched) / statistics.median(alone)
    print(f"{page.run_state()['particles']} particles: watching costs {100 * cost:.1f} % of the steps (medians)")


if __name__ == "__main__":
    main()
