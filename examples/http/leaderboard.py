#!/usr/bin/env python3
"""A leaderboard over HTTP, with Python's standard library only.

    LAUREL_URL=http://127.0.0.1:7680 LAUREL_TOKEN=… python3 leaderboard.py

The token must have the role admin, because the program creates a board and drops it at the end. A
server without tokens needs none.
"""

import json
import os
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("LAUREL_URL", "http://127.0.0.1:7680")
TOKEN = os.environ.get("LAUREL_TOKEN")
BOARD = "/v1/boards/example"
# The server sends a comment after 15 s of silence, so a longer silence means a lost connection.
TIMEOUT_S = 60


class Problem(Exception):
    """A refused request: the server's answer of the type application/problem+json."""

    def __init__(self, answer):
        super().__init__(answer["detail"])
        self.status, self.code = answer["status"], answer["code"]
        self.field = answer.get("field")


def send(method, path, body=None, headers=None):
    """The answer to a request, not read yet."""
    headers = dict(headers or {})
    if TOKEN:
        headers["Authorization"] = f"Bearer {TOKEN}"
    if body is not None:
        body = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(URL + path, body, headers, method=method)
    try:
        return urllib.request.urlopen(request, timeout=TIMEOUT_S)
    except urllib.error.HTTPError as error:
        if error.headers.get_content_type() != "application/problem+json":
            raise  # not from Laurel: a proxy perhaps
        raise Problem(json.load(error)) from None


def call(method, path, body=None, headers=None):
    with send(method, path, body, headers) as answer:
        return json.load(answer)


def submit(member, score, key=None):
    """Submits a score. A retry with the same key changes nothing and gets the first verdict."""
    verdict = call("POST", f"{BOARD}/entries", {"member": member, "score": [score]},
                   {"Idempotency-Key": key or str(uuid.uuid4())})
    duplicate = ", duplicate" if verdict.get("duplicate") else ""
    print(f"{member} {score}: {verdict['status']}, rank {verdict['rank']}{duplicate}")


def events(path):
    """Yields the name and the data of each event of a stream."""
    with send("GET", path, headers={"Accept": "text/event-stream"}) as stream:
        fields = {}
        for line in stream:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                fields[name] = value  # Laurel writes data as one line
            elif "data" in fields:
                yield fields["event"], json.loads(fields["data"])
                fields = {}


def line_of(entries):
    return ", ".join(f"{e['rank']} {e['member']} {e['score'][0]}" for e in entries)


def follow_live():
    """The first event has the whole top. Each update has the entries that have changed since."""
    top = {}
    stream = events(f"{BOARD}/live?top=3")
    for next_submit in (("dan", "2000"), ("cem", "1700"), None):
        name, data = next(stream)
        top.update({entry["rank"]: entry for entry in data["entries"]})
        top = {rank: top[rank] for rank in sorted(top) if rank <= data["size"]}
        print(f"live {name}: {line_of(top.values())}")
        if next_submit:
            submit(*next_submit)
    stream.close()


def follow_changes():
    """A cursor of now, and then every event after it. None is lost in between."""
    cursor = call("GET", f"{BOARD}/changes?from=$")["next"]
    submit("eve", "800")
    stream = events(f"{BOARD}/changes?from={cursor}")
    name, data = next(stream)
    print(f"change {name}: {data['member']} {data['score'][0]}")
    stream.close()


def main():
    call("PUT", BOARD, {"policy": "best"})
    print("created example")

    key = str(uuid.uuid4())
    submit("ann", "1200", key)
    submit("ann", "1200", key)  # as after a lost answer
    submit("bob", "1500")
    submit("cem", "900")

    print("top:", line_of(call("GET", f"{BOARD}/entries?limit=3")["entries"]))
    entry = call("GET", f"{BOARD}/entries/cem")
    print(f"cem: rank {entry['rank']} of {entry['count']}")

    follow_live()
    follow_changes()

    try:
        submit("ann", "12.5")
    except Problem as problem:
        print(f"refused: {problem.status} {problem.code}, field {problem.field}")

    call("DELETE", BOARD)
    print("dropped example")


if __name__ == "__main__":
    main()
