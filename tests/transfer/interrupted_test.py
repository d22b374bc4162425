#!/usr/bin/env python3
"""Imports that are interrupted: cut connections, kill -9, signals; --follow until SIGTERM."""

import signal

import transfer_support
from cutting_proxy import CuttingProxy
from seeds import Scaled, fill, shown
from support import seeded_random
from transfer_support import ALL, TransferTest, address, eventually, url

DAY = 1_700_000_000
ROWS = 200_000 if ALL else 30_000


def csv_of(rows):
    return "member,score,at\n" + "".join(f"{member},{score},{at}\n" for member, score, at in rows)


class Cut(TransferTest):
    def proxy(self, server, cuts):
        made = CuttingProxy(server.port, cuts)
        self.addCleanup(made.close)
        return made

    def test_cut_connections_to_the_target_lose_and_add_nothing(self):
        random = seeded_random(self.id())
        server = self.laurel()
        proxy = self.proxy(server, [random.randint(70, 120)] + [random.randint(1, 120) for _ in range(5)])
        rows = [(f"m{i}", random.randint(0, 1000), DAY + i) for i in range(ROWS)]
        self.write("a.csv", csv_of(rows))
        self.run_import("a.csv", "--board", "lb", "--to", f"127.0.0.1:{proxy.port}", "--verify")
        self.assertGreater(proxy.connections, 1)
        wanted = sorted(rows, key=lambda row: (-row[1], row[2]))
        self.assertEqual(self.scores(server, "lb"), [(member, str(score)) for member, score, _ in wanted])

    def test_cut_connections_to_the_source_lose_and_add_nothing(self):
        random = seeded_random(self.id())
        source = self.plain_redis()
        server = self.laurel()
        client = source.client()
        fill(client, "lb", Scaled, [(f"m{i}", random.randint(0, 1000), Scaled.first + i) for i in range(5000)])
        proxy = self.proxy(source, [random.randint(1, 60_000) for _ in range(8)])
        self.run_import("--from", f"redis://127.0.0.1:{proxy.port}", "--key", "lb", "--codec", "scaled-time", "--to",
                        address(server), "--verify")
        self.assertGreater(proxy.connections, 3)
        self.assertEqual([(member, int(score)) for member, score in self.scores(server, "lb")],
                         shown(client, "lb", Scaled))

    def test_target_that_always_cuts_is_an_error(self):
        server = self.laurel()
        proxy = self.proxy(server, [2] * 1000)
        self.write("a.csv", csv_of([(f"m{i}", i, DAY + i) for i in range(5000)]))
        done = self.run_import("a.csv", "--board", "lb", "--to", f"127.0.0.1:{proxy.port}", code=1)
        self.assertIn(f"127.0.0.1:{proxy.port}", done.err)

    def test_server_that_is_killed_and_started_again_on_its_folder(self):
        """The server has lost the load; the import begins it again."""
        server = self.durable(self.folder / "data")
        port = server.port
        proxy = CuttingProxy(port, delay_s=0.05)
        self.addCleanup(proxy.close)
        self.write("a.csv", csv_of([(f"m{i}", i, DAY + i) for i in range(ROWS)]))
        process = self.start("import", "a.csv", "--board", "lb", "--to", f"127.0.0.1:{proxy.port}", "--verify")
        await_chunk(process, proxy)
        server.kill()
        server.start_process([transfer_support.support.laurel, "serve", "--data", str(self.folder / "data"), "--port",
                              str(port), "--http-port", "none"])
        server.await_answer()
        out, err = process.communicate(timeout=transfer_support.RUN_LIMIT_S)
        self.assertEqual(process.returncode, 0, out + err)
        self.assertEqual(server.client().ask("LB.SIZE", "lb"), ROWS)


def await_chunk(process, proxy):
    """Waits until a chunk of an import through the proxy is written, which the answers to what precedes it tell."""
    assert eventually(lambda: proxy.pieces >= 6 or process.poll() is not None)
    assert process.poll() is None, "the import is over"


