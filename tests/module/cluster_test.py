#!/usr/bin/env python3
"""A cluster of three primaries and three replicas: failovers and moving slots under load, redirections."""

import os
import subprocess
import time
import unittest

import load
import replication_test
import support
import topologies


def tags_on(cluster, node, count, slots=range(topologies.SLOTS)):
    """Hash tags whose slots belong to the node, and are among `slots`."""
    tags = []
    for number in range(1_000_000):
        slot = topologies.slot_of(f"{{t{number}}}")
        if slot in slots and cluster.owner(slot) is node:
            tags.append(f"t{number}")
        if len(tags) == count:
            return tags
    raise AssertionError("no such tag")


def setUpModule():
    ClusterTest.cluster = topologies.Cluster(repl_diskless_load="swapdb")
    unittest.addModuleCleanup(ClusterTest.cluster.remove)


class ClusterTest(support.ModuleTest):
    """One cluster for all tests. Each leaves it healthy and without keys."""

    cluster = None

    def setUp(self):
        super().setUp()
        self.workers = []
        self.client = self.cluster.client()
        self.addCleanup(self.client.close)
        self.addCleanup(self.end)

    def end(self):
        for worker in self.workers:
            worker.ends.set()
        for worker in self.workers:
            worker.join()
        for node in self.cluster.nodes:
            if not node.is_alive():  # the test has failed
                node.start()
        self.cluster.forbid_failovers()
        for node in self.cluster.primaries():
            topologies.ask(node, "FLUSHALL")

    def boards_on(self, node):
        """Boards on the node, which its replicas have too: creations are not sent again."""
        boards = load.Boards(tags_on(self.cluster, node, 1)[0])
        boards.create(self.client)
        self.assertEqual(self.client.connection(node.port).ask("WAIT", 1, 30_000), 1)
        return boards

    def writer(self, boards, name, kind=load.Writer):
        made = kind(self.cluster.client(), boards, name)
        self.workers.append(made)
        return made

    def follower(self, board):
        made = load.Follower(self.cluster.client(), board)
        self.workers.append(made)
        return made

    def owner(self, boards):
        return self.cluster.owner(topologies.slot_of(boards.sums))

    def connection(self, boards):
        return self.client.connection(self.owner(boards).port)

    def missing(self, writers):
        """How many increments the boards of sums lack. Never does one have more than was sent."""
        lacks = 0
        for writer in writers:
            present = load.scores(self.client, writer.boards.sums, "PERIOD", "all")
            for member, score in writer.expected()[0].items():
                self.assertLessEqual(present.get(member, 0), score, member)
                lacks += score - present.get(member, 0)
        return lacks

    def assert_exact(self, writers):
        """Every request of the writers counts once, in all periods."""
        by_board = {writer.boards.sums: {} for writer in writers}
        by_board.update({writer.boards.bests: {} for writer in writers})
        for writer in writers:
            for board, expected in zip(writer.boards.names, writer.expected()):
                by_board[board].update(expected)
        for board, expected in by_board.items():
            self.assertEqual(load.scores(self.client, board), expected, board)
            if board.endswith("sums"):
                self.assertEqual(load.scores(self.client, board, "PERIOD", "day"), expected, board)

    def await_blocked(self, node):
        self.assertTrue(support.eventually(
            lambda: "blocked_clients:1" in topologies.ask(node, "INFO", "clients")))

    def assert_whole(self):
        """The cluster is clean, replicas equal their primaries, and no effect was refused."""
        self.cluster.await_health()
        self.assertEqual(self.cluster.complaints(), "")
        for node in self.cluster.primaries():
            keys = topologies.ask(node, "KEYS", "*")
            if keys:
                self.assert_same_digests(node, self.cluster.replicas_of(node), keys)
        for node in self.cluster.nodes:
            self.assertEqual(support.info(node.client())["refused_applies"], 0, node.output())


