#!/usr/bin/env python3
"""Imports into and from a cluster, and exports: the client goes where the servers send it."""

import unittest

import transfer_support
from transfer_support import TransferTest, eventually, url

import topologies  # of tests/module, whose folder transfer_support adds to the path

DAY = 1_700_000_000
ROWS = 15_000


def setUpModule():
    ClusterImport.cluster = topologies.Cluster()
    unittest.addModuleCleanup(ClusterImport.cluster.remove)


class ClusterImport(TransferTest):
    cluster = None

    def setUp(self):
        super().setUp()
        for node in self.cluster.primaries():
            topologies.ask(node, "FLUSHALL")
        self.client = self.cluster.client()
        self.addCleanup(self.client.close)
        self.write("a.csv", "member,score,at\n" + "".join(f"m{i},{i},{DAY + i}\n" for i in range(ROWS)))

    def board_on(self, node):
        return next(name for name in (f"lb{i}" for i in range(100_000))
                    if self.cluster.owner(topologies.slot_of(name)) is node)

    def to_cluster(self, board, *options):
        return self.run_import("a.csv", "--board", board, "--to", url(self.cluster.nodes[0]), "--verify", *options)

    def exported_rows(self, node, board, count):
        done = self.run_export("--board", board, "--from", url(node), "--format", "csv")
        self.assertEqual(len(done.out.splitlines()), 1 + count)

    def test_boards_of_all_nodes_are_written_through_one(self):
        for node in self.cluster.primaries():
            board = self.board_on(node)
            for options in ((), (), ("--replace",)):  # new, there already, replaced
                self.to_cluster(board, *options)
                self.assertEqual(self.client.ask("LB.SIZE", board), ROWS)
            self.exported_rows(self.cluster.nodes[0], board, ROWS)
            self.assertEqual(topologies.ask(node, "KEYS", "*"), [board])
        self.client.ask("ZADD", "z", 7, "ann")
        for node in self.cluster.primaries():
            self.run_import("--from", url(node), "--key", "z", "--board", "z", "--data", f"data{node.port}", "--verify")

    def test_board_whose_slot_is_moving(self):
        """Entries go where the board is. A load has two keys, so the servers let a new board wait for the end."""
        source, target = self.cluster.primaries()[:2]
        board = self.board_on(source)
        new = "{" + board + "}new"
        self.to_cluster(board)
        slot = topologies.slot_of(board)
        self.cluster.set_slot(target, slot, "IMPORTING", self.cluster.ids[source])
        self.cluster.set_slot(source, slot, "MIGRATING", self.cluster.ids[target])
        topologies.ask(source, "MIGRATE", "127.0.0.1", target.port, board, 0, 30_000)
        self.write("b.csv", f"member,score,at\nann,1,{DAY}\nbob,{ROWS},{DAY}\n")
        self.run_import("b.csv", "--board", board, "--to", url(source))
        self.exported_rows(source, board, ROWS + 2)
        process = self.start("import", "a.csv", "--board", new, "--to", url(source), "--verify")
        self.assertTrue(eventually(lambda: "TRYAGAIN" in str(topologies.ask(target, "INFO", "errorstats"))))
        for node in (target, source, *self.cluster.primaries()):
            self.cluster.set_slot(node, slot, "NODE", self.cluster.ids[target])
        out, err = process.communicate(timeout=transfer_support.RUN_LIMIT_S)
        self.assertEqual(process.returncode, 0, out + err)
        self.assertEqual(topologies.ask(target, "LB.SIZE", board), ROWS + 2)
        self.assertEqual(topologies.ask(target, "LB.SIZE", new), ROWS)


if __name__ == "__main__":
    transfer_support.main()
