"""Load for servers that fail over and slots that move: writers that try again, followers of events.

A request has an id and is sent again until it is acknowledged. Its effect is therefore known: each counts
once. `client` is one of topologies.py, or anything with ask() and close().
"""

import collections
import threading
import time

import support
import topologies

RETRY_LIMIT_S = 180  # of one request
DEDUP = 500_000  # ids that a board remembers
LIMIT = DEDUP // 3  # requests of one writer; a board has at most three


class Boards:
    """A board of sums with periods and events, and a board of bests, in one slot by their hash tag."""

    def __init__(self, tag):
        self.sums = f"{{{tag}}}sums"
        self.bests = f"{{{tag}}}bests"
        self.names = [self.sums, self.bests]

    def create(self, client):
        # The day turns twelve hours from now, so not during the test.
        turn = time.strftime("%H:00", time.gmtime(time.time() + 12 * 3600))
        client.ask("LB.CREATE", self.sums, "POLICY", "sum", "PERIODS", 2, "all", "day", "TURN", turn,
                   "FEED", 500_000, "DEDUP", DEDUP)
        client.ask("LB.CREATE", self.bests, "POLICY", "best", "CAP", 1000, "DEDUP", DEDUP)


class Worker(threading.Thread):
    """A thread that works until stop(), which raises what went wrong in it."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.client = client
        self.ends = threading.Event()
        self.failure = None

    def run(self):
        try:
            self.work()
        except BaseException as error:  # shown by stop()
            self.failure = error
        finally:
            self.client.close()

    def stop(self):
        self.ends.set()
        self.join(RETRY_LIMIT_S + 30)
        if self.failure:
            raise self.failure
        if self.is_alive():
            raise AssertionError("the thread does not end")

    def until_answered(self, *words):
        """The reply, however often the request has to be sent."""
        return self.until_done(lambda: self.client.ask(*words))

    def until_done(self, attempt):
        deadline = time.monotonic() + RETRY_LIMIT_S
        while True:
            try:
                return attempt()
            except OSError:
                pass
            except support.Failure as failure:
                if not topologies.is_retried(failure):
                    raise
            if time.monotonic() > deadline:
                raise AssertionError("the servers do not answer")
            self.on_retry()
            time.sleep(0.02)

    def on_retry(self):
        pass


class Writer(Worker):
    """Sends one request after the other, at most LIMIT. All of them are acknowledged after stop()."""

    MEMBERS = 5
    PAUSE_S = 0.001

    def __init__(self, client, boards, name):
        super().__init__(client)
        self.boards = boards
        self.name = name
        self.requests = []
        self.acknowledged = []  # when, in the order of the requests
        self.retries = 0
        self.applied_before = 0  # retries whose first attempt had been applied
        self.start()

    def on_retry(self):
        self.retries += 1

    def request(self, number):
        member = f"{self.name}:{number % self.MEMBERS}"
        identity = ("ID", f"{self.name}-{number}")
        if number % 4 == 3:
            return ("LB.SUBMIT", self.boards.bests, member, number * 7919 % 10_007, *identity)
        return ("LB.INCR", self.boards.sums, member, 1, *identity)

    def work(self):
        while len(self.requests) < LIMIT and not self.ends.is_set():
            words = self.request(len(self.requests))
            self.requests.append(words)
            verdict = self.until_answered(*words)
            self.acknowledged.append(time.monotonic())
            self.applied_before += "duplicate" in verdict[::2]
            time.sleep(self.PAUSE_S)

    def await_progress(self, requests=100):
        """Waits until that many more requests are acknowledged: load before, during or after a step."""
        wanted = len(self.acknowledged) + requests
        support.eventually(lambda: len(self.acknowledged) >= wanted or not self.is_alive(), RETRY_LIMIT_S)
        if len(self.acknowledged) < wanted:
            raise self.failure or AssertionError("the writer stands still, or has reached its limit")

    def expected(self):
        """The scores after all requests: of sums and of bests, by member."""
        sums, bests = collections.Counter(), {}
        for command, _, member, value, *_ in self.requests:
            if command == "LB.INCR":
                sums[member] += value
            else:
                bests[member] = max(bests.get(member, 0), value)
        return sums, bests


class PairWriter(Writer):
    """Sends transactions: one increment and one submit, of two boards in one slot."""

    def work(self):
        while len(self.requests) < LIMIT and not self.ends.is_set():
            first = len(self.requests)
            pair = [("LB.INCR", self.boards.sums, f"{self.name}:pair", 1, "ID", f"{self.name}-{first}"),
                    ("LB.SUBMIT", self.boards.bests, f"{self.name}:pair", first, "ID",
                     f"{self.name}-{first + 1}")]
            self.requests += pair
            verdicts = self.until_done(lambda: self.client.transaction(*pair))
            for verdict in verdicts:
                if isinstance(verdict, support.Failure):
                    raise verdict
            applied_before = ["duplicate" in verdict[::2] for verdict in verdicts]
            if applied_before[0] != applied_before[1]:
                raise AssertionError(f"half of a transaction was applied: {verdicts}")
            self.applied_before += sum(applied_before)
            self.acknowledged += [time.monotonic()] * 2
            time.sleep(self.PAUSE_S)


class Burst(Worker):
    """Increments one member through one connection until the primary is lost, without trying again.

    It has `batch` requests on their way at a time, and sends LIMIT at most. With `waits`, each write is
    followed by WAIT 1 1000: if that answers 1, this write and those before it count as acknowledged.
    """

    def __init__(self, port, board, member, first=0, batch=1, waits=False):
        super().__init__(support.Client(port))
        self.board = board
        self.member = member
        self.first = first
        self.batch = batch
        self.waits = waits
        self.sent = 0
        self.acknowledged = 0
        self.began = self.ended = time.monotonic()
        self.start()

    def request(self, number):
        return ("LB.INCR", self.board, self.member, 1, "ID", f"{self.member}-{self.first + number}")

    def requests(self):
        return [self.request(number) for number in range(self.sent)]

    def work(self):
        try:
            while self.sent < LIMIT and not self.ends.is_set():
                self.send_batch()
        except OSError:
            return
        except support.Failure as failure:
            if not topologies.is_retried(failure):
                raise

    def send_batch(self):
        batch = [self.request(self.sent + i) for i in range(self.batch)]
        self.sent += self.batch
        self.send(batch)
        for _ in batch:
            self.read()
            self.acknowledged += not self.waits
        if self.waits and self.client.ask("WAIT", 1, 1000) >= 1:
            self.acknowledged = self.sent
        self.ended = time.monotonic()

    def send(self, batch):
        self.client.socket.sendall(b"".join(support.encoded(words) for words in batch))

    def read(self):
        return self.client.read()

    def rate(self):
        """Acknowledged writes per second."""
        return self.acknowledged / max(self.ended - self.began, 0.001)

    def await_progress(self, requests):
        wanted = self.acknowledged + requests
        support.eventually(lambda: self.acknowledged >= wanted or not self.is_alive(), RETRY_LIMIT_S)
        if self.acknowledged < wanted:
            raise self.failure or AssertionError("the writer stands still, or has reached its limit")


class TransactionBurst(Burst):
    """Increments the member on two boards of one slot in each transaction."""

    def __init__(self, port, boards, member, **options):
        self.boards = boards
        super().__init__(port, boards[0], member, **options)

    def send(self, batch):
        requests = [words for request in batch
                    for words in (("MULTI",), request, (request[0], self.boards[1], *request[2:]), ("EXEC",))]
        super().send(requests)

    def read(self):
        *_, replies = [self.client.read() for _ in range(4)]
        for reply in replies:
            if isinstance(reply, support.Failure):
                raise reply
        return replies


def scores(client, board, *words):
    """All scores of a board, by member."""
    entries = [support.flat(entry) for entry in client.ask("LB.TOP", board, 1000, *words)]
    return {entry["member"]: int(entry["score"][0]) for entry in entries}


def send_again(connection, requests):
    """Sends requests through one connection, many at a time. Returns how many were applied only now."""
    applied = 0
    for start in range(0, len(requests), 200):
        batch = requests[start:start + 200]
        connection.socket.sendall(b"".join(support.encoded(words) for words in batch))
        for words in batch:
            reply = connection.read_or_failure()
            if isinstance(reply, support.Failure):
                raise AssertionError(f"{words}: {reply}")
            applied += "duplicate" not in reply[::2]
    return applied


class Follower(Worker):
    """Follows the events of a board of sums, and so has its scores in `mirror`.

    Scores rise by one with each event. After a gap the follower reads the board again.
    """

    def __init__(self, client, board):
        super().__init__(client)
        self.board = board
        self.mirror = {}
        self.gaps = 0
        self.cursor = "0"
        self.start()

    def work(self):
        while not self.ends.is_set():
            self.read()
        # A read that began before the end may have waited on a node that the board has left.
        while self.read():
            pass

    def read(self):
        """Reads the next page. Returns how many events it had."""
        page = support.flat(self.until_answered("LB.CHANGES", self.board, self.cursor, "PERIOD", "all",
                                                "COUNT", 1000, "BLOCK", 200))
        if "gap" in page:
            self.gaps += 1
            self.start_over()
            return 0
        for event in map(support.flat, page["events"]):
            if event["cause"] == "put":
                self.note(event["member"], int(event["score"][0]))
        self.cursor = page["next"]
        return len(page["events"])

    def note(self, member, score):
        before, is_sure = self.mirror.get(member, (0, True))
        if is_sure and score != before + 1:
            raise AssertionError(f"an event is missing: {member} was {before} and is {score}")
        self.mirror[member] = (score, True)

    def start_over(self):
        self.cursor = support.flat(self.until_answered("LB.CHANGES", self.board, "$"))["next"]
        entries = map(support.flat, self.until_answered("LB.TOP", self.board, 1000, "PERIOD", "all"))
        # The entries may be newer than the cursor: then events follow that they include.
        self.mirror = {entry["member"]: (int(entry["score"][0]), False) for entry in entries}

    def scores(self):
        return {member: score for member, (score, _) in self.mirror.items()}
