"""A case of the attack: a folder of its own, random numbers of its own, and the rules that every run of the program must keep."""
import hashlib
import os
import random
import re
import resource
import shlex
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

LONGEST = 20           # s: more is a hang
LONGEST_WAITING = 90   # s by the clock, where the machine has little time for the program
STOPS_WITHIN = 3       # s after SIGTERM, on a busy machine; the program's own promise is half a second
MOST_MEMORY = 2e9      # bytes: cases are small
OWN_LIST = ".firn"     # of what firn wrote into a folder; it grows

# What the program itself prints beside its error; anything else on the standard error are a library's own words.
KNOWN_LINES = re.compile(r"warning: |error: |frame \d+/|picture \d+/|\d+/\d+  |critical density |interrupted$|.* \.\.\.$")
NEVER_PRINTED = re.compile(r"nan m\b|terminate called|what\(\):|Sanitizer|runtime error:|Assertion|core dumped|std::", re.IGNORECASE)


@dataclass
class Outcome:
    command: str
    code: int            # negative: the signal that ended it
    out: str
    err: str
    seconds: float
    bytes: int           # largest resident size
    stopped: bool        # at LONGEST, by SIGTERM
    hung: bool           # not even then
    left_running: list   # processes of its session

    @property
    def errors(self):
        return [line for line in self.err.splitlines() if line.startswith("error: ")]

    def faults(self, codes):
        """What no run may do, whatever it was asked."""
        found = []
        if self.hung:
            found.append(f"hangs: more than {LONGEST} s, and deaf to SIGTERM")
        elif self.code < 0:
            found.append(f"ended by signal {signal.Signals(-self.code).name}")
        elif self.code not in codes:
            found.append(f"exit code {self.code}, allowed {sorted(codes)}")
        expected_errors = 1 if self.code in (1, 2) else 0
        if self.code >= 0 and len(self.errors) != expected_errors:
            found.append(f"exit code {self.code} with {len(self.errors)} lines of error")
        strange = [line for line in self.err.splitlines() if line and not KNOWN_LINES.match(line)]
        if strange:
            found.append(f"a strange line on the standard error: {strange[0][:200]!r}")
        for text in (self.out, self.err):
            word = NEVER_PRINTED.search(text)
            if word:
                found.append(f"prints {text[max(0, word.start() - 60):word.end() + 20]!r}")
        if self.bytes > MOST_MEMORY:
            found.append(f"takes {self.bytes / 1e9:.1f} GB")
        if self.left_running:
            found.append(f"leaves processes running: {self.left_running}")
        return found


def processes_of_session(session):
    """Ids of those that run, the dead that nobody has collected aside."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[3] == str(session) and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def computing_time(process):
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


class Process:
    """The program at work, in a session of its own so that what it leaves behind is found."""

    def __init__(self, command, folder, files, largest_file=None, user=None):
        self.command, self.files = command, files

        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if largest_file is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

        self.begin = time.monotonic()
        with open(files / "out", "wb") as out, open(files / "err", "wb") as err:
            self.handle = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, user=user,
                                           start_new_session=True, preexec_fn=prepare)
        self.status = None
        self.usage = None

    def ended(self):
        if self.status is None:
            found, status, usage = os.wait4(self.handle.pid, os.WNOHANG)
            if found:
                self.status, self.usage = os.waitstatus_to_exitcode(status), usage
                self.handle.returncode = self.status  # it is collected
        return self.status is not None

    def wait(self, seconds):
        pause, end = 0.001, time.monotonic() + seconds
        while not self.ended() and time.monotonic() < end:
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        return self.ended()

    def send(self, number):
        if not self.ended():
            os.kill(self.handle.pid, number)

    def finish(self):
        """Waits for its end and, when it takes too long, brings it about."""
        stopped = hung = False
        if not self.wait(LONGEST) and computing_time(self.handle.pid) < LONGEST / 2:
            self.wait(LONGEST_WAITING - LONGEST)
        if not self.ended():
            stopped = True
            self.send(signal.SIGTERM)
            hung = not self.wait(STOPS_WITHIN)
        if hung:
            self.send(signal.SIGKILL)
            self.wait(LONGEST)
        seconds = time.monotonic() - self.begin
        deadline = time.monotonic() + 2  # what it has ended itself may take a moment to go
        while (left := processes_of_session(self.handle.pid)) and time.monotonic() < deadline:
            time.sleep(0.05)
        for number in left:
            os.kill(number, signal.SIGKILL)
        out, err = ((self.files / name).read_text(errors="replace") for name in ("out", "err"))
        return Outcome(shlex.join(map(str, self.command)), self.status, out, err, seconds, self.usage.ru_maxrss * 1024, stopped, hung, left)


def contents(folder):
    """{path: what is there} of all that is in a folder, links as links."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_symlink():
            found[path] = f"link to {os.readlink(path)}"
        elif path.is_file():
            found[path] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


class Case:
    """`good`: the folder of undamaged files. A case is the same for the same attack, seed and number."""

    def __init__(self, attack, seed, number, folder, program, good):
        self.name = f"{attack} {seed} {number}"
        self.random = random.Random(self.name)
        self.seed, self.number = seed, number
        self.folder, self.program, self.good = Path(folder), Path(program), Path(good)
        self.log = self.folder.parent / (self.folder.name + ".log")
        self.log.mkdir(parents=True, exist_ok=True)
        self.folder.mkdir(parents=True)
        self.faults, self.commands, self.ending = [], [], "done"
        self.whole = set()  # files that were found so
        self.answer = 0.0   # s, that it took to end after a signal

    def fault(self, text):
        self.faults.append(text)

    def expect(self, fact, text):
        if not fact:
            self.fault(text)
        return fact

    def start(self, *arguments, wrapper=(), **how):
        """`wrapper`: a command that runs the program."""
        command = [*map(str, wrapper), str(self.program), *map(str, arguments)]
        self.commands.append(shlex.join(command))
        return Process(command, how.pop("folder", self.folder), self.log, **how)

    def firn(self, *arguments, codes=(0, 1, 2), may_take_long=False, writes=(), **how):
        """Runs the program to its end. What was in the case's folder before stays as it was, but for what it `writes`."""
        before = contents(self.folder)
        outcome = self.start(*arguments, **how).finish()
        self.commands[-1] += f"   # {outcome.seconds:.1f} s"
        if outcome.stopped and not outcome.hung:
            codes = {130, 143}
            if outcome.code == -signal.SIGTERM:  # as the shell shows it
                outcome.code = 143
            self.expect(may_take_long, f"takes more than {LONGEST} s: {outcome.command}")
        self.judge(outcome, codes)
        self.nothing_lost(before, writes, outcome.command)
        return outcome

    def judge(self, outcome, codes):
        for fault in outcome.faults(codes):
            self.fault(f"{fault}: {outcome.command}")

    def nothing_lost(self, before, writes, command):
        now = contents(self.folder)
        allowed = [Path(path) for path in writes]
        for path, was in before.items():
            if path.name == OWN_LIST and path in now:
                continue  # of a run that pictures were made of, say
            if now.get(path) != was and not any(path == a or a in path.parents for a in allowed):
                self.fault(f"{path.relative_to(self.folder)} was {'changed' if path in now else 'removed'}: {command}")
