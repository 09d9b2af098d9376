#!/usr/bin/python3
"""Plants one mistake for every check in a small tree of files, and sees that it is found; the tree without mistakes has no findings."""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import coverage  # noqa: E402
import docs  # noqa: E402
import layers  # noqa: E402
import run  # noqa: E402
import style  # noqa: E402
import tidy  # noqa: E402
from tree import Tree  # noqa: E402

SOUND = {
    ".clang-format": "BasedOnStyle: Google\nColumnLimit: 140\n",
    ".clang-tidy": "Checks: '-*,bugprone-integer-division'\n",
    "Makefile": "test: build\n\t@true\nbuild:\n\t@true\n",
    "src/CMakeLists.txt": "firn_layer(math LINKS fmt::fmt)\n"
                          "firn_layer(render_path SOURCES trace.cpp LINKS firn_scene)\n"
                          "firn_layer(solve FOLDER solver SOURCES solver/step.cpp LINKS firn_math)\n"
                          "add_subdirectory(scene)\n",
    "src/scene/CMakeLists.txt": "firn_layer(scene  # the text of a scene\n  SOURCES schema.cpp\n  LINKS firn_math)\n",
    "src/math/vec.h": "// Vectors.\n#pragma once\n",
    "src/math/svd.h": '// Apart: apart because tests want it alone.\n#pragma once\n#include "math/vec.h"\n',
    "src/scene/schema.h": '// Keys.\n#pragma once\n#include "firn/scene.h"\n#include "math/vec.h"\n'
                          'template <class V>\nvoid describe(V& v) {\n  v.field(required("radius"), 1);\n'
                          '  v.instead("frames", 2);\n}\n',
    "src/scene/schema.cpp": '#include "scene/schema.h"\n',
    "src/solver/step.cpp": '#include "math/svd.h"\n',
    "src/render/path/trace.cpp": '#include "math/vec.h"\n#include "scene/schema.h"\n',
    "src/render/path/light.cpp": '#include "scene/schema.h"\n',
    "include/firn/scene.h": "// What a scene is.\n#pragma once\n",
    "apps/firn/commands.h": '#pragma once\n#include "firn/scene.h"\n',
    "apps/firn/main.cpp": '#include "commands.h"\n'
                          'int parse(CLI::App& app) { app.set_version_flag("--version", "1"); }\n'
                          "void add_threads(CLI::App& verb, int& threads) {\n"
                          '  verb.add_option("--threads", threads);\n'
                          "}\n"
                          "Command add_run(CLI::App& app) {\n"
                          '  CLI::App* verb = app.add_subcommand("run", "simulate");\n'
                          '  verb->add_option("-o,--output", directory);\n'
                          "  add_threads(*verb, threads);\n"
                          "}\n"
                          "Command add_info(CLI::App& app) {\n"
                          '  app.add_subcommand("info", "what is in a file");\n'
                          "}\n",
    "docs/scenes.md": "# Scenes\n\n## Keys\n\n### `[[snow]]`\n\n| key | unit |\n|---|---|\n| `radius` | m |\n| `frames` | |\n\n"
                      "```toml\nsnow = [{ radius = 1 }]  # some = 3\n```\n",
    "README.md": "# firn\n\nSee [the keys](docs/scenes.md#keys), `src/math/{vec,svd}.h`, `trace.*` and `src/scene/`.\n\n"
                 "```sh\nmake test    # builds firn and runs\nfirn run x.toml -o out/x --threads 2 && firn info out/x\n```\n",
    "man/firn.1": '.TH FIRN 1\n.SH OPTIONS\n.B \\-\\-version\n'
                  '.SS "firn run SCENE"\n.B \\-\\-output\n.B \\-\\-threads\n.SS "firn info PATH"\n',
}

