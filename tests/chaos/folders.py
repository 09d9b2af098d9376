"""Surprises in folders: the user's own files among a run's, links, other runs at the same time, no permission. The user loses nothing."""
import os
import shutil
import time

from harness import contents
from whole import expect_whole

NOBODY = 65534


def users_files(folder):
    """Of names that firn uses and of others; what is in them is the user's."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("scene.toml", "notes.txt", "frame_0000.ply", "frame_0001.ply", "final.ply", "stats.csv", "frames.pvd", "frame_0000.png",
                 "preview.mp4", "frame_0001.ply.tmp"):
        (folder / name).write_text(f"# my own {name}\n")


def run(case, out, *more, **how):
    """The quick ball into `out`. Not even what a run may write is allowed to change, unless `writes` says so."""
    return case.firn("run", case.good / "ball3.toml", "-o", out, "--threads", 1, *more, **how)


def expect_answer(case, outcome, codes):
    case.expect(outcome.code in codes, f"exit code {outcome.code}, expected one of {codes}: {outcome.command}")
    case.ending = {0: "done beside it"}.get(outcome.code, "refused")


# --- the user's own files

def into_the_users_folder(case):
    home = case.folder / "home"
    users_files(home)
    (home / "scene.toml").write_text("# mine\n" + (case.good / "ball3.toml").read_text())
    overwrite = case.random.choice(([], ["--overwrite"]))
    outcome = case.firn("run", "scene.toml", "-o", ".", "--threads", 1, *overwrite, folder=home)
    expect_answer(case, outcome, {2} if not overwrite else {0, 2})


def users_files_in_a_run(case):
    out = case.folder / "out"
    run(case, out)
    for name in ("notes.txt", "preview/holiday.png", "frame_mine.ply", "frames/frame_0000.ply", "frame_0000.ply.bak"):
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("mine")
    mine = [path for path in contents(out) if path.read_bytes() == b"mine"]
    outcome = run(case, out, "--overwrite", "--frames", 1, writes=[out])
    expect_answer(case, outcome, {0})
    case.expect(all(path.read_bytes() == b"mine" for path in mine), "the user's own files in a run's folder are not what they were")
    case.expect(not (out / "frame_0002.ply").exists(), "a frame of the run before is left")


def an_edited_scene_of_a_run(case):
    out = case.folder / "out"
    run(case, out)
    with open(out / "scene.toml", "a") as scene:
        scene.write("# my own camera\n")
    expect_answer(case, run(case, out, "--overwrite", writes=[out]), {0, 2})
    copies = [path for path in out.rglob("*")
              if path.is_file() and path.suffix != ".ply" and "# my own camera" in path.read_text(errors="replace")]
    case.expect(copies, "the scene that the user edited in a run's folder is gone")


def hard_links_as_a_backup(case):
    """`cp -al out backup`: files of the backup are those of the run, until the run replaces them."""
    out, backup = case.folder / "out", case.folder / "backup"
    run(case, out)
    shutil.copytree(out, backup, copy_function=os.link)
    expect_answer(case, run(case, out, "--overwrite", "--frames", 1, writes=[out]), {0})


# --- links

def pictures_elsewhere(case):
    """DIR/preview or DIR/render is a link to where the user's own pictures are."""
    out, album = case.folder / "out", case.folder / "album"
    run(case, out)
    users_files(album)
    name = case.random.choice(("preview", "render"))
    (out / name).symlink_to(album)
    expect_answer(case, run(case, out, "--overwrite", writes=[out]), {0, 2})
    case.expect((out / name).is_symlink(), f"{name} is no link any more")


def files_elsewhere(case):
    """Names of a run's files are links to the user's own."""
    out, home = case.folder / "out", case.folder / "home"
    users_files(home)
    if case.random.random() < 0.5:
        run(case, out)
    out.mkdir(exist_ok=True)
    for name in case.random.sample(("scene.toml", "stats.csv", "frame_0000.ply", "frame_0001.ply", "final.ply", ".firn"), 2):
        (out / name).unlink(missing_ok=True)
        target = home / name if name != ".firn" else home / "notes.txt"
        (out / name).symlink_to(target if case.random.random() < 0.7 else case.folder / "not_there")
    expect_answer(case, run(case, out, "--overwrite", writes=[out]), {0, 1, 2})
    case.expect(not (case.folder / "not_there").exists(), "a file was made through a link")


def temporaries_elsewhere(case):
    """Whatever a temporary file is called, it is not written through a link of that name."""
    out, home = case.folder / "out", case.folder / "home"
    users_files(home)
    out.mkdir()
    names = "scene.toml frame_0000.ply frame_0001.ply final.ply stats.csv .firn"
    links = f'for n in {names}; do ln -s ../home/notes.txt "{out}/$n.$$.tmp"; ln -s ../home/notes.txt "{out}/$n.tmp"; done; exec "$@"'
    outcome = run(case, out, "--overwrite", wrapper=["sh", "-c", links, "sh"])  # the program's id is the shell's
    expect_answer(case, outcome, {0, 1, 2})


def a_list_that_lies(case):
    """What a run has written is kept in a list; one that names other files must not make them go."""
    out = case.folder / "out"
    run(case, out)
    users_files(case.folder / "home")
    if not (out / ".firn").exists():
        case.ending = "no list"
        return
    (out / "notes.txt").write_text("mine")
    with open(out / ".firn", "a") as text:
        for name in ("../home/notes.txt", str(case.folder / "home/final.ply"), "./../home/scene.toml", "..", "/",
                     "preview/../../home/stats.csv"):
            text.write(f"file {name}\nfolder {name}\n")
    expect_answer(case, run(case, out, "--overwrite", writes=[path for path in contents(out) if path.name != "notes.txt"]), {0, 2})


