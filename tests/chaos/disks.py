"""Disks that are full, files that may not grow, a standard output that takes nothing: one line says so, what was there stays."""
import shutil
import subprocess

from whole import expect_whole

# A disk of its own in a name space that ends with the shell; what is on it at the end is copied out.
ON_A_SMALL_DISK = """mount -t tmpfs -o size="$1" none "$2" || exit 77
cp -r "$3/." "$2"; disk="$2"; seen="$4"; shift 4; "$@"; code=$?; cp -r "$disk/." "$seen"; exit $code"""


def may_mount(case):
    return subprocess.run(["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none "$1"', "sh", str(case.folder)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def a_command(case, folder):
    """Its arguments; it writes into `folder`, where the frames of a run already are."""
    random = case.random
    formats = ("ply", "vdb,ply", "fpc", "vtp", "bgeo", "usda")
    return random.choice((
        lambda: ["run", case.good / "film.toml", "-o", folder / "new", "--frames", 12, "--threads", 1, "--formats", random.choice(formats)],
        lambda: ["run", case.good / "film.toml", "-o", folder, "--overwrite", "--frames", 12, "--threads", 1],
        lambda: ["convert", folder, folder / f"converted/*.{random.choice(('vtp', 'bgeo', 'usda', 'fpc', 'vdb', 'obj'))}"],
        lambda: ["preview", folder, "--width", 640, "--height", 360],
        lambda: ["render", folder, "--size", "160x90", "--spp", 1, "--film", folder / "film.mp4", "--sheet", folder / "sheet.png", "--exr"],
    ))()


def attack(case):
    random, start = case.random, case.folder / "start"
    shutil.copytree(case.good / "run3", start)
    for file in start.glob("*"):
        if file.suffix not in (".ply", ".csv", ".toml") and file.is_file() and not file.name.startswith("."):
            file.unlink()  # a disk of a size that random numbers fill
    if random.random() < 0.2:
        deaf_stream(case, start)
    elif random.random() < 0.6 and may_mount(case):
        small_disk(case, start)
    else:
        small_files(case, start)


def small_disk(case, start):
    disk, seen = case.folder / "disk", case.folder / "seen"
    disk.mkdir()
    seen.mkdir()
    there = sum(-(-file.stat().st_size // 4096) * 4096 for file in start.rglob("*"))
    size = there + 16 * 1024 + case.random.randrange(700 * 1024)
    wrapper = ["unshare", "-rm", "sh", "-c", ON_A_SMALL_DISK, "sh", size, disk, start, seen]
    outcome = case.firn(*a_command(case, disk), wrapper=wrapper, writes=[seen])
    finish(case, outcome, seen)


def small_files(case, start):
    most = case.random.randrange(4 * 1024, 400 * 1024)
    outcome = case.firn(*a_command(case, start), largest_file=most, writes=[start])
    finish(case, outcome, start)


def finish(case, outcome, folder):
    case.ending = {0: "had room enough", 1: "stopped with the reason", 2: "refused"}.get(outcome.code, "ended otherwise")
    if outcome.code == 1:
        case.expect(any(reason in outcome.err for reason in ("No space left", "File too large")), f"does not say why: {outcome.errors}")
    expect_whole(case, folder)


def deaf_stream(case, start):
    """The standard output, the standard error or both are closed, or take nothing."""
    streams = case.random.choice((">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full", ">/dev/full 2>/dev/full"))
    wrapper = ["sh", "-c", f'exec "$@" {streams}', "sh"]
    command = case.random.choice((
        ["run", case.good / "ball3.toml", "-o", case.folder / "new", "--threads", 1],
        ["convert", start, case.folder / "new/*.vtp"],
        ["info", start / "final.ply"],
        ["preview", start, "--width", 48, "--height", 32],
    ))
    process = case.start(*command, wrapper=wrapper)
    outcome = process.finish()
    case.expect(outcome.code in (0, 1, 2), f"ended with {outcome.code}: {outcome.command} {streams}")
    if "/dev/full" in streams and command[0] == "info":
        case.expect(outcome.code == 1, f"exit code {outcome.code} although nothing could be printed: {outcome.command} {streams}")
    for folder in (start, case.folder / "new"):
        expect_whole(case, folder)
    case.ending = "nobody listened"