COVERED = {
    "docs/scenes.md": SOUND["docs/scenes.md"] + "\n## Shapes\n\n| shape | keys |\n|---|---|\n| `sphere` | `radius` |\n",
    "docs/theory.md": "# Theory\n\n```\n(M1)  w = 1\n```\n",
    "docs/coverage.md": "# What is shown\n\n| document | ids | yes | partly | not | left out | all |\n|---|---|---|---|---|---|---|\n"
                        "| a thesis | T | 3 | 1 | 1 | 1 | 6 |\n| all | | 3 | 1 | 1 | 1 | 6 |\n\n## Method\n\n"
                        "| id | what it shows | firn | where |\n|---|---|---|---|\n"
                        "| T01 | weights | yes | (M1), `src/math/vec.h`, `[[snow]]` |\n"
                        "| T02 | a ball | yes | `ball`, `firn run ball --variant small --set snow.radius=2`, `Ball.Falls`, `Ball` |\n"
                        "| T03 | its size | yes | `snow.radius`, `--threads`, `make test` |\n"
                        "| T04 | a `.ptc` file | partly | [keys](scenes.md#keys); `snow.shape = \"sphere\"` |\n"
                        "| T05 | heat | not | not in firn |\n\nLeft out: T06 (literature).\n",
    "scenes/ball.toml": "[[snow]]\nradius = 1\n\n[variants.small]\nsnow.radius = 0.1\n",
    "tests/unit/ball_test.cpp": "TEST_F(Ball, Falls) {}\n",
}


class Planted(unittest.TestCase):
    sound = SOUND

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="lint"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, files):
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def findings(self, check, changes):
        """Of the sound tree with these files changed; a change of text, or (old, new)."""
        files = dict(self.sound)
        for name, change in changes.items():
            if isinstance(change, tuple):
                self.assertIn(change[0], files[name], "the test plants nothing")
                change = files[name].replace(*change)
            files[name] = change
        for old in self.folder.iterdir():
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        self.write(files)
        return [str(finding) for finding in check(Tree(self.folder))]

    def expect(self, check, changes, *beginnings):
        """The sound tree has no findings, the changed one exactly those that begin so."""
        self.assertEqual(self.findings(check, {}), [])
        found = self.findings(check, changes)
        self.assertEqual(len(found), len(beginnings), found)
        for beginning in beginnings:
            self.assertTrue(any(text.startswith(beginning) for text in found), f"{beginning} is not among {found}")


class Style(Planted):
    @unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
    def test_code_that_is_not_formatted(self):
        sound = dict.fromkeys([name for name in SOUND if name.endswith((".h", ".cpp"))], "int x;\n")
        self.assertEqual(self.findings(style.clang_format, sound), [])
        found = self.findings(style.clang_format, {**sound, "src/math/vec.h": "int x;\nint  y ;\n"})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("src/math/vec.h:2: not as clang-format writes it"), found)

    def test_long_files_and_wide_lines(self):
        self.expect(style.lengths, {"src/math/long.cpp": "\n" * 401}, "src/math/long.cpp:401: 401 lines")
        self.expect(style.lengths, {"tests/wide.py": "\n" + "é" * 141}, "tests/wide.py:2: 141 columns")
        self.expect(style.lengths, {"src/math/long.cpp": "\n" * 400, "tests/wide.py": "é" * 140, "notes.md": "x" * 500})

    def test_paths_of_one_machine(self):
        path = "/".join(["", "home", "anna", "firn"])
        self.expect(style.machine_paths, {"docs/build.md": f"\ncd {path}\n"}, "docs/build.md:2: a path of one machine")
        self.expect(style.machine_paths, {"notes.txt": "http://" + "mirror:8080/x"}, "notes.txt:1: a private host")
        self.expect(style.machine_paths, {"notes.txt": "http://localhost:8080/x, http://127.0.0.1:80"})
        temporary = "/".join(["", "tmp", "x"])
        self.expect(style.machine_paths, {"docs/build.md": temporary, "tests/x.py": temporary}, "docs/build.md:1: a path of")


