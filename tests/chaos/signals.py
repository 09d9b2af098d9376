"""Ctrl-C, SIGTERM and SIGKILL at random moments of every command that takes a while: it ends soon, and what it leaves is whole."""
import os
import shutil
import signal
import time

from harness import STOPS_WITHIN
from whole import expect_whole

LATEST_MOMENT = 1.2  # s: jobs take about as long
# How often they come, and how often each is tried.
SIGNALS = [(signal.SIGINT,), (signal.SIGINT,), (signal.SIGTERM,), (signal.SIGTERM,), (signal.SIGINT, signal.SIGINT),
           (signal.SIGTERM, signal.SIGTERM), (signal.SIGKILL,)]

# The set-up of these takes a second or more: a surface of many cells, and points that keep a distance.
SLOW_TO_SET_UP = """[simulation]
spacing = {spacing}
frames = 20
[[snow]]
shape = "sphere"
center = [0, 0.5, 0]
radius = 0.2
sampling = "{sampling}"
[[collider]]
shape = "{shape}"
{keys}
"""
BODIES = {"mesh": 'file = "{good}/mesh.stl"\nscale = 0.3\ntranslate = [0, -0.1, 0]',
          "heightfield": 'center = [0, 0, 0]\nlength = 3\nwidth = 3\nformula = "0.1 + 0.05*sin(5*x)*cos(4*z)"',
          "difference": 'parts = [{{ shape = "box", center = [0, -0.2, 0], size = [2, 0.4, 2] }}, '
                        '{{ shape = "sphere", center = [0, 0, 0], radius = 0.2 }}]'}


def a_run(case):
    formats = case.random.choice(("ply", "ply,vdb", "usda", "fpc,vtp", "bgeo"))
    return ["run", case.good / "film.toml", "-o", case.folder / "out", "--frames", 60, "--formats", formats]


def a_set_up(case):
    shape = case.random.choice(list(BODIES))
    text = SLOW_TO_SET_UP.format(spacing=case.random.choice((0.005, 0.004)), sampling=case.random.choice(("jittered", "poisson")),
                                 shape=shape, keys=BODIES[shape].format(good=case.good))
    (case.folder / "slow.toml").write_text(text)
    if case.random.random() < 0.4:
        return ["check", case.folder / "slow.toml"]
    return ["run", case.folder / "slow.toml", "-o", case.folder / "out"]


def with_the_film(case):
    shutil.copytree(case.good / "film", case.folder / "out")
    return case.folder / "out"


def a_preview(case):
    return ["preview", with_the_film(case), "--width", 640, "--height", 360]


def a_picture(case):
    run = with_the_film(case)
    return ["render", run, "--size", "160x90", "--quality", case.random.choice(("draft", "good")), "--film", case.folder / "film.mp4",
            *case.random.choice(([], ["--exr"], ["--volume"]))]


def a_conversion(case):
    kind = case.random.choice(("usda", "vdb", "obj", "fpc"))
    run = with_the_film(case)
    return ["convert", run, f"{run}/*.{kind}"]


def attack(case):
    arguments = case.random.choice((a_run, a_run, a_set_up, a_set_up, a_preview, a_picture, a_conversion))(case)
    numbers = case.random.choice(SIGNALS)
    process = case.start(*arguments, "--threads", 1) if arguments[0] == "run" else case.start(*arguments)
    process.wait(case.random.uniform(0, LATEST_MOMENT))
    finished = process.ended()
    sent = time.monotonic()
    send(case, process, numbers[0])
    for number in numbers[1:]:
        process.wait(case.random.uniform(0, 0.2))
        process.send(number)
    outcome = process.finish()
    if not finished:
        case.answer = time.monotonic() - sent
    judge(case, outcome, numbers[-1], finished)
    case.ending = "finished before" if finished else f"ended by {numbers[0].name}" + (" twice" if len(numbers) > 1 else "")
    again(case, arguments)


def send(case, process, number):
    """Ctrl-C reaches all processes of a terminal's group, `kill` the program alone."""
    if number == signal.SIGINT and case.random.random() < 0.5 and not process.ended():
        os.killpg(process.handle.pid, number)
    else:
        process.send(number)


def judge(case, outcome, number, finished):
    ends = {signal.SIGINT: {130}, signal.SIGTERM: {130, 143}, signal.SIGKILL: set()}[number]
    by_the_signal = outcome.code == -number and not outcome.hung
    if by_the_signal:  # before the program has begun, or at the second time: the shell shows it as 130 or 143
        outcome.code = 128 + number
    case.judge(outcome, {0, 128 + number} | ends)
    busy = max(1, os.getloadavg()[0] / os.cpu_count())
    if not finished and number != signal.SIGKILL:
        case.expect(case.answer < STOPS_WITHIN * busy, f"goes on for {case.answer:.1f} s after {number.name}: {outcome.command}")
    out = case.folder / "out"
    if out.exists():
        expect_whole(case, out, tidy=number != signal.SIGKILL)
        began = next(out.glob("frame_0000.*"), None)
        if began and outcome.code in (130, 143) and not by_the_signal and "interrupted" in outcome.out:
            case.expect((out / "final.ply").exists(), "no final.ply of a run that was interrupted")
    film = case.folder / "film.mp4"
    case.expect(number == signal.SIGKILL or not list(case.folder.glob("*.tmp*")), f"a temporary file is left beside {film.name}")


def again(case, arguments):
    """The same once more, on top of what is there."""
    run = case.folder / "out"
    if arguments[0] == "convert":
        case.firn(*arguments, "--overwrite", codes={0}, writes=[run])
    elif arguments[0] != "check":
        case.firn("run", case.good / "ball3.toml", "-o", run, "--overwrite", "--threads", 1, codes={0}, writes=[run])
        case.expect(len(list(run.glob("frame_*"))) == 3, "frames of the run before are left")
    if run.exists():
        expect_whole(case, run, tidy=arguments[0] != "convert")
