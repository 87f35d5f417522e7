#!/usr/bin/python3
"""`coluber view`: serves the page and its runs on loopback, to its own page only, and survives what is not HTTP.

$COLUBER_REQUESTS random and malformed requests are sent (default 30000; 100000 on demand).
Prints `N passed, M failed` last; the program is $COLUBER.
"""

import collections
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish

REQUESTS = int(os.environ.get("COLUBER_REQUESTS", "30000"))
FIXTURES = SOURCE / "viewer" / "tests" / "fixtures"
# what the program does with the page does not depend on what is on it
STAND_IN = "<!doctype html><html><head><title>page</title><!--COLUBER_DATA--></head><body>page</body></html>"


class Server:
    def __init__(self, environment, *words):
        self.process = subprocess.Popen(
            [COLUBER, "view", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        self.line = self.process.stdout.readline()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\n", self.line)
        self.port = int(found[1]) if found else 0

    def send(self, data, limit=20.0):
        """The whole answer to some bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=limit) as link:
            try:
                link.sendall(data)
                link.shutdown(socket.SHUT_WR)
            except OSError:  # refused before all of it was read
                pass
            answer = b""
            try:
                while chunk := link.recv(65536):
                    answer += chunk
            except ConnectionError:
                pass
            return answer

    def get(self, path, method="GET", **headers):
        lines = [f"{method} {path} HTTP/1.1"]
        headers = {"Host": f"127.0.0.1:{self.port}"} | {k.replace("_", "-"): v for k, v in headers.items()}
        lines += [f"{k}: {v}" for k, v in headers.items() if v is not None]
        head, _, body = self.send(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")).partition(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        fields = {k.strip().lower(): v.strip() for k, v in (line.split(":", 1) for line in rest)}
        return int(first.split()[1]) if first else 0, fields, body

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        return self.process.returncode


def test_pages(environment, run, second):
    server = Server(environment, run, second, "--no-open")
    try:
        check("the address is the first line of stdout", server.port > 0, server.line)
        status, fields, body = server.get("/")
        check("the page is served as it is", status == 200 and body.decode() == STAND_IN, body)
        check("the page is HTML", fields.get("content-type") == "text/html; charset=utf-8", fields)
        for name, part in (("content-security-policy", "default-src 'none'"), ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer")):
            check(f"the page has {name}", part in fields.get(name, ""), fields)
        check("the page may fetch from us alone", "connect-src 'self'" in fields["content-security-policy"] and "frame-ancestors 'none'" in fields["content-security-policy"])
        runs = json.loads(server.get("/api/runs")[2])["runs"]
        check("both runs are listed", [r["name"] for r in runs] == ["run", "second"], runs)
        for entry, folder in zip(runs, (run, second)):
            for key, file in (("replay", "replay.json"), ("data", "replay.bin"), ("run", "run.json")):
                status, fields, body = server.get("/" + entry[key])
                check(f"{file} is served to the byte", status == 200 and body == (folder / file).read_bytes(), (status, len(body)))
        status, fields, body = server.get("/run/0/replay.bin", "HEAD")
        check("HEAD says how long a file is and sends none of it", status == 200 and body == b"" and int(fields["content-length"]) == (run / "replay.bin").stat().st_size, fields)
        status, _, body = server.get("/run/0/replay.bin", Range="bytes=0-3")
        check("a range is answered with the whole", status == 200 and len(body) == (run / "replay.bin").stat().st_size, status)
        check("what stands behind ? does not matter", server.get("/?x=1")[0] == 200)
        check("localhost is us too", server.get("/", Host=f"localhost:{server.port}")[0] == 200)
        check("our own Origin may ask", server.get("/api/runs", Origin=f"http://127.0.0.1:{server.port}")[0] == 200)
        with socket.socket() as other:
            address = "127.0.0.2"  # loopback as well, but not ours
            check("only 127.0.0.1 is bound", other.connect_ex((address, server.port)) != 0)
        again = subprocess.run([COLUBER, "view", run, "--no-open", "--port", str(server.port)], capture_output=True, text=True, env=environment, timeout=20)
        check("a port in use is an error, not a second server", again.returncode == 1 and str(server.port) in again.stderr and again.stdout == "", again)
        check("Ctrl-C ends it with 0", server.stop() == 0, server.process.returncode)
    finally:
        server.stop()


def test_refusals(environment, run):
    server = Server(environment, run, "--no-open")
    try:
        for host in ("evil.example", "127.0.0.1", f"evil.example:{server.port}", f"127.0.0.1:{server.port + 1}", f"127.0.0.1:{server.port}.evil.example", "", None):
            status, _, body = server.get("/api/runs", Host=host)
            check(f"Host {host!r} is refused", status in (400, 403) and b"runs" not in body, (status, body))
        for origin in ("http://evil.example", "null", "https://127.0.0.1:%d" % server.port, "http://127.0.0.1:1", "http://127.0.0.1:%d.evil.example" % server.port, ""):
            status, _, body = server.get("/api/runs", Origin=origin)
            check(f"Origin {origin!r} is refused", status in (400, 403) and b'"runs"' not in body, (status, body))
        for path in (
            "/../run.json", "/run/0/../../../../etc/passwd", "/run/0/%2e%2e/%2e%2e/etc/passwd", "/run/0/..%2f..%2fetc/passwd", "//etc/passwd", "/etc/passwd",
            "/run/2/run.json", "/run/0/trajectory.h5", "/run/0/", "/run/0/run.json%00", "/RUN/0/run.json", "/%", "/%zz", "/%u0041",
        ):
            status, _, body = server.get(path)
            check(f"{path} leads nowhere", status in (400, 404) and b"root:" not in body and len(body) < 100, (status, body[:80]))
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PRI", "CONNECT"):
            check(f"{method} is refused", server.get("/", method)[0] == 405, method)
        check("a body is refused", server.get("/", Content_Length="5")[0] == 413)
        check("a chunked body is refused", server.get("/", Transfer_Encoding="chunked")[0] == 400)
        check("two hosts are refused", server.send(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nHost: evil\r\n\r\n" % server.port).startswith(b"HTTP/1.1 400"))
        check("a long address is refused", server.get("/" + "a" * 9000)[0] == 414)
        check("an endless header is refused", server.send(b"GET / HTTP/1.1\r\nX: " + b"a" * 100000).startswith(b"HTTP/1.1 431"))
        check("endless headers are refused", server.send(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 1000 + b"\r\n").startswith(b"HTTP/1.1 431"))
        check("a deep list of ranges does no harm", server.get("/", Range="bytes=" + "1-2," * 3000 + "1-2")[0] == 200)
        begin = time.monotonic()
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as link:
            link.sendall(b"GET / HT")
            answer = link.recv(100)
        check("a request that never ends is ended within seconds", time.monotonic() - begin < 8 and answer.startswith(b"HTTP/1.1 408"), answer)
        idle = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(40)]
        begin = time.monotonic()
        check("forty idle clients do not keep others out for long", server.get("/")[0] == 200 and time.monotonic() - begin < 20, time.monotonic() - begin)
        begin = time.monotonic()
        check("with clients hanging on, SIGTERM ends it at once", server.stop(signal.SIGTERM) == 0 and time.monotonic() - begin < 3, time.monotonic() - begin)
        for link in idle:
            link.close()
    finally:
        server.stop()


def malformed(rng, port):
    """Bytes that are nothing, nearly a request, or one with a part broken."""
    good = (f"GET {rng.choice(['/', '/api/runs', '/run/0/run.json', '/run/0/replay.bin', '/nothing'])} HTTP/1.1\r\n"
            f"Host: 127.0.0.1:{port}\r\nAccept: */*\r\nAccept-Encoding: gzip, br\r\n\r\n").encode()
    kind = rng.randrange(8)
    if kind == 0:
        return rng.randbytes(rng.randrange(0, 600))
    if kind == 1:  # cut short
        return good[: rng.randrange(len(good))]
    if kind == 2:  # bytes changed
        broken = bytearray(good)
        for _ in range(rng.randrange(1, 8)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        return bytes(broken)
    if kind == 3:  # bytes inserted
        at = rng.randrange(len(good))
        return good[:at] + rng.randbytes(rng.randrange(1, 40)) + good[at:]
    if kind == 4:  # a strange header
        name = rng.choice([b"Range", b"Content-Length", b"Transfer-Encoding", b"Expect", b"Connection", b"Origin", b"Host", b"Accept-Encoding", b"Cookie"])
        value = rng.choice([b"bytes=-", b"bytes=99999999999999999999-", b"bytes=5-1,,", b"-1", b"18446744073709551616", b"chunked", b"100-continue", b"\x00", b"a" * 9000, b"", b"null", rng.randbytes(30)])
        return good[:-2] + name + rng.choice([b": ", b":", b" : ", b""]) + value + b"\r\n\r\n"
    if kind == 5:  # a strange address
        path = b"/" + rng.choice([b"%2e%2e/" * 9, b"%", b"%0", b"%ff%fe", b"..;/", b"\\..\\", b"?" * 300, b"#", b"a" * 5000, rng.randbytes(20)])
        return b"GET " + path + good[good.index(b" HTTP"):]
    if kind == 6:  # several at once, or a body
        return good * rng.randrange(2, 5) + rng.randbytes(rng.randrange(100))
    return rng.choice([b"", b"\r\n" * 50, b"\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET http://evil/ HTTP/1.1\r\n\r\n", b"A" * 20000])


def test_random_requests(environment, run):
    server = Server(environment, run, "--no-open")
    sent, strange, lock, answers = [0], [], threading.Lock(), collections.Counter()

    def memory():
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{server.process.pid}/status").read_text())[1])

    def work(seed, most):
        rng = random.Random(seed)
        while True:
            with lock:
                if sent[0] >= most:
                    return
                sent[0] += 1
            data = malformed(rng, server.port)
            try:
                answer = server.send(data, 60)
            except OSError as error:
                answer = b"?" + str(error).encode()
            with lock:
                answers[answer[9:12].decode("latin-1")] += 1
            if answer and not re.match(rb"HTTP/1\.1 (200|400|403|404|405|408|413|414|431|505) ", answer):
                with lock:
                    strange.append((data[:80], answer[:80]))

    try:
        begin = time.monotonic()
        used = []
        for part, most in enumerate((min(1000, REQUESTS // 2), REQUESTS)):
            threads = [threading.Thread(target=work, args=(8 * part + seed, most)) for seed in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if server.process.poll() is None:
                used.append(memory())
        seconds = time.monotonic() - begin
        check(f"{REQUESTS} random and malformed requests do not end the server", server.process.poll() is None, server.process.poll())
        check("every answer is one of ours", not strange, strange[:3])
        check("requests of every kind arrived", all(answers[status] > 0 for status in ("200", "400", "403", "404", "405", "431")), answers)
        check("the server answers as before", server.get("/")[0] == 200 and server.get("/run/0/replay.bin")[2] == (run / "replay.bin").read_bytes())
        # under a sanitizer freed memory is kept back for a while: up to 256 MB of it
        maps = Path(f"/proc/{server.process.pid}/maps").read_text()
        sanitizer = "libasan" in maps or "libtsan" in maps
        check("its memory does not grow after the first thousand", used[-1] - used[0] < (400_000 if sanitizer else 20_000), f"{used} kB")
        files = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))
        check("no connection is left open", files < 20, files)
        check("Ctrl-C still ends it with 0", server.stop() == 0, server.process.returncode)
        print(f"{REQUESTS} requests in {seconds:.1f} s, memory {used} kB, answers {dict(sorted(answers.items()))}")
    finally:
        server.stop()


def test_usage(environment, run, tmp):
    def view(*words, **more):
        return subprocess.run([COLUBER, "view", *map(str, words), "--no-open"], capture_output=True, text=True, timeout=20, **({"env": environment} | more))

    done = view(tmp / "nothing")
    check("a folder that is not there exits 3", done.returncode == 3 and "nothing" in done.stderr and done.stdout == "", done)
    (tmp / "empty").mkdir()
    done = view(tmp / "empty")
    check("a folder without a run exits 3", done.returncode == 3 and "is not a run folder" in done.stderr and "hint: " in done.stderr, done)
    (tmp / "empty/run.json").write_text("{}")
    done = view(tmp / "empty")
    check("a folder without a replay exits 3", done.returncode == 3 and "replay.json" in done.stderr, done)
    check("no run at all exits 2", view().returncode == 2)
    check("three runs exit 2", view(run, run, run).returncode == 2)
    check("a port out of range exits 2", view(run, "--port", 70000).returncode == 2)
    (tmp / "bare").mkdir()
    done = view(run, env=environment | {"COLUBER_DATA": str(tmp / "bare")})
    check("without the viewer's page it says what to do", done.returncode == 1 and "script/bootstrap" in done.stderr and done.stdout == "", done)


def test_stop(environment, run):
    codes = []
    begin = time.monotonic()
    for _ in range(20):
        server = Server(environment, run, "--no-open")
        codes.append(server.stop())
    check("Ctrl-C as soon as the address is printed ends it with 0", codes == [0] * 20, (codes, time.monotonic() - begin))


def test_browser(environment, run, tmp):
    """The page is shown by the desktop's own opener; without one, or when it fails, a person is told."""

    def talk(name, script):
        folder = tmp / name
        folder.mkdir()
        if script:
            (folder / "xdg-open").write_text(f"#!/bin/sh\n{script}\n")
            (folder / "xdg-open").chmod(0o755)
        server = Server(environment | {"PATH": str(folder)}, run)
        said = server.process.stderr.readline()
        if "Ctrl-C" in said and "warning" not in said and script and "exit" in script:
            said += server.process.stderr.readline()
        code = server.stop()
        return server, code, said + server.process.stderr.read()

    note = tmp / "asked"
    server, code, said = talk("opener", f'echo "$@" > {note}.part; /bin/mv {note}.part {note}')
    end = time.monotonic() + 10
    while not note.exists() and time.monotonic() < end:
        time.sleep(0.02)
    asked = note.read_text() if note.exists() else ""
    check("the opener is asked for the address printed", asked == server.line and server.port > 0, (asked, server.line))
    check("with an opener nothing is warned of", code == 0 and "warning" not in said, said)
    server, code, said = talk("helpless", "exit 3")
    check("an opener that finds no browser is told of, and the page stays served", code == 0 and "open the address yourself" in said, said)
    server, code, said = talk("bare-path", "")
    check("without an opener a person is asked to open the address", code == 0 and "no xdg-open" in said and server.port > 0, said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        tmp = Path(folder)
        (tmp / "data" / "viewer").mkdir(parents=True)
        (tmp / "data" / "viewer" / "viewer.html").write_text(STAND_IN)
        environment = os.environ | {"COLUBER_DATA": str(tmp / "data")}
        run, second = tmp / "run", tmp / "second"
        for path in (run, second):
            path.mkdir()
            for file in ("run.json", "replay.json", "replay.bin"):
                shutil.copy(FIXTURES / file, path / file)
        test_usage(environment, run, tmp)
        test_stop(environment, run)
        test_browser(environment, run, tmp)
        test_pages(environment, run, second)
        test_refusals(environment, run)
        test_random_requests(environment, run)
    finish()


if __name__ == "__main__":
    main()
