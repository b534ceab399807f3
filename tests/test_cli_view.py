#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""`surefoot view`: who gets what from it, and how it ends. SFT_BIN is the folder of the programs."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.environ.get("SFT_BIN") or os.path.join(os.path.dirname(HERE), "build", "bin")
DONE, CHECK, USAGE, READ, WRITE = range(5)
PAGE = b"<!doctype html><title>studio</title>"


def run(*arguments):
    done = subprocess.run([os.path.join(BIN, "surefoot"), "view", *arguments], capture_output=True, timeout=60,
                          check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class View:
    """A running `surefoot view --no-open --json`."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([os.path.join(BIN, "surefoot"), "view", "--no-open", "--json", *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        text = b""
        while not text.rstrip().endswith(b"}"):
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(self.process.stderr.read().decode())
            text += line
        self.said = json.loads(text)
        self.port = self.said["port"]
        self.url = urllib.parse.urlsplit(self.said["address"])

    def ask(self, path, method="GET", host=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if host != "":
            connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        got = response.status, dict(response.getheaders()), response.read()
        connection.close()
        return got

    def get(self, below, **how):
        return self.ask(self.url.path + below, **how)

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=20)
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.returncode, out, err


class ViewTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="surefoot-view-")
        cls.studio = os.path.join(cls.work, "studio")
        os.makedirs(os.path.join(cls.studio, "samples"))
        for name, content in [("index.html", PAGE), ("surefoot.wasm", b"\0asm"), ("app.js", b"1;"),
                              (".hidden", b"no"), ("samples/slid.bvh", b"HIERARCHY")]:
            with open(os.path.join(cls.studio, name), "wb") as file:
                file.write(content)
        cls.clips = os.path.join(cls.work, "clips")
        os.makedirs(cls.clips)
        for name in ("walk.bvh", "walk.gltf"):
            subprocess.run([os.path.join(BIN, "surefoot-make-sample"), os.path.join(cls.clips, name), "--frames", "30"],
                           check=True, stdout=subprocess.DEVNULL)
        cls.walk = os.path.join(cls.clips, "walk.bvh")
        with open(cls.walk, "rb") as file:
            cls.bytes = file.read()
        with open(os.path.join(cls.work, "secret.bvh"), "wb") as file:
            file.write(b"secret")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def start(self, *arguments):
        view = View("--studio", self.studio, *arguments)
        self.addCleanup(lambda: view.process.poll() is None and view.end(signal.SIGKILL))
        return view

    def test_view__gives_the_page_and_the_named_file(self):
        view = self.start(self.walk)
        self.assertEqual(view.url.query, "clip=files/0/walk.bvh")
        self.assertRegex(view.url.path, "^/[0-9a-f]{32}/$")
        status, heads, body = view.get("")
        self.assertEqual((status, body), (200, PAGE))
        self.assertEqual(heads["Content-Type"], "text/html; charset=utf-8")
        self.assertEqual(view.get("index.html")[2], PAGE)
        self.assertEqual(view.get("surefoot.wasm")[1]["Content-Type"], "application/wasm")
        self.assertEqual(view.get("app.js")[1]["Content-Type"], "text/javascript; charset=utf-8")
        self.assertEqual(view.get("files/0/walk.bvh")[2], self.bytes)
        self.assertEqual(view.get("samples/slid.bvh")[2], b"HIERARCHY")
        status, heads, body = view.get("files/0/walk.bvh", method="HEAD")
        self.assertEqual((status, int(heads["Content-Length"]), body), (200, len(self.bytes), b""))
        self.assertEqual(view.end(), (DONE, b"", b""))

    def test_view__refuses_whoever_has_not_the_token(self):
        view = self.start(self.walk)
        token = view.url.path.strip("/")
        wrong = ("0" if token[0] != "0" else "1") + token[1:]
        for path in ("/", "/index.html", "/files/0/walk.bvh", f"/{wrong}/", f"/{wrong}/files/0/walk.bvh", f"/{token}",
                     f"/{token[:-1]}/", f"/{token}0/", f"//{token}/", f"/?token={token}", f"/x/../{token}/"):
            status, _, body = view.ask(path)
            self.assertEqual(status, 403, path)
            self.assertNotIn(token.encode(), body)
            self.assertNotIn(PAGE, body)
        self.assertEqual(view.end()[0], DONE)
        self.assertNotEqual(self.start(self.walk).url.path, view.url.path)

    def test_view__refuses_other_hosts(self):
        view = self.start(self.walk)
        for host in ("evil.example", f"evil.example:{view.port}", "127.0.0.1", f"127.0.0.1:{view.port + 1}",
                     f"127.0.0.1:{view.port}.evil.example", ""):
            self.assertIn(view.get("", host=host)[0], (400, 403), host)
        self.assertEqual(view.get("", host=f"localhost:{view.port}")[0], 200)

    def test_view__gives_no_other_file(self):
        view = self.start(self.walk)
        for below in ("../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "files/0/../../secret.bvh",
                      "files/0/%2e%2e/%2e%2e/secret.bvh", "files/0/..%2f..%2fsecret.bvh", "files/0/walk.gltf", "files/1/walk.bvh",
                      "files/0/", "files", "/etc/passwd", "%2fetc%2fpasswd", ".hidden", "samples", "samples/",
                      "files/0/walk.bvh%00.html", "files/0/walk.bvh/", "FILES/0/walk.bvh", "index.html\\..\\x"):
            status, _, body = view.get(below)
            if below.endswith("%00.html"):  # the end of a text there; what is named before it was listed
                self.assertIn(status, (200, 400, 404))
                continue
            self.assertEqual(status, 404, below)
            self.assertNotIn(b"secret", body)
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            self.assertEqual(view.get("files/0/walk.bvh", method=method, body=b"x")[0], 405, method)
        with open(self.walk, "rb") as file:
            self.assertEqual(file.read(), self.bytes)

    def test_view__listens_on_loopback_alone(self):
        view = self.start(self.walk)
        other = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.addCleanup(other.close)
        other.settimeout(5)
        # All of 127.0.0.0/8 is this machine, but it listens on one address of it.
        self.assertNotEqual(other.connect_ex(("127.0.0.2", view.port)), 0)
        with open("/proc/net/tcp", encoding="ascii") as file:
            bound = [line.split()[1] for line in file if line.split()[3] == "0A"]
        self.assertIn(f"0100007F:{view.port:04X}", bound)
        self.assertNotIn(f"00000000:{view.port:04X}", bound)

    def test_view__several_files_and_odd_names(self):
        odd = os.path.join(self.work, "a #1 & 50%+ü.bvh")
        shutil.copy(self.walk, odd)
        view = self.start(self.walk, odd)
        clips = urllib.parse.parse_qs(view.url.query)["clip"]
        self.assertEqual(clips[0], "files/0/walk.bvh")
        # What the page makes of it: an address of a file below its own.
        self.assertEqual(urllib.parse.unquote(clips[1]), "files/1/a #1 & 50%+ü.bvh")
        self.assertEqual(view.get(clips[1])[::2], (200, self.bytes))

    def test_view__gltf_comes_with_its_parts(self):
        folder = os.path.join(self.work, "parts")
        os.makedirs(os.path.join(folder, "tex"))
        for name in ("walk.gltf", "walk.bin"):
            shutil.copy(os.path.join(self.clips, name), folder)
        with open(os.path.join(folder, "walk.gltf"), encoding="utf-8") as file:
            doc = json.load(file)
        doc["images"] = [{"uri": "tex/skin%20a.png"}, {"uri": "tex/out.png"}]
        with open(os.path.join(folder, "walk.gltf"), "w", encoding="utf-8") as file:
            json.dump(doc, file)
        with open(os.path.join(folder, "tex", "skin a.png"), "wb") as file:
            file.write(b"PNG")
        os.symlink(os.path.join(self.work, "secret.bvh"), os.path.join(folder, "tex", "out.png"))
        with open(os.path.join(folder, "beside.bvh"), "wb") as file:
            file.write(b"not named")
        view = self.start(os.path.join(folder, "walk.gltf"))
        self.assertEqual(view.get("files/0/walk.gltf")[0], 200)
        with open(os.path.join(folder, "walk.bin"), "rb") as file:
            self.assertEqual(view.get("files/0/walk.bin")[::2], (200, file.read()))
        self.assertEqual(view.get("files/0/tex/skin%20a.png")[::2], (200, b"PNG"))
        # A link out of the folder is not followed; a file beside it that it does not name is not given.
        for below in ("files/0/tex/out.png", "files/0/beside.bvh"):
            status, _, body = view.get(below)
            self.assertEqual(status, 404)
            self.assertNotIn(b"secret", body)

    def test_view__ends_by_any_signal_that_asks(self):
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            view = self.start(self.walk)
            view.get("")
            self.assertEqual(view.end(how), (DONE, b"", b""))
            with socket.socket() as other:
                self.assertNotEqual(other.connect_ex(("127.0.0.1", view.port)), 0)

    def test_view__ports(self):
        view = self.start(self.walk)
        code, _, err = run("--no-open", "--studio", self.studio, "--port", str(view.port), self.walk)
        self.assertEqual(code, WRITE)
        self.assertRegex(err, rf"^surefoot: view: cannot listen on 127\.0\.0\.1, port {view.port}: .*; give another with --port")
        view.end()
        again = self.start("--port", str(view.port), self.walk)
        self.assertEqual(again.port, view.port)
        for port in ("0", "65536", "1.5", "x", ""):
            self.assertEqual(run("--port", port)[0], USAGE)

    def test_view__what_cannot_be_shown_is_told(self):
        for arguments, code, said in [
            ([os.path.join(self.work, "none.bvh")], READ, "none.bvh: No such file"),
            ([self.work], READ, "is a folder, not a file"),
            (["-"], USAGE, "standard input has no name"),
            (["--studio", self.work, self.walk], READ, "is not the studio's folder"),
            (["--studoi", "x"], USAGE, "did you mean --studio?"),
        ]:
            studio = [] if "--studio" in arguments else ["--studio", self.studio]
            got, out, err = run("--no-open", *studio, *arguments)
            self.assertEqual((got, out), (code, ""), err)
            self.assertIn(said, err)

    def test_view__a_file_that_goes_is_told_and_the_rest_stays(self):
        gone = os.path.join(self.work, "gone.bvh")
        shutil.copy(self.walk, gone)
        view = self.start(gone, self.walk)
        os.remove(gone)
        self.assertEqual(view.get("files/0/gone.bvh")[0], 404)
        os.mkfifo(gone)
        self.assertEqual(view.get("files/0/gone.bvh")[0], 404)
        self.assertEqual(view.get("files/1/walk.bvh")[0], 200)

    def test_view__a_browser_is_opened_where_there_is_one(self):
        folder = os.path.join(self.work, "browser")
        os.makedirs(folder)
        seen = os.path.join(folder, "seen")
        opener = os.path.join(folder, "xdg-open")
        with open(opener, "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\necho "$1" >{seen}.new; mv {seen}.new {seen}\n')
        os.chmod(opener, 0o755)
        env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "DISPLAY": ":9"}
        process = subprocess.Popen([os.path.join(BIN, "surefoot"), "view", "--studio", self.studio, self.walk],
                                   stdout=subprocess.PIPE, env=env)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        address = process.stdout.readline().decode().strip()
        self.assertIn(b"Opened in the browser", process.stdout.readline())
        for _ in range(200):
            if os.path.exists(seen):
                break
            subprocess.run(["sleep", "0.02"], check=True)
        with open(seen, encoding="ascii") as file:
            self.assertEqual(file.read().strip(), address)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, DONE)


if __name__ == "__main__":
    code, _, words = run("--no-open", "--studio", "/")
    if "is not in this build" in words:
        print(f"SKIP test_cli_view: {words.strip()}")
        sys.exit(77)
    unittest.main()