class Stopped(TransferTest):
    """An import that ends before its time has written nothing, and does not hinder the next one."""

    def setUp(self):
        super().setUp()
        self.server = self.laurel()
        self.proxy = CuttingProxy(self.server.port, delay_s=0.05)
        self.addCleanup(self.proxy.close)
        self.write("a.csv", csv_of([(f"m{i}", i, DAY + i) for i in range(ROWS)]))

    def stop_one(self, number):
        self.proxy.pieces = 0
        process = self.start("import", "a.csv", "--board", "lb", "--to", f"127.0.0.1:{self.proxy.port}")
        await_chunk(process, self.proxy)
        process.send_signal(number)
        _, err = process.communicate(timeout=transfer_support.RUN_LIMIT_S)
        self.assertEqual(self.server.client().ask("LB.LIST"), ["0", []])
        return process.returncode, err

    def test_killed_import_leaves_no_board(self):
        self.stop_one(signal.SIGKILL)
        self.run_import("a.csv", "--board", "lb", "--to", address(self.server), "--verify")
        self.assertEqual(self.server.client().ask("LB.SIZE", "lb"), ROWS)

    def test_signal_ends_an_import_and_its_load(self):
        for _ in range(5):  # one more than the loads that a server has at once
            code, err = self.stop_one(signal.SIGTERM)
            self.assertEqual(code, 1, err)
            self.assertIn("stopped by a signal", err)
        self.run_import("a.csv", "--board", "lb", "--to", address(self.server))