class Layers(Planted):
    def test_includes_from_a_layer_that_is_not_linked(self):
        self.expect(layers.include_graph, {"src/math/svd.h": ('"math/vec.h"', '"scene/schema.h"')}, "src/math/svd.h:3: ")
        self.expect(layers.include_graph, {"src/solver/step.cpp": '\n#include "scene/schema.h"\n'},
                    'src/solver/step.cpp:2: #include "scene/schema.h": layer solve does not link')

    def test_a_link_of_its_own_allows_the_include(self):
        self.expect(layers.include_graph, {
            "src/solver/step.cpp": '#include "scene/schema.h"\n',
            "src/CMakeLists.txt": SOUND["src/CMakeLists.txt"] + "target_link_libraries(firn_solve PRIVATE firn_scene)\n"})

    def test_includes_of_apps_and_public_headers(self):
        self.expect(layers.include_graph, {"apps/firn/commands.h": ("firn/scene.h", "math/vec.h")}, "apps/firn/commands.h:2: ")
        self.expect(layers.include_graph, {"include/firn/scene.h": '#include "math/vec.h"\n'}, "include/firn/scene.h:1: ")

    def test_headers_that_do_not_exist(self):
        self.expect(layers.include_graph, {"src/math/svd.h": ("vec.h", "gone.h")}, "src/math/svd.h:3: ")

    def test_a_layer_without_a_folder(self):
        layer = "\nfirn_layer(ghost LINKS firn_math)\n"
        self.expect(layers.include_graph, {"src/CMakeLists.txt": layer + SOUND["src/CMakeLists.txt"]}, "src/CMakeLists.txt:2: layer ghost")

    def test_cycles(self):
        self.expect(layers.include_cycles, {"src/math/vec.h": '#pragma once\n#include "math/svd.h"\n'},
                    "src/math/vec.h:2: include cycle: src/math/svd.h -> src/math/vec.h -> src/math/svd.h")

    def test_headers_with_one_user(self):
        self.expect(layers.header_users, {"src/math/svd.h": ("apart because", "as")}, "src/math/svd.h:1: used by src/solver/step.cpp alone")
        own = {"src/math/own.h": "\n", "src/math/own.cpp": '#include "math/own.h"\n', "src/math/own_read.cpp": '#include "math/own.h"\n'}
        self.expect(layers.header_users, own, "src/math/own.h:1: used by nobody alone")


class Docs(Planted):
    def test_files_that_are_not_there(self):
        self.expect(docs.file_names, {"README.md": ("{vec,svd}.h", "{vec,eigen}.h")},
                    "README.md:3: no such file or folder: src/math/eigen.h")
        self.expect(docs.file_names, {"README.md": ("trace.*", "ray.*")}, "README.md:3: no such file or folder: ray.*")
        self.expect(docs.file_names, {"README.md": ("src/scene/", "math/gone")}, "README.md:3: no such file or folder: math/gone")
        self.expect(docs.file_names, {"README.md": ("run x.toml", "run docs/x.toml")},
                    "README.md:7: no such file or folder: docs/x.toml")
        self.expect(docs.file_names_in_sources, {"src/math/vec.h": "// See docs/gone.md.\n"},
                    "src/math/vec.h:1: no such file: docs/gone.md")
        self.expect(docs.file_names_in_sources, {"src/math/vec.h": "// Not scene/schema.h (schema.h), but (math/gone.h).\n"},
                    "src/math/vec.h:1: no such file: math/gone.h")

    def test_links_that_lead_nowhere(self):
        self.expect(docs.links, {"README.md": ("#keys", "#locks")}, "README.md:3: link to a heading that is not there")
        self.expect(docs.links, {"README.md": ("docs/scenes.md", "docs/scene.md")}, "README.md:3: link to a file that is not there")

    def test_keys(self):
        self.expect(docs.scene_keys, {"src/scene/schema.h": ("radius", "size")}, "docs/scenes.md:9: ", "docs/scenes.md:13: ",
                    "src/scene/schema.h:7: key 'size' is not in docs/scenes.md")
        self.expect(docs.scene_keys, {"docs/scenes.md": ("{ radius", "{ raduis")},
                    "docs/scenes.md:13: the program knows no key 'raduis'")

    def test_commands_and_flags(self):
        self.expect(docs.commands, {"README.md": ("firn info", "firn view")}, "README.md:7: firn has no command 'view'")
        self.expect(docs.commands, {"README.md": ("firn info", "firn info --threads 2")}, "README.md:7: firn info has no flag --threads")
        table = "| command | |\n|---|---|\n| `firn run SCENE` | `--quiet` |\n"
        self.expect(docs.commands, {"README.md": table}, "README.md:3: firn run has no flag --quiet")

    def test_targets(self):
        self.expect(docs.make_targets, {"README.md": ("make test", "make tests")}, "README.md:6: the Makefile has no target 'tests'")

    def test_man_page(self):
        self.expect(docs.man_page, {"man/firn.1": (".B \\-\\-threads\n", "")},
                    "man/firn.1:1: flag --threads is not in the section 'firn run'")
        self.expect(docs.man_page, {"man/firn.1": ("\\-\\-threads", "\\-\\-threads\n.B \\-\\-cores")},
                    "man/firn.1:7: firn run has no flag --cores")
        self.expect(docs.man_page, {"man/firn.1": ("firn info", "firn look")}, "man/firn.1:1: no section 'firn info'",
                    "man/firn.1:1: firn has no command 'look'")


