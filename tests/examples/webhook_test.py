"""examples/http/webhook.py: the end of a period arrives, once if nothing fails, else at least once.

usage: webhook_test.py LAUREL

A period ends when the server starts again with its clock an hour further ahead. Each test submits
to one more hour and ends it; the receiver notes what arrives.
"""

import contextlib
import http.server
import json
import os
import signal
import subprocess
import sys
import threading

import support

BOARD = "season/1"  # a name that needs quoting


class Receiver(http.server.ThreadingHTTPServer):
    """Notes the posts that arrive, and answers with `status`, or not at all if that is None."""

    daemon_threads = True

    def __init__(self, port=0):
        super().__init__((support.HOST, port), Handler)
        self.posts, self.status, self.released = [], 200, threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def close(self):
        self.released.set()
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = self.server.status
        self.server.posts.append((self.headers["Idempotency-Key"], body, status))
        if status is None:
            self.server.released.wait(support.WAIT_S)
            return
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Season:
    """A board whose hours end, one after the other."""

    def __init__(self, server, headers):
        self.server, self.headers, self.hours = server, headers, 0
        server.call("PUT", self.path, {"policy": "best", "periods": ["hour", "all"], "keep": 24},
                    headers)

    path = "/v1/boards/" + BOARD.replace("/", "%2F")

    def submit(self, member):
        self.server.call("POST", f"{self.path}/entries", {"member": member, "score": "1"},
                         self.headers)

    def end_hour(self, crashes=False):
        self.hours += 1
        if crashes:
            self.server.process.kill()
            self.server.process.wait()
        else:
            self.server.stop()
        self.server.start("--clock-offset", f"{self.hours}h")


class Script:
    """webhook.py as a process."""

    def __init__(self, server, token, port, folder):
        self.cursor = folder / "cursor"
        self.command = [sys.executable, support.ROOT / "examples/http/webhook.py", BOARD,
                        f"http://{support.HOST}:{port}/hook", self.cursor]
        self.environment = {**os.environ, "LAUREL_URL": server.url, "LAUREL_TOKEN": token}
        self.log = folder / "webhook.log"
        self.process = None

    def start(self):
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(self.command, env=self.environment, stdout=output,
                                            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def position(self):
        return self.cursor.read_text() if self.cursor.exists() else None

    def said(self):
        return self.log.read_text()


def members_of(posts):
    return [post[1]["top"][0]["member"] for post in posts]


def await_success(receiver, script):
    """Waits for a post that succeeds. The script has noted it then: if killed now, it goes on."""
    last = support.wait_until("a post", lambda: [post for post in receiver.posts
                                                 if post[2] == 200])[-1]
    support.wait_until("its cursor", lambda: script.position() == last[0])


def the_end_arrives_with_its_top(season, receiver, script):
    season.submit("ann")
    season.end_hour()
    await_success(receiver, script)
    key, body, _ = receiver.posts[0]
    assert key == body["cursor"], body
    assert body["cause"] == "closed" and body["board"].startswith(BOARD + "@hour:"), body
    assert body["count"] == 1 and body["top"][0]["score"] == ["1"], body
    assert members_of(receiver.posts) == ["ann"], receiver.posts


def a_receiver_that_was_down_gets_it_later(season, receiver, script):
    port = receiver.port
    receiver.close()
    season.submit("bob")
    season.end_hour()
    # The server is ready: at most one more complaint is about it. Others are about the receiver.
    before = script.said().count("refused")
    support.wait_until("a refused post", lambda: script.said().count("refused") >= before + 2)
    later = Receiver(port)
    await_success(later, script)
    assert members_of(later.posts) == ["bob"], later.posts
    return later


def an_answer_of_failure_is_no_success(season, receiver, script):
    del receiver.posts[:]
    receiver.status = 500
    season.submit("cem")
    season.end_hour()
    support.wait_until("two attempts", lambda: len(receiver.posts) >= 2)
    receiver.status = 200
    await_success(receiver, script)
    assert set(members_of(receiver.posts)) == {"cem"}, receiver.posts
    assert [post[2] for post in receiver.posts].count(200) == 1, receiver.posts


def a_script_that_was_killed_goes_on(season, receiver, script):
    del receiver.posts[:]
    script.kill()
    season.submit("dan")
    season.end_hour()
    script.start()
    await_success(receiver, script)
    assert members_of(receiver.posts) == ["dan"], receiver.posts


def a_script_that_was_killed_in_a_post_repeats_it(season, receiver, script):
    del receiver.posts[:]
    receiver.status = None
    season.submit("eve")
    season.end_hour()
    support.wait_until("the post", lambda: receiver.posts)
    script.kill()
    receiver.status = 200
    script.start()
    await_success(receiver, script)
    assert members_of(receiver.posts) == ["eve", "eve"], receiver.posts
    assert receiver.posts[0][0] == receiver.posts[1][0], "a repetition has the same key"


def a_server_that_has_crashed_is_followed_again(season, receiver, script):
    del receiver.posts[:]
    season.submit("fay")
    season.end_hour(crashes=True)
    await_success(receiver, script)
    assert members_of(receiver.posts) == ["fay"], receiver.posts


def nothing_more_arrives(season, receiver, script):
    """One more event passes, so everything before it has been handled."""
    posts = len(receiver.posts)
    season.submit("gus")
    last = season.server.call("GET", f"{season.path}/changes?from=-1", None, season.headers)
    support.wait_until("the last cursor",
                       lambda: script.position() == last["events"][0]["cursor"])
    assert len(receiver.posts) == posts, receiver.posts[posts:]


def main():
    admin, admin_option = support.new_token("admin", "admin")
    reader, reader_option = support.new_token("webhook", "read")
    options = ("--token", admin_option, "--token", reader_option)
    with support.folder() as folder, contextlib.ExitStack() as stack:
        server = stack.enter_context(support.Server(sys.argv[1], folder, *options))
        season = Season(server, {"Authorization": f"Bearer {admin}"})
        receiver = Receiver()
        script = Script(server, reader, receiver.port, folder)
        script.start()
        stack.callback(script.kill)
        try:
            the_end_arrives_with_its_top(season, receiver, script)
            receiver = a_receiver_that_was_down_gets_it_later(season, receiver, script)
            an_answer_of_failure_is_no_success(season, receiver, script)
            a_script_that_was_killed_goes_on(season, receiver, script)
            a_script_that_was_killed_in_a_post_repeats_it(season, receiver, script)
            a_server_that_has_crashed_is_followed_again(season, receiver, script)
            nothing_more_arrives(season, receiver, script)
        except BaseException:
            print(f"--- webhook.py said ---\n{script.said()}", file=sys.stderr)
            raise
        receiver.close()


if __name__ == "__main__":
    main()