class Failovers(ClusterTest):
    def kill_and_bring_back(self, boards, writer):
        """Kills the primary of the boards under load; a replica takes over; it returns as a replica."""
        self.cluster.allow_failovers()
        killed = self.owner(boards)
        writer.await_progress()
        killed.kill()
        self.cluster.await_owner_other_than(killed, topologies.slot_of(boards.sums))
        writer.await_progress()
        killed.start()
        self.cluster.await_all(lambda node: node is not killed or
                               topologies.replication(node)["role"] == "slave")
        self.cluster.await_health()
        self.cluster.forbid_failovers()
        self.client.close()

    def test_requests_that_are_sent_again_after_kills_count_once(self):
        all_boards = [self.boards_on(node) for node in self.cluster.primaries()]
        writers = [self.writer(boards, f"w{i}") for i, boards in enumerate(all_boards)]
        writers.append(self.writer(all_boards[0], "p0", load.PairWriter))
        follower = self.follower(all_boards[0].sums)
        rounds = support.count(1, 20)
        for number in range(rounds):
            boards = all_boards[number % len(all_boards)]
            self.kill_and_bring_back(boards, writers[number % len(all_boards)])
        for writer in writers:
            writer.stop()
        lost = self.missing(writers)
        applied = increments = 0
        for writer in writers:
            sums = [words for words in writer.requests if words[0] == "LB.INCR"]
            increments += len(sums)
            applied += load.send_again(self.connection(writer.boards), sums)
            load.send_again(self.connection(writer.boards), writer.requests)
        # An increment and its id are lost together, or not at all.
        self.assertEqual(applied, lost)
        self.assert_exact(writers)
        follower.stop()
        self.assertEqual(follower.scores(),
                         load.scores(self.client, all_boards[0].sums, "PERIOD", "all"))
        self.assertLessEqual(follower.gaps, rounds)
        self.assert_whole()
        print(f"cluster: {rounds} kills, {sum(len(writer.requests) for writer in writers)} requests, "
              f"{sum(writer.retries for writer in writers)} retries, "
              f"{sum(writer.applied_before for writer in writers)} of them applied before, "
              f"{lost} of {increments} acknowledged increments lost and sent again, {follower.gaps} gaps",
              flush=True)

    def test_failover_by_hand_loses_nothing_acknowledged(self):
        all_boards = [self.boards_on(node) for node in self.cluster.primaries()]
        writers = [self.writer(boards, f"w{i}") for i, boards in enumerate(all_boards)]
        writers += [self.writer(boards, f"p{i}", load.PairWriter) for i, boards in enumerate(all_boards)]
        followers = [self.follower(boards.sums) for boards in all_boards]
        for number in range(support.count(3, 20)):
            index = number % len(all_boards)
            writers[index].await_progress(50)
            self.cluster.fail_over_by_hand(self.owner(all_boards[index]))
            writers[index].await_progress(50)
        for writer in writers:
            writer.stop()
        self.assert_exact(writers)
        for boards, follower in zip(all_boards, followers):
            follower.stop()
            self.assertEqual((follower.gaps, follower.scores()),
                             (0, load.scores(self.client, boards.sums, "PERIOD", "all")))
        for writer in writers:
            self.assertEqual(load.send_again(self.connection(writer.boards), writer.requests), 0)
        self.assert_whole()

    def test_a_reader_that_waits_is_sent_away_when_its_primary_is_replaced(self):
        boards = self.boards_on(self.cluster.primaries()[0])
        old = self.owner(boards)
        waiter = old.client()
        waiter.send("LB.CHANGES", boards.sums, "$", "BLOCK", 120_000)
        self.await_blocked(old)
        self.cluster.fail_over_by_hand(old)
        self.assertRegex(str(waiter.read_or_failure()), "^(UNBLOCKED|MOVED)")
        self.assert_whole()