class Coverage(Planted):
    sound = {**SOUND, **COVERED}

    def expect_row(self, old, new, row, text):
        self.expect(coverage.coverage, {"docs/coverage.md": (old, new)}, f"docs/coverage.md:{11 + row}: {text}")

    def test_scenes_and_variants_that_are_not_there(self):
        self.expect_row("`ball`", "`bal`", 2, "no such scene: bal")
        self.expect_row("run ball", "run bal", 2, "no such scene: bal")
        self.expect_row("--variant small", "--variant small,large", 2, "scene ball has no variant 'large'")

    def test_keys_and_sections_that_are_not_there(self):
        self.expect_row("`snow.radius`", "`snow.raduis`", 3, "section 'snow' has no key 'raduis'")
        self.expect_row("`snow.radius`", "`ice.radius`", 3, "scenes have no section 'ice'")
        self.expect_row("--set snow.radius", "--set snow.raduis", 2, "section 'snow' has no key 'raduis'")
        self.expect_row('"sphere"', '"ball"', 4, 'docs/scenes.md has no value "ball" for snow.shape')
        self.expect_row("`[[snow]]`", "`[[ice]]`", 1, "scenes have no section [[ice]]")

    def test_tests_files_flags_and_formulas_that_are_not_there(self):
        self.expect_row("`Ball.Falls`", "`Ball.Rises`", 2, "no such test: Ball.Rises")
        self.expect_row("`Ball`", "`Block`", 2, "no such test: Block")
        self.expect_row("src/math/vec.h", "src/math/gone.h", 1, "no such file or folder: src/math/gone.h")
        self.expect_row("--threads", "--cores", 3, "firn has no flag --cores")
        self.expect_row("(M1)", "(M2)", 1, "T01: docs/theory.md has no formula (M2)")
        self.expect_row("`make test`", "`what?`", 3, "neither a scene, ")

    def test_rows_that_say_nothing(self):
        self.expect_row("not in firn", "who knows", 5, "T05: what is not there says")
        self.expect_row("`snow.radius`, `--threads`, `make test`", "somewhere", 3, "T03: names nothing that shows it")

    def test_counts_and_ids(self):
        self.expect(coverage.coverage, {"docs/coverage.md": ("| T | 3", "| T | 4")},
                    "docs/coverage.md:5: a thesis, yes: 4 in the summary, 3 in the tables")
        self.expect(coverage.coverage, {"docs/coverage.md": ("| all | | 3 | 1 | 1", "| all | | 3 | 1 | 2")},
                    "docs/coverage.md:6: all, not: 2 in the summary, 1 in the tables")
        self.expect(coverage.coverage, {"docs/coverage.md": ("| T05 |", "| T04 |")}, "docs/coverage.md:16: T04 is there twice",
                    "docs/coverage.md:1: T05 is missing")
        self.expect(coverage.coverage, {"docs/coverage.md": ("a thesis | T", "a thesis | S")},
                    "docs/coverage.md:1: the summary has no row of T", *["docs/coverage.md:5: a thesis"] * 5)


