"""What it costs the solver that a page watches: a run of about 200,000 particles, watched at 10 frames a second and not, in turns.
benchmarks/studio_stream.py --firn build/firn"""
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


def thread_seconds(pid):
    """Of computing, by the thread that serves pages."""
    fields = open(f"/proc/{pid}/task/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Turn:
    """What happens in some seconds."""

    def __init__(self, page, pid, seconds):
        page.frames = page.bytes = 0
        before, served, begin = page.run_state(), thread_seconds(pid), time.perf_counter()
        while time.perf_counter() - begin < seconds:
            page.take()
        after, wall = page.run_state(), time.perf_counter() - begin
        self.steps = (after["steps"] - before["steps"]) / wall
        self.frames, self.megabytes = page.frames / wall, page.bytes / max(1, page.frames) / 1e6
        # The solver waits while particles are gathered; serving takes one of its cores for a moment.
        self.waits = (after["seconds_shown"] - before["seconds_shown"]) / wall
        self.serves = (thread_seconds(pid) - served) / wall / os.cpu_count()


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
            measure(page, run, program.pid, options)
        finally:
            program.send_signal(signal.SIGKILL)
            program.wait()


def measure(page, run, pid, options):
    watched = []
    for _ in range(options.turns):
        page.ask("watch", run=run, frame=0)  # a recorded frame comes once
        alone = Turn(page, pid, options.seconds)
        page.ask("watch", run=run, colour="speed", frame="live", rate=10)
        watched.append(Turn(page, pid, options.seconds))
        turn = watched[-1]
        print(f"{alone.steps:.1f} steps/s alone, {turn.steps:.1f} watched, {turn.frames:.1f} frames/s of {turn.megabytes:.2f} MB: "
              f"the solver waits {100 * turn.waits:.2f} %, serving takes {100 * turn.serves:.2f} %", flush=True)
    cost = statistics.median(turn.waits + turn.serves for turn in watched)
    print(f"{page.run_state()['particles']} particles: watching costs {100 * cost:.1f} % of the solver's time (median)")


if __name__ == "__main__":
    main()
