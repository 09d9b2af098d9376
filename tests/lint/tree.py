"""The files of the repository, and what a check finds in them."""
import functools
import subprocess
from pathlib import Path
from typing import NamedTuple


class Finding(NamedTuple):
    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}"


class Tree:
    """The tracked files, and new ones that git does not ignore; of a folder without git, all files."""

    def __init__(self, root):
        self.root = Path(root)
        self.files = sorted(self._git_files() if (self.root / ".git").exists() else self._all_files())
        self.folders = {parent.as_posix() for name in self.files for parent in Path(name).parents} - {"."}

    def _git_files(self):
        listed = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        return {name for name in listed if name and (self.root / name).is_file()}

    def _all_files(self):
        return {path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file()}

    def git(self, *arguments):
        """What git prints; raises CalledProcessError."""
        return subprocess.run(["git", "-C", self.root, *arguments], check=True, capture_output=True, text=True).stdout

    def under(self, folders, endings):
        """Files in any of the folders whose names end in one of the endings."""
        starts = tuple(folder + "/" for folder in folders)
        return [name for name in self.files if name.startswith(starts) and name.endswith(tuple(endings))]

    @functools.cache
    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8", errors="replace")

    def lines(self, name):
        """(number, line), from 1."""
        return enumerate(self.text(name).splitlines(), 1)

    def is_binary(self, name):
        with open(self.root / name, "rb") as file:
            return b"\0" in file.read(8192)