class MovingSlots(ClusterTest):
    def check_moves_under_load(self, move):
        """Moves two slots round under load by move(slot, target, writer). Returns how often writers were sent away."""
        primaries = self.cluster.primaries()
        all_boards = [self.boards_on(node) for node in primaries[:2]]
        writers = [self.writer(boards, f"w{i}") for i, boards in enumerate(all_boards)]
        writers += [self.writer(boards, f"p{i}", load.PairWriter) for i, boards in enumerate(all_boards)]
        followers = [self.follower(boards.sums) for boards in all_boards]
        rounds = support.count(4, 40)
        for _ in range(rounds):
            for boards, writer in zip(all_boards, writers):
                slot = topologies.slot_of(boards.sums)
                known = list(writer.requests[:len(writer.acknowledged)])[-50:]
                target = primaries[(primaries.index(self.owner(boards)) + 1) % len(primaries)]
                move(slot, target, writer)
                self.assertEqual(load.send_again(self.connection(boards), known), 0)
        for writer in writers:
            writer.await_progress(10)
        for writer in writers:
            writer.stop()
        self.assert_exact(writers)
        for boards, follower in zip(all_boards, followers):
            follower.stop()
            self.assertEqual((follower.gaps, follower.scores()),
                             (0, load.scores(self.client, boards.sums, "PERIOD", "all")))
        for writer in writers:
            self.assertEqual(load.send_again(self.connection(writer.boards), writer.requests), 0)
        redirections = sum((writer.client.redirections for writer in writers[:2]),
                           start=type(writers[0].client.redirections)())
        self.assertGreater(redirections["MOVED"], 0)
        self.assert_whole()
        print(f"cluster: {2 * rounds} moves, {sum(len(writer.requests) for writer in writers)} requests, "
              f"{redirections['ASK']} ASK, {redirections['MOVED']} MOVED", flush=True)
        return redirections

    def test_slots_move_back_and_forth_under_load(self):
        def move(slot, target, writer):
            # One of the two boards is on each side meanwhile.
            self.cluster.move_slot(slot, target, lambda: writer.await_progress(10))

        self.assertGreater(self.check_moves_under_load(move)["ASK"], 0)

    def test_slots_move_atomically_under_load(self):
        if not self.cluster.moves_atomically():
            self.skipTest("this server moves slots key by key")

        def move(slot, target, writer):
            writer.await_progress(10)
            self.cluster.move_slot_atomically(slot, target)

        self.assertEqual(self.check_moves_under_load(move)["ASK"], 0)

    def test_redis_cli_moves_slots_under_load(self):
        # redis-cli takes the first slots of a node: here 60 of the owner of slot 0, and back.
        source = self.cluster.owner(0)
        target = next(node for node in self.cluster.primaries() if node is not source)
        all_boards = [load.Boards(tag) for tag in tags_on(self.cluster, source, 3, range(40))]
        for boards in all_boards:
            boards.create(self.client)
        writers = [self.writer(boards, f"w{i}") for i, boards in enumerate(all_boards)]
        for giver, taker in ((source, target), (target, source)):
            for writer in writers:
                writer.await_progress(50)
            self.cluster.await_health()
            moved = subprocess.run(
                ["redis-cli", "--cluster", "reshard", f"{support.HOST}:{source.port}",
                 "--cluster-from", self.cluster.ids[giver], "--cluster-to", self.cluster.ids[taker],
                 "--cluster-slots", "60", "--cluster-yes"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                timeout=topologies.LONG_LIMIT_S)
            self.assertEqual(moved.returncode, 0, moved.stdout)
            for boards in all_boards:
                self.assertIs(self.owner(boards), taker, moved.stdout)
        for writer in writers:
            writer.stop()
        self.assert_exact(writers)
        for writer in writers:
            self.assertEqual(load.send_again(self.connection(writer.boards), writer.requests), 0)
        self.assert_whole()

    def test_redis_py_finds_boards_while_slots_move(self):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "redis_py_cluster.py")
        seconds = support.count(2, 20)
        # Debian's python, because python3-redis is.
        client = subprocess.Popen(["/usr/bin/python3", "-B", program, str(self.cluster.nodes[0].port),
                                   str(seconds)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        primaries = self.cluster.primaries()
        moves = 0
        while client.poll() is None:
            for number in range(20):
                slot = topologies.slot_of(f"py{number}")
                source = self.cluster.owner(slot)
                self.cluster.move_slot(slot, primaries[(primaries.index(source) + 1) % len(primaries)])
                moves += 1
        output = client.communicate()[0]
        self.assertEqual(client.returncode, 0, output)
        self.assertEqual(len(output.splitlines()), 20, output)
        for line in output.splitlines():
            board, total = line.split()
            self.assertEqual(load.scores(self.client, board), {"ann": int(total)})
        self.assertGreater(moves, 0)
        self.assert_whole()

    def test_boards_of_every_kind_are_the_same_after_moves_and_failovers(self):
        random = support.seeded_random("cluster")
        # The clock stands still so that no period ends between two digests.
        now = int(time.time() * 1_000_000)
        self.cluster.configure("laurel.clock", now)
        self.addCleanup(self.cluster.configure, "laurel.clock", 0)
        primaries = self.cluster.primaries()
        tag = tags_on(self.cluster, primaries[0], 1)[0]
        keys = [f"{{{tag}}}{key}" for key in replication_test.KEYS]
        writes = replication_test.Load(random, keys)
        writes.create(self.client)
        slot = topologies.slot_of(keys[0])
        for number in range(support.count(6, 60)):
            for _ in range(100):
                writes.write(self.client)
            owner = self.cluster.owner(slot)
            self.assert_same_digests(owner, self.cluster.replicas_of(owner), keys)
            before = topologies.ask(owner, "DEBUG", "DIGEST-VALUE", *keys)
            if number % 3 == 2:
                owner = self.cluster.fail_over_by_hand(owner)
            else:
                owner = random.choice([node for node in self.cluster.primaries() if node is not owner])
                atomically = number % 3 == 1 and self.cluster.moves_atomically()
                (self.cluster.move_slot_atomically if atomically else self.cluster.move_slot)(slot, owner)
            self.assertEqual(topologies.ask(owner, "DEBUG", "DIGEST-VALUE", *keys), before)
        self.assert_whole()

    def test_a_moved_board_keeps_its_expiry_until_it_is_altered(self):
        source, target = self.cluster.primaries()[:2]
        board = load.Boards(tags_on(self.cluster, source, 1)[0]).sums
        self.client.ask("LB.CREATE", board, "EXPIRE", "1h")
        self.client.ask("LB.SUBMIT", board, "ann", 1)
        self.cluster.move_slot(topologies.slot_of(board), target)
        for words in (("LB.GET", board, "ann"), ("PEXPIRETIME", board)):
            self.assertTrue(self.client.ask(*words))
        self.assertLessEqual(self.client.ask("PTTL", board), 3600_000)
        self.assert_whole()
        replica = self.cluster.replicas_of(target)[0].client()
        replica.ask("READONLY")
        self.assertEqual(replica.ask("PEXPIRETIME", board), self.client.ask("PEXPIRETIME", board))
        self.client.ask("LB.ALTER", board, "EXPIRE", 0)
        self.assertEqual(self.client.ask("PTTL", board), -1)

    def test_a_reader_that_waits_is_sent_to_the_new_node(self):
        boards = self.boards_on(self.cluster.primaries()[0])
        old, target = self.cluster.primaries()[:2]
        waiter = old.client()
        waiter.send("LB.CHANGES", boards.sums, "$", "BLOCK", 120_000)
        self.await_blocked(old)
        slot = topologies.slot_of(boards.sums)
        self.cluster.move_slot(slot, target)
        self.assertEqual(str(waiter.read_or_failure()), f"MOVED {slot} {support.HOST}:{target.port}")
        self.assert_whole()


class Loads(ClusterTest):
    def test_a_load_goes_on_after_its_slot_has_moved_and_its_primary_was_replaced(self):
        source, target = self.cluster.primaries()[:2]
        board = load.Boards(tags_on(self.cluster, source, 1)[0]).sums
        key = board + ":load"
        self.client.ask("LB.LOAD", board, "BEGIN", key)
        self.client.ask("LB.LOAD", board, "CHUNK", key, 1, support.chunk(("ann", 3, 1_700_000_000)))
        self.cluster.move_slot(topologies.slot_of(board), target)
        self.client.ask("LB.LOAD", board, "CHUNK", key, 2, support.chunk(("bob", 2, 1_700_000_000)))
        self.cluster.fail_over_by_hand(target)
        self.client.ask("LB.LOAD", board, "CHUNK", key, 3, support.chunk(("cid", 1, 1_700_000_000)))
        self.assertEqual(support.flat(self.client.ask("LB.LOAD", board, "COMMIT", key))["count"], 3)
        self.assertEqual(load.scores(self.client, board), {"ann": 3, "bob": 2, "cid": 1})
        node = self.cluster.primaries()[0]
        self.assertIn("CROSSSLOT", node.client().error("LB.LOAD", "{a}x", "BEGIN", "{b}x"))
        self.assert_whole()


class Commands(ClusterTest):
    def test_a_command_on_another_node_is_redirected(self):
        node, other = self.cluster.primaries()[:2]
        boards = self.boards_on(node)
        slot = topologies.slot_of(boards.sums)
        moved = f"MOVED {slot} {support.HOST}:{node.port}"
        for words in (("LB.CREATE", boards.sums), ("LB.INCR", boards.sums, "ann", 1),
                      ("LB.TOP", boards.sums, 10), ("LB.CHANGES", boards.sums, "0", "BLOCK", 100),
                      ("LB.DROP", boards.sums), ("LB.APPLY", boards.sums, "")):
            self.assertEqual(other.client().error(*words), moved)
        self.assert_whole()

    def test_a_replica_answers_reads_after_readonly(self):
        node = self.cluster.primaries()[0]
        boards = self.boards_on(node)
        client = node.client()
        client.ask("LB.INCR", boards.sums, "ann", 5)
        self.assertEqual(client.ask("WAIT", 1, 30_000), 1)
        reader = self.cluster.replicas_of(node)[0].client()
        self.assertTrue(reader.error("LB.TOP", boards.sums, 10).startswith("MOVED"))
        reader.ask("READONLY")
        for words in (("LB.TOP", boards.sums, 10), ("LB.TOP", boards.sums, 10, "PERIOD", "day"),
                      ("LB.CHANGES", boards.sums, "0")):
            self.assertEqual(reader.raw(*words), client.raw(*words))
        self.assertTrue(reader.error("LB.INCR", boards.sums, "ann", 5).startswith("MOVED"))
        reader.send("LB.CHANGES", boards.sums, "$", "PERIOD", "all", "BLOCK", 30_000)
        replica = self.cluster.replicas_of(node)[0]
        self.await_blocked(replica)
        client.ask("LB.INCR", boards.sums, "bob", 5)
        events = [support.flat(event) for event in support.flat(reader.read())["events"]]
        self.assertEqual([event["member"] for event in events], ["bob"])

    def test_transactions_and_scripts_on_one_slot(self):
        node, other = self.cluster.primaries()[:2]
        boards = self.boards_on(node)
        first, second = tags_on(self.cluster, node, 2)
        client = node.client()
        client.ask("MULTI")
        client.ask("LB.INCR", boards.sums, "ann", 5, "ID", "one")
        client.ask("LB.SUBMIT", boards.bests, "ann", 7, "ID", "one")
        client.ask("LB.TOP", boards.sums, 1, "PERIOD", "day")
        replies = client.ask("EXEC")
        self.assertEqual([support.flat(reply)["status"] for reply in replies[:2]], ["accepted"] * 2)
        self.assertEqual(support.flat(replies[2][0])["score"], ["5"])
        client.ask("MULTI")
        for tag in (first, second):
            client.ask("LB.CREATE", f"{{{tag}}}x")
        self.assertTrue(client.error("EXEC").startswith("CROSSSLOT"))
        client.ask("MULTI")
        away = load.Boards(tags_on(self.cluster, other, 1)[0]).sums
        self.assertTrue(client.error("LB.CREATE", away).startswith("MOVED"))
        self.assertTrue(client.error("EXEC").startswith("EXECABORT"))
        script = "return redis.call('LB.INCR', KEYS[1], ARGV[1], 2, 'ID', ARGV[2])"
        for _ in range(2):
            client.ask("EVAL", script, 1, boards.sums, "ann", "two")
        self.assertEqual(load.scores(client, boards.sums), {"ann": 7})
        script = "return redis.call('LB.INCR', ARGV[1], 'ann', 2)"
        self.assertIn("non local key", client.error("EVAL", script, 1, boards.sums, away))
        self.assert_whole()

    def test_period_reads_the_board_where_its_instance_name_is_another_slot(self):
        node = self.cluster.primaries()[0]
        name = next(f"arena{i}" for i in range(1000)
                    if self.cluster.owner(topologies.slot_of(f"arena{i}")) is node and
                    self.cluster.owner(topologies.slot_of(f"arena{i}@day")) is not node)
        client = node.client()
        client.ask("LB.CREATE", name, "PERIODS", 2, "day", "all", "FEED", 10)
        client.ask("LB.SUBMIT", name, "ann", 5)
        for period in ("day", "all"):
            self.assertEqual(load.scores(client, name, "PERIOD", period), {"ann": 5})
        self.assertTrue(client.error("LB.TOP", f"{name}@day", 10).startswith("MOVED"))
        self.assertTrue(self.client_error("LB.TOP", f"{name}@day", 10).startswith("NOBOARD"))

    def client_error(self, *words):
        with self.assertRaises(support.Failure) as raised:
            self.client.ask(*words)
        return str(raised.exception)

    def test_redis_cli_follows_redirections(self):
        node = self.cluster.primaries()[0]
        for number in range(6):
            for words in (("LB.CREATE", f"cli{number}", "POLICY", "sum"),
                          ("LB.INCR", f"cli{number}", "ann", "3")):
                subprocess.run(["redis-cli", "-c", "-e", "-p", str(node.port), *words], check=True,
                               stdout=subprocess.DEVNULL, timeout=topologies.LONG_LIMIT_S)
            self.assertEqual(load.scores(self.client, f"cli{number}"), {"ann": 3})
        self.assert_whole()


if __name__ == "__main__":
    support.main()
