# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""How the judge calls the surefoot program: every command-line spelling it relies on stands here."""

import json
import subprocess


class ProgramError(RuntimeError):
    pass


class Program:
    def __init__(self, path, clean_options=(), timeout=300):
        self.path, self.clean_options, self.timeout = path, list(clean_options), timeout

    def _run(self, *arguments, ok=(0,)):
        command = [self.path] + [str(a) for a in arguments]
        try:
            done = subprocess.run(command, capture_output=True, timeout=self.timeout, check=False)
        except subprocess.TimeoutExpired as error:
            raise ProgramError("%s: no answer after %d s" % (" ".join(command), self.timeout)) from error
        if done.returncode not in ok:
            text = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
            raise ProgramError("%s: exit %d: %s" % (" ".join(command), done.returncode, text))
        return done.stdout.decode("utf-8", "replace")

    def info(self, clip, name=None):
        return json.loads(self._run("info", clip, "--json", *self._named(name)))

    @staticmethod
    def _named(name):
        """Options that choose a clip of a file with several."""
        return ["--clip", name] if name is not None else []

    def scale(self, clip, factor, target):
        self._run("convert", clip, "--root-scale", repr(float(factor)), "-o", target)

    def copy(self, clip, target):
        self._run("convert", clip, "-o", target)

    def rule_labels(self, clip, target):
        self._run("contacts", clip, "--rule", "-o", target)

    def own_labels(self, clip, target, name=None):
        self._run("contacts", clip, "-o", target, *self._named(name))

    def check(self, clip):
        return json.loads(self._run("check", clip, "--json", ok=(0, 1)))

    def adapt(self, clip, target, ground, labels, ground_out=None, name=None):
        """Puts a clip onto a ground as it stands; returns the JSON report."""
        extra = ["--contacts", labels] if labels else []
        extra += (["--ground-out", ground_out] if ground_out else []) + self._named(name)
        return json.loads(self._run("adapt", clip, "--ground", ground, "-o", target, "--json", "--no-clean", *extra))

    def clean(self, clip, target, labels=None, name=None):
        """Cleans; returns the JSON report."""
        extra = (["--contacts", labels] if labels else []) + self._named(name)
        return json.loads(self._run("clean", clip, "-o", target, "--json", *extra, *self.clean_options))
