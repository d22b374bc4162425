#!/usr/bin/env python3
"""Posts the end of each period of a board to a URL: webhook.py BOARD URL CURSOR_FILE

BOARD is a board with periods, or one period of it, such as arena@day. The body of a post is the
event: the instance that has ended, and its first 100 entries. The cursor is saved after the post
has succeeded. So every end arrives at least once; a repetition has the same Idempotency-Key.
LAUREL_URL and LAUREL_TOKEN (role read) are those of the server.
"""

import http.client
import os
import pathlib
import sys
import time
from urllib.parse import quote
from urllib.request import Request, urlopen

board, hook, cursor_file = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
server = os.environ.get("LAUREL_URL", "http://127.0.0.1:7680")
headers = {"Accept": "text/event-stream"}
if "LAUREL_TOKEN" in os.environ:
    headers["Authorization"] = "Bearer " + os.environ["LAUREL_TOKEN"]


def follow():
    if cursor_file.exists():
        headers["Last-Event-ID"] = cursor_file.read_text()
    url = f"{server}/v1/boards/{quote(board, safe='')}/changes?from=0"
    with urlopen(Request(url, headers=headers), timeout=60) as stream:  # a comment comes every 15 s
        event = {}
        for line in stream:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                event[name] = value
                continue
            # After a gap, ends may be missing: the receiver finds them in …/periods.
            if event.get("event") in ("closed", "gap"):
                about = {"Content-Type": "application/json", "Idempotency-Key": event["id"]}
                urlopen(Request(hook, event["data"].encode(), about), timeout=30).close()
            if "id" in event:
                cursor_file.with_suffix(".new").write_text(event["id"])
                cursor_file.with_suffix(".new").replace(cursor_file)
            event = {}


while True:
    try:
        follow()
    except (OSError, http.client.HTTPException) as error:
        print(f"webhook: {error}", file=sys.stderr)
    time.sleep(1)