class Tidy(Planted):
    def setUp(self):
        super().setUp()
        self.write({"src/half.cpp": "double half() { return 0.5; }\n", "build/none": "", ".gitignore": "/build/\n",
                    ".clang-tidy": SOUND[".clang-tidy"]})
        self.git("init", "-q")
        self.commit()
        self.write({"src/half.cpp": "\ndouble half() { return 1 / 2; }\n"})
        self.said = []

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.folder, "-c", "user.name=x", "-c", "user.email=x@x", *arguments], check=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "x")

    def tidy(self, seconds):
        return [str(finding) for finding in tidy.clang_tidy(Tree(self.folder), self.folder / "build", seconds, self.said.append)]

    def configure(self):
        source = str(self.folder / "src/half.cpp")
        entry = {"directory": str(self.folder / "build"), "command": f"c++ -c {source}", "file": source}
        self.write({"build/compile_commands.json": json.dumps([entry])})

    @unittest.skipUnless(shutil.which("clang-tidy"), "clang-tidy is not installed")
    def test_what_changed_is_checked(self):
        self.configure()
        self.commit()  # HEAD~1 is then the sound file
        found = self.tidy(60)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("src/half.cpp:2: ") and "bugprone-integer-division" in found[0], found)
        self.assertEqual(self.said, [])

    @unittest.skipUnless(shutil.which("clang-tidy"), "clang-tidy is not installed")
    def test_sources_compiled_together_are_checked_one_by_one(self):
        unity = "build/CMakeFiles/half.dir/Unity/unity_0_cxx.cxx"
        others = self.folder / "src/other.cpp"
        self.write({"src/other.cpp": "", unity: f'/* generated */\n#include "{others}"\n#include "{self.folder / "src/half.cpp"}"\n'})
        entry = {"directory": str(self.folder / "build"), "command": f"c++ -c {self.folder / unity}", "file": str(self.folder / unity)}
        self.write({"build/compile_commands.json": json.dumps([entry])})
        self.commit()
        self.assertEqual([finding.split(" ")[0] for finding in self.tidy(60)], ["src/half.cpp:2:"])
        self.assertEqual(self.said, [])

    def test_what_did_not_change_is_not(self):
        self.configure()
        self.git("checkout", "-q", "src/half.cpp")
        self.write({"notes.txt": "x"})
        self.commit()
        self.assertEqual((self.tidy(60), self.said), ([], []))

    def test_files_that_were_not_reached_are_named(self):
        self.configure()
        self.commit()
        self.assertEqual(self.tidy(0), [])
        self.assertEqual(self.said, ["clang-tidy: not reached within 0 s: src/half.cpp"])

    def test_without_a_build_it_says_so(self):
        self.assertEqual(self.tidy(60), [])
        self.assertIn("skipped", self.said[0])


class All(Planted):
    def test_the_sound_tree_has_no_findings(self):
        self.write(SOUND)
        for name, check in run.CHECKS.items():
            if check and name != "clang_format":
                self.assertEqual([str(finding) for finding in check(Tree(self.folder))], [], name)

    def test_a_finding_is_a_line_and_exit_code_1(self):
        shutil.copytree(Path(__file__).resolve().parent, self.folder / "tests/lint", ignore=shutil.ignore_patterns("__pycache__"))
        self.write({"README.md": "See `src/gone.h`.\n", "src/here.h": "\n"})
        command = [sys.executable, self.folder / "tests/lint/run.py", "--only", "file_names"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout.splitlines()[0], "README.md:1: no such file or folder: src/gone.h [file_names]")
        self.write({"README.md": "See `src/here.h`.\n"})
        self.assertEqual(subprocess.run(command, capture_output=True).returncode, 0)


if __name__ == "__main__":
    unittest.main()
