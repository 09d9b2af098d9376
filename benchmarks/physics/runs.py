"""Runs of firn in a temporary folder, and what is read from them."""
import csv
import os
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

SCENES = Path(__file__).parent / "scenes"
PRINTED = {"solver.contact": "paper", "solver.flip_step": 0, "solver.tangent": "elastic", "solver.sleep": "false",
           "snow.initial_volume": "grid"}
WAYS = {"printed": PRINTED, "now": {}}
METHODS = {"explicit FLIP": {"solver.integrator": "explicit", "solver.transfer": "flip"},
           "explicit APIC": {"solver.integrator": "explicit", "solver.transfer": "apic"},
           "semi-implicit": {"solver.integrator": "semi-implicit", "solver.transfer": "flip"}}
NUMPY_KINDS = {"float": "<f4", "double": "<f8", "uint": "<u4", "ushort": "<u2"}


class RunFailed(RuntimeError):
    pass


@dataclass
class Case:
    """A scene with other values of some keys. `may_fail`: a run that stops is a result, not an error."""
    scene: str
    settings: dict
    about: dict = field(default_factory=dict)  # what it is in the table
    may_fail: bool = False

    def key(self):
        return self.scene, tuple(sorted((k, str(v)) for k, v in self.settings.items()))

    def name(self):
        return ", ".join(str(v) for v in self.about.values())


def read_particles(path):
    """The table of a binary PLY that firn has written."""
    header, body = path.read_bytes().split(b"end_header\n", 1)
    properties = [line.split()[1:] for line in header.decode().split("\n") if line.startswith("property")]
    return np.frombuffer(body, dtype=[(name, NUMPY_KINDS[kind]) for kind, name in properties])


class Run:
    def __init__(self, folder, failed):
        self.folder, self.failed = folder, failed
        with open(folder / "stats.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.stats = {key: np.array([float(row[key]) for row in rows]) for key in rows[0] if key != "step_rule"}

    def energy(self):
        return self.stats["kinetic_energy"] + self.stats["elastic_energy"]

    def at(self, values, moment):
        """The line of stats.csv at this time; None where the run did not get there."""
        near = np.flatnonzero(np.abs(self.stats["time"] - moment) < 1e-3)
        return float(values[near[0]]) if len(near) else None

    def final(self):
        return read_particles(self.folder / "final.ply")

    def frames(self):
        """(time, particles) of every frame."""
        for path in sorted(self.folder.glob("frame_????.ply")):
            yield self.stats["time"][int(path.stem[-4:])], read_particles(path)


class Runner:
    """Runs cases, `jobs` at a time and one thread each; the same case only once in a session."""

    def __init__(self, firn, folder, jobs):
        self.firn, self.folder, self.jobs = Path(firn), Path(folder), jobs
        self.done, self.processes, self.lock = {}, set(), threading.Lock()

    def _execute(self, case, folder):
        command = [self.firn, "run", self.scene(case.scene), "-o", folder, "--threads", "1"]
        for key, value in case.settings.items():
            command += ["--set", f"{key}={value}"]
        process = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        with self.lock:
            self.processes.add(process)
        errors = process.communicate()[1]
        with self.lock:
            self.processes.discard(process)
        if process.returncode == 0 or (case.may_fail and process.returncode == 1 and (folder / "stats.csv").exists()):
            return Run(folder, process.returncode != 0)
        raise RunFailed(f"{case.name()}: exit code {process.returncode} of\n  {' '.join(str(c) for c in command)}\n{errors.strip()}")

    def scene(self, name):
        """A scene of ours, or one that a section wrote into the temporary folder."""
        return SCENES / f"{name}.toml" if not name.endswith(".toml") else self.folder / name

    def run(self, cases):
        """The runs of the cases, in their order."""
        new = list({case.key(): case for case in cases if case.key() not in self.done}.values())
        first = len(self.done)
        counter = iter(range(1, len(new) + 1))

        def work(numbered):
            number, case = numbered
            begin = time.monotonic()
            run = self._execute(case, self.folder / f"run_{first + number:04}")
            with self.lock:
                self.done[case.key()] = run
                stopped = "  STOPPED" if run.failed else ""
                print(f"  [{next(counter)}/{len(new)}] {case.name()}  ({time.monotonic() - begin:.1f} s){stopped}", flush=True)

        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = [pool.submit(work, item) for item in enumerate(new)]
            try:
                for future in waiting:
                    future.result()
            except BaseException:
                for future in waiting:
                    future.cancel()
                self.stop()
                raise
        return [self.done[case.key()] for case in cases]

    def stop(self):
        with self.lock:
            for process in self.processes:
                process.terminate()


def default_jobs():
    return len(os.sched_getaffinity(0))


def write_csv(path, rows):
    """Numbers with five digits."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.5g}" if isinstance(value, float) else value for key, value in row.items()})
