"""/metrics with promtool and Debian's prometheus, and the files of examples/prometheus.

usage: prometheus_test.py LAUREL

In prometheus.yml the target, the path of the token and the interval are replaced. ./dev test --all
only.
"""

import json
import re
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import support

EXAMPLES = support.ROOT / "examples/prometheus"
FEW_BOARDS, MANY_BOARDS = 10, 100_000
CHUNK = 10_000


def promtool(*arguments, text=None):
    done = subprocess.run([support.find("promtool"), *arguments], input=text, text=True,
                          capture_output=True, check=False, timeout=support.WAIT_S)
    assert done.returncode == 0, f"promtool {arguments}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


class Metrics:
    """/metrics of a server, with a token that may read it."""

    def __init__(self, server, token):
        self.server, self.headers = server, {"Authorization": f"Bearer {token}"}

    def text(self):
        status, headers, text = self.server.send("GET", "/metrics", None, self.headers)
        assert status == 200, (status, text)
        assert headers["Content-Type"].startswith("text/plain; version=0.0.4"), headers
        return text

    def series(self):
        """Names with labels, without values."""
        return {line.rsplit(" ", 1)[0] for line in self.text().splitlines()
                if not line.startswith("#")}


def make_boards(server, token, begin, end):
    """Leaderboards b:BEGIN to b:END - 1 of one entry, in pipelines of Redis' protocol."""
    def command(*words):
        return "*%d\r\n" % len(words) + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)

    with socket.create_connection((support.HOST, server.resp_port), support.WAIT_S) as connection, \
            connection.makefile("rb") as replies:
        connection.sendall(command("AUTH", token).encode())
        assert replies.readline() == b"+OK\r\n"
        for first in range(begin, end, CHUNK):
            names = range(first, min(first + CHUNK, end))
            connection.sendall("".join(command("ZADD", f"b:{i}", "1", "ann") for i in names)
                               .encode())
            for _ in names:
                reply = replies.readline()
                assert reply == b":1\r\n", reply


def promtool_has_no_complaint(metrics):
    assert promtool("check", "metrics", text=metrics.text()) == ""


def more_boards_are_no_more_series(metrics, server, token):
    make_boards(server, token, 0, FEW_BOARDS)
    few = metrics.series()
    make_boards(server, token, FEW_BOARDS, MANY_BOARDS)
    assert f"\nlaurel_boards {MANY_BOARDS}\n" in metrics.text()
    many = metrics.series()
    assert few == many, few ^ many
    assert not [line for line in many if "b:" in line], "no label is the name of a board"


def rules_are_right(metrics):
    promtool("check", "rules", str(EXAMPLES / "alerts.yml"))
    promtool("test", "rules", str(support.ROOT / "tests/examples/alerts_test.yml"))
    exposed = {series.split("{")[0] for series in metrics.series()}
    used = {name for line in (EXAMPLES / "alerts.yml").read_text().splitlines()
            if not line.lstrip().startswith("#") for name in re.findall(r"\blaurel_\w+", line)}
    assert used and used <= exposed, f"alerts.yml: the server has no {used - exposed}"


def write_configuration(folder, server, token):
    (folder / "laurel.token").write_text(token)
    shutil.copy(EXAMPLES / "alerts.yml", folder)
    text = (EXAMPLES / "prometheus.yml").read_text()
    for old, new in (("127.0.0.1:7680", f"{support.HOST}:{server.port}"),
                     ("/etc/prometheus/laurel.token", str(folder / "laurel.token")),
                     ("scrape_interval: 15s", "scrape_interval: 1s"),
                     ("evaluation_interval: 15s", "evaluation_interval: 1s")):
        assert text.count(old) == 1, f"prometheus.yml must have one '{old}'"
        text = text.replace(old, new)
    (folder / "prometheus.yml").write_text(text)
    promtool("check", "config", str(folder / "prometheus.yml"))


class Prometheus:
    def __init__(self, port):
        self.url = f"http://{support.HOST}:{port}/api/v1/"

    def get(self, path):
        try:
            with urllib.request.urlopen(self.url + path, timeout=support.WAIT_S) as answer:
                return json.load(answer)["data"]
        except OSError as error:
            if isinstance(error, urllib.error.HTTPError) and error.code != 503:
                raise AssertionError(f"{path}: {error.read()}") from error
            return None  # not ready yet

    def value(self, query):
        """The value of the only series of the query; None if there is none."""
        found = self.get("query?query=" + urllib.parse.quote(query))
        if not found or not found["result"]:
            return None
        assert len(found["result"]) == 1, found
        return float(found["result"][0]["value"][1])


def prometheus_scrapes(prometheus, server, headers):
    support.wait_until("the first scrape", lambda: prometheus.value('up{job="laurel"}') == 1)
    server.call("PUT", "/v1/boards/arena", {}, headers)
    for score in range(3):
        server.call("POST", "/v1/boards/arena/entries", {"member": "ann", "score": score}, headers)
    for query, value in (
            ("laurel_boards", MANY_BOARDS + 1),
            ('laurel_requests_total{command="lb.submit",outcome="ok"}', 3),
            ('laurel_http_requests_total{route="/v1/boards/{board}/entries"}', 3),
            ("laurel_writes_accepted", 1),
            ("laurel_snapshot_failed", 0),
            ('laurel_fsync_seconds_bucket{le="+Inf"} > bool 0', 1)):
        support.wait_until(query, lambda q=query, v=value: prometheus.value(q) == v)
    target, = prometheus.get("targets")["activeTargets"]
    assert (target["health"], target["lastError"]) == ("up", ""), target
    support.wait_until("rules that are evaluated, and alert of nothing", lambda: all(
        (rule["health"], rule["state"]) == ("ok", "inactive")
        for rule in prometheus.get("rules")["groups"][0]["rules"]))


def main():
    support.only_with_all("prometheus", "promtool")
    admin, admin_option = support.new_token("admin", "admin")
    reader, reader_option = support.new_token("prometheus", "read")
    options = ("--token", admin_option, "--token", reader_option, "--template", "b:*",
               "--fsync", "everysec")
    with support.folder() as folder, support.Server(sys.argv[1], folder, *options) as server:
        metrics = Metrics(server, reader)
        assert server.send("GET", "/metrics")[0] == 401, "metrics need a token"
        promtool_has_no_complaint(metrics)
        more_boards_are_no_more_series(metrics, server, admin)
        promtool_has_no_complaint(metrics)
        rules_are_right(metrics)
        write_configuration(folder, server, reader)
        port = support.free_port()
        command = [support.find("prometheus"), f"--config.file={folder}/prometheus.yml",
                   f"--storage.tsdb.path={folder}/series",
                   f"--web.listen-address={support.HOST}:{port}"]
        with support.program(command, folder / "prometheus.log", cwd=folder) as process:
            prometheus_scrapes(Prometheus(port), server, {"Authorization": f"Bearer {admin}"})
            assert support.end(process) == 0, "prometheus must end in order"


if __name__ == "__main__":
    main()
