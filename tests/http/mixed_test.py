"""RESP and HTTP clients on one board: one order, one set of ids, no lost write."""

import threading

import support


class Mixed(support.ServerTest):
    OPTIONS = ("--threads", "4")

    def run_all(self, workers):
        """Runs functions in threads and fails with what they raised."""
        errors = []

        def guard(worker):
            try:
                worker()
            except Exception as error:  # pylint: disable=broad-except
                errors.append(repr(error))

        threads = [threading.Thread(target=guard, args=(worker,)) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])

    def stamps(self, board):
        """{member: stamp in µs}, over RESP."""
        page = self.resp().ask("LB.RANGE", board, "1", "-1")
        return {entry["member"]: entry["stamp"] for entry in page}

    def test_no_write_is_lost(self):
        board = self.board(policy="sum")
        rounds, pairs = 150, 4

        def over_http(number):
            client = self.server.client()
            for i in range(rounds):
                answer = client.submit(board, f"m{(number + i) % 3}", 1)
                if answer.status != 200:
                    raise AssertionError(str(answer))
            client.close()

        def over_resp(number):
            client = self.server.resp()
            for i in range(rounds):
                if i % 2:
                    client.ask("ZINCRBY", board, "1", f"m{(number + i) % 3}")
                else:
                    client.ask("LB.SUBMIT", board, f"m{(number + i) % 3}", "1")
            client.close()

        self.run_all([lambda n=n: over_http(n) for n in range(pairs)]
                     + [lambda n=n: over_resp(n) for n in range(pairs)])
        total = sum(int(score[0]) for _, score in self.scores(board))
        self.assertEqual(total, 2 * pairs * rounds)

    def test_one_order_of_stamps(self):
        board = self.board()
        rounds = 150
        sent = {"http": [], "resp": []}

        def over_http():
            client = self.server.client()
            for i in range(rounds):
                self.assertEqual(client.submit(board, f"http{i}", 1).status, 200)
                sent["http"].append(f"http{i}")
            client.close()

        def over_resp():
            client = self.server.resp()
            for i in range(rounds):
                client.ask("LB.SUBMIT", board, f"resp{i}", "1")
                sent["resp"].append(f"resp{i}")
            client.close()

        self.run_all([over_http, over_resp])
        order = [m for m, _ in self.scores(board, "?limit=1000")]
        stamps = self.stamps(board)
        self.assertEqual(len(set(stamps.values())), 2 * rounds)
        self.assertEqual(order, sorted(order, key=lambda member: stamps[member]))
        for protocol in ("http", "resp"):  # each client's writes in the order it sent them
            self.assertEqual([m for m in order if m.startswith(protocol)], sent[protocol])
        self.assertEqual(order, self.resp().ask("ZREVRANGE", board, "0", "-1"))

    def test_the_same_id_over_both_counts_once(self):
        board = self.board(policy="sum")
        rounds = 150
        firsts = []

        def over_http():
            client = self.server.client()
            for i in range(rounds):
                verdict = client.submit(board, "ann", 1, key=f"k{i}").json
                firsts.append("duplicate" not in verdict)
            client.close()

        def over_resp():
            client = self.server.resp()
            for i in range(rounds):
                verdict = client.ask("LB.SUBMIT", board, "ann", "1", "ID", f"k{i}")
                firsts.append("duplicate" not in verdict)
            client.close()

        self.run_all([over_http, over_resp, over_http, over_resp])
        self.assertEqual(firsts.count(True), rounds)
        self.assertEqual(self.scores(board), [("ann", [str(rounds)])])

    def test_a_write_over_one_is_read_over_the_other(self):
        board = self.board()
        resp = self.resp()
        for i in range(100):
            self.http.submit(board, "h", i)
            self.assertEqual(resp.ask("LB.GET", board, "h")["score"], [str(i)])
            resp.ask("LB.SET", board, "r", str(i))
            entry = self.ok(self.http.get(self.path(board, "entries", "r")))
            self.assertEqual(entry["score"], [str(i)])

    def test_reads_agree(self):
        board = self.board(fields=[{"name": "p"}, {"name": "t", "type": "decimal2",
                                                  "direction": "asc"}])
        resp = self.resp()
        for i in range(50):
            self.http.submit(board, f"m{i}", [i % 7, f"{i % 3}.5"])
        entries = self.entries(board, "?limit=100&kind=competition")
        page = resp.ask("LB.RANGE", board, "1", "-1", "KIND", "competition")
        self.assertEqual([(e["rank"], e["member"], e["score"]) for e in entries],
                         [(e["rank"], e["member"], e["score"]) for e in page])
        count = self.ok(self.http.get(self.path(board, "count") + "?min=2&max=4"))["count"]
        self.assertEqual(count, resp.ask("LB.COUNT", board, "2", "4"))

    def test_a_transaction_is_seen_whole_over_http(self):
        board = self.board()
        stop = threading.Event()

        def over_resp():
            client = self.server.resp()
            for i in range(200):
                client.ask("MULTI")
                client.ask("LB.SET", board, "a", str(i))
                client.ask("LB.SET", board, "b", str(-i))
                client.ask("EXEC")
            client.close()
            stop.set()

        def over_http():
            client = self.server.client()
            while not stop.is_set():
                entries = client.get(self.path(board, "entries")).json["entries"]
                total = sum(int(entry["score"][0]) for entry in entries)
                if total:
                    raise AssertionError(f"half of a transaction: {entries}")
            client.close()

        self.run_all([over_resp, over_http, over_http])

    def test_everything_acknowledged_survives_a_kill(self):
        server = support.Server().start()
        self.addCleanup(server.close)
        server.client().put("/v1/boards/b", {"policy": "sum"})
        acknowledged = {"http": 0, "resp": 0}
        begun = threading.Barrier(3)

        def over_http():
            client = server.client()
            begun.wait()
            try:
                while client.submit("b", "http", 1).status == 200:
                    acknowledged["http"] += 1
            except Exception:  # pylint: disable=broad-except
                pass

        def over_resp():
            client = server.resp()
            begun.wait()
            try:
                while True:
                    client.ask("LB.SUBMIT", "b", "resp", "1")
                    acknowledged["resp"] += 1
            except Exception:  # pylint: disable=broad-except
                pass

        threads = [threading.Thread(target=worker) for worker in (over_http, over_resp)]
        for thread in threads:
            thread.start()
        begun.wait()
        support.eventually(lambda: min(acknowledged.values()) > 50)
        server.kill()
        for thread in threads:
            thread.join()
        server.start()
        for protocol, count in acknowledged.items():
            score = int(server.client().get(f"/v1/boards/b/entries/{protocol}").json["score"][0])
            self.assertIn(score, (count, count + 1))


if __name__ == "__main__":
    support.main()