def a_link_to_the_folder(case):
    real = case.folder / "disk"
    real.mkdir()
    (case.folder / "out").symlink_to(real)
    expect_answer(case, run(case, case.folder / "out"), {0})
    expect_whole(case, real)


# --- several at a time

def two_runs_at_once(case):
    """At most one of them gets the folder, and the frames are those of one run."""
    out, alone = case.folder / "out", case.folder / "alone"
    if case.random.random() < 0.5:
        run(case, out)
    scene = (case.good / "film.toml").read_text()
    texts = {"a": scene, "b": scene.replace("radius = 0.06", "radius = 0.05")}
    for name, text in texts.items():
        (case.folder / f"{name}.toml").write_text(text)
        run_of(case, name, alone / name).finish()
    first = run_of(case, "a", out, "--overwrite")
    time.sleep(case.random.uniform(0, 0.3))
    second = second_run(case, out, *case.random.choice(([], ["--overwrite"])))
    outcomes = {"a": first.finish(), "b": second.finish()}
    for outcome in outcomes.values():
        case.judge(outcome, {0, 1, 2})
    winners = [name for name, outcome in outcomes.items() if outcome.code == 0]
    if not case.expect(winners, "none of two runs at the same time was done"):
        return
    frames = {path.name: path.read_bytes() for path in out.glob("*.ply")}
    same = [name for name in winners if frames == {path.name: path.read_bytes() for path in (alone / name).glob("*.ply")}]
    case.expect(same, f"the frames are not those of one run; exit code 0: {winners}")
    case.ending = f"{len(winners)} of 2 done"


def run_of(case, name, out, *more):
    return case.start("run", case.folder / f"{name}.toml", "-o", out, "--frames", 3, "--threads", 1, *more)


def second_run(case, out, *more):
    """Its output goes beside that of the first."""
    case.log = case.log / "second"
    case.log.mkdir()
    try:
        return run_of(case, "b", out, *more)
    finally:
        case.log = case.log.parent


def pictures_of_a_run_that_goes_on(case):
    out = case.folder / "out"
    (case.folder / "a.toml").write_text((case.good / "film.toml").read_text())
    first = case.start("run", case.folder / "a.toml", "-o", out, "--frames", 20, "--threads", 1)
    deadline = time.monotonic() + 10
    while not (out / "frame_0001.ply").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    log, case.log = case.log, case.log / "second"
    case.log.mkdir()
    outcome = case.firn("preview", out, "--no-film", "--width", 64, "--height", 36, writes=[out])
    case.log = log
    case.judge(first.finish(), {0})
    expect_answer(case, outcome, {0, 2})
    expect_whole(case, out)


# --- names and permissions

def not_a_folder(case):
    (case.folder / "file").write_text("mine")
    out = case.random.choice((case.folder / "file", case.folder / "file/out", "/dev/null", "/dev/null/out", "", case.folder / ("x" * 300),
                              case.folder / "not_there.toml"))
    outcome = run(case, out, *case.random.choice(([], ["--overwrite"])))
    expect_answer(case, outcome, {0} if str(out).endswith("not_there.toml") else {0, 1, 2})


def strange_names(case):
    name = case.random.choice(("a\nb", "a b", "ö", b"\xff\xfe".decode(errors="surrogateescape"), "-o", "a*", "%d", "{}",
                               "a'\"b", "\x1b[31m"))
    out = case.folder / name
    expect_answer(case, run(case, out, folder=case.folder), {0})
    case.firn("preview", out, "--width", 48, "--height", 32, codes={0})
    case.firn("info", out / "final.ply", codes={0})
    case.firn("info", out / "not_there", codes={2})
    case.firn("convert", out, f"{case.folder}/converted/*.vtp", codes={0, 2})
    case.firn("check", out / "scene.toml", codes={0})


def no_permission(case):
    """As somebody who may not write; root may always."""
    shutil.copytree(case.good, case.folder / "good")
    home = case.folder / "home"
    home.mkdir()
    shutil.copytree(case.good / "run3", home / "run")
    secret = home / "secret.toml"
    secret.write_text("mine")
    secret.chmod(0)
    for path in (home, home / "run"):
        path.chmod(0o555)
    good = case.folder / "good"
    command = case.random.choice((
        ["run", good / "ball3.toml", "-o", home / "new"],
        ["run", good / "ball3.toml", "-o", home / "run", "--overwrite"],
        ["preview", home / "run", "--width", 48, "--height", 32],
        ["render", home / "run/frame_0001.ply", "--spp", 1, "--size", "24x16"],
        ["convert", home / "run", home / "*.vtp"],
        ["check", secret],
        ["info", secret],
    ))
    try:
        outcome = case.firn(*command, user=NOBODY if os.getuid() == 0 else None, folder="/")
        expect_answer(case, outcome, {1, 2})
    except PermissionError:
        case.ending = "not tried: nobody may run the program where it is"
    for path in (home, home / "run", secret):
        path.chmod(0o755)


def from_the_folder_of_a_run(case):
    """The scene of a run again: it goes somewhere else, every time."""
    run(case, case.folder / "out/x")
    for _ in range(2):
        outcome = case.firn("run", "out/x/scene.toml", "--threads", 1, "--frames", 1, folder=case.folder)
        expect_answer(case, outcome, {0, 2})


SURPRISES = (into_the_users_folder, users_files_in_a_run, an_edited_scene_of_a_run, hard_links_as_a_backup, pictures_elsewhere,
             files_elsewhere, temporaries_elsewhere, a_list_that_lies, a_link_to_the_folder, two_runs_at_once,
             pictures_of_a_run_that_goes_on, not_a_folder, strange_names, no_permission, from_the_folder_of_a_run)


def attack(case):
    SURPRISES[case.number % len(SURPRISES)](case)