class Follow(TransferTest):
    def setUp(self):
        super().setUp()
        self.source = self.plain_redis()
        self.client = self.source.client()
        self.server = self.laurel()
        self.target = self.server.client()

    def follow(self, *words):
        return self.start("import", "--from", url(self.source), *words, "--to", address(self.server), "--follow",
                          "--interval", "100ms")

    def finish(self, process, code=0):
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=transfer_support.RUN_LIMIT_S)
        self.assertEqual(process.returncode, code, out + err)
        return out

    def test_board_follows_the_set_until_sigterm(self):
        moment = Scaled.last - 1000
        fill(self.client, "lb", Scaled, [("ann", 5, moment), ("bob", 7, moment + 1), ("cid", 6, moment + 2)])
        process = self.follow("--key", "lb", "--codec", "scaled-time")
        self.assertTrue(eventually(lambda: self.target.ask("LB.LIST")[1] and self.target.ask("LB.SIZE", "lb") == 3))
        fill(self.client, "lb", Scaled, [("dan", 9, moment + 5), ("ann", 8, moment + 6)])
        self.client.ask("ZREM", "lb", "bob")
        wanted = [("dan", "9"), ("ann", "8"), ("cid", "6")]
        self.assertTrue(eventually(lambda: self.scores(self.server, "lb") == wanted))
        # Written right before the signal: the last pass takes it.
        fill(self.client, "lb", Scaled, [("eve", 10, moment + 9)])
        out = self.finish(process)
        self.assertIn("a last pass is done", out)
        self.assertIn("verified: 4 entries", out)
        self.assertIn("the source has not changed", out)
        self.assertEqual(self.scores(self.server, "lb"), [("eve", "10")] + wanted)

    def test_plain_set_keeps_the_order_that_redis_shows(self):
        self.client.ask("ZADD", "lb", 5, "b", 5, "d", 3, "x")
        process = self.follow("--key", "lb")
        self.assertTrue(eventually(lambda: self.target.ask("LB.LIST")[1] and self.target.ask("LB.SIZE", "lb") == 3))
        self.client.ask("ZADD", "lb", 5, "a", 5, "c", 5, "x", 5, "z")
        self.finish(process)
        self.assertEqual([member for member, _ in self.scores(self.server, "lb")],
                         self.client.ask("ZREVRANGE", "lb", 0, -1))

    def test_sets_that_appear_and_vanish(self):
        self.client.ask("ZADD", "rank:1", 1, "a", 2, "b")
        process = self.follow("--match", "rank:*")
        self.assertTrue(eventually(lambda: self.target.ask("LB.LIST")[1] == ["rank:1"]))
        self.client.ask("ZADD", "rank:2", 3, "c", 4, "d")
        self.assertTrue(eventually(lambda: len(self.target.ask("LB.LIST")[1]) == 2 and
                                   self.target.ask("LB.SIZE", "rank:2") == 2))
        self.client.ask("DEL", "rank:1")
        self.client.ask("ZREM", "rank:2", "c")
        self.assertTrue(eventually(lambda: self.target.ask("LB.SIZE", "rank:2") == 1))
        out = self.finish(process, code=3)
        self.assertEqual(out.count("the source has no rows any more"), 1)
        self.assertIn("meanwhile the source has changed", out)
        self.assertEqual(self.target.ask("LB.SIZE", "rank:1"), 2)

    def test_sets_that_vanish_are_emptied_by_force(self):
        self.client.ask("ZADD", "rank:1", 1, "a", 2, "b")
        process = self.follow("--match", "rank:*", "--force")
        self.assertTrue(eventually(lambda: self.target.ask("LB.LIST")[1] == ["rank:1"] and
                                   self.target.ask("LB.SIZE", "rank:1") == 2))
        self.client.ask("DEL", "rank:1")
        self.assertTrue(eventually(lambda: self.target.ask("LB.SIZE", "rank:1") == 0))
        self.finish(process)

    def test_set_that_appears_with_equal_values_is_followed(self):
        self.client.ask("ZADD", "rank:1", 1, "a", 2, "b")
        process = self.follow("--match", "rank:*")
        self.assertTrue(eventually(lambda: self.target.ask("LB.LIST")[1] == ["rank:1"]))
        self.client.ask("ZADD", "rank:2", 3, "c", 3, "d")
        self.assertTrue(eventually(lambda: len(self.target.ask("LB.LIST")[1]) == 2 and
                                   self.target.ask("LB.SIZE", "rank:2") == 2))
        self.finish(process)

    def test_members_whose_rows_cannot_be_used_stay(self):
        self.client.ask("ZADD", "lb", 1, "a", 2, "b", 3, "c")
        process = self.follow("--key", "lb")
        self.assertTrue(eventually(lambda: self.target.ask("LB.LIST")[1] and self.target.ask("LB.SIZE", "lb") == 3))
        self.client.ask("ZADD", "lb", "1.5", "a", 7, "b")
        self.assertTrue(eventually(lambda: self.scores(self.server, "lb")[0] == ("b", "7")))
        out = self.finish(process, code=3)
        self.assertIn("1 row of the source cannot be used", out)
        self.assertEqual(self.scores(self.server, "lb"), [("b", "7"), ("c", "3"), ("a", "1")])

    def test_capped_board_holds_the_best_of_the_set(self):
        self.target.ask("LB.CREATE", "lb", "CAP", 3)
        self.client.ask("ZADD", "lb", 30, "a", 20, "b", 10, "c", 5, "e")
        process = self.follow("--key", "lb")
        self.assertTrue(eventually(lambda: self.target.ask("LB.SIZE", "lb") == 3))
        self.client.ask("ZREM", "lb", "a")
        self.assertTrue(eventually(lambda: self.scores(self.server, "lb") == [("b", "20"), ("c", "10"), ("e", "5")]))
        self.client.ask("ZADD", "lb", 1, "c", 4, "f")
        self.assertTrue(eventually(lambda: self.scores(self.server, "lb") == [("b", "20"), ("e", "5"), ("f", "4")]))
        self.finish(process)

    def test_foreign_writes_are_found_at_the_end(self):
        self.client.ask("ZADD", "lb", 1, "a", 2, "b")
        process = self.follow("--key", "lb")
        self.assertTrue(eventually(lambda: self.target.ask("LB.LIST")[1] and self.target.ask("LB.SIZE", "lb") == 2))
        self.target.ask("LB.SET", "lb", "intruder", 9)
        out = self.finish(process, code=3)
        self.assertIn("'intruder' is on the board and not in the source", out)


if __name__ == "__main__":
    transfer_support.main()
