#!/usr/bin/env python3
"""`--resume` after something has changed between the two runs: the server, or the options."""

import transfer_support
from cutting_proxy import CuttingProxy
from transfer_support import TransferTest, address, eventually

DAY = 1_700_000_000


def table(rows):
    return "member,score,at\n" + "".join(f"m{i},{i % 100},{DAY + i}\n" for i in range(rows))


class Resume(TransferTest):
    """`--resume` skips entries that are written. What it skips must be there, and must be what it would write."""

    ROWS = 20_000

    def setUp(self):
        super().setUp()
        self.server = self.laurel()
        self.client = self.server.client()
        self.proxy = CuttingProxy(self.server.port, delay_s=0.05)
        self.addCleanup(self.proxy.close)
        self.words = ["a.csv", "--board", "lb", "--to", f"127.0.0.1:{self.proxy.port}", "--resume"]

    def interrupt(self, *options):
        """Kills an import after its first acknowledged entries."""
        state = self.folder / "laurel-import-lb.state"
        process = self.start("import", *self.words, *options)
        self.assertTrue(eventually(lambda: process.poll() is not None or
                                   (state.exists() and not state.read_text().endswith("done 0\n"))))
        process.kill()
        process.communicate()
        self.assertTrue(state.exists())
        self.proxy.delay_s = 0

    def assert_whole_or_refused(self, *options):
        """The second run writes everything, or refuses in one line."""
        done = self.run_import(*self.words, *options, code=None)
        if done.code == 0:
            fresh = self.laurel()
            self.run_import("a.csv", "--board", "lb", "--to", address(fresh), *options)
            self.assertTrue(self.entries(self.server, "lb") == self.entries(fresh, "lb"), done)
        else:
            self.assertEqual((done.code, done.err.count("\n")), (1, 1), done)

    def test_same_options_complete_the_board(self):
        self.write("a.csv", table(self.ROWS))
        self.interrupt()
        self.assert_whole_or_refused()
        self.assertEqual(self.client.ask("LB.SIZE", "lb"), self.ROWS)

    def test_server_that_has_lost_the_board(self):
        """A server in memory that was restarted, or one that was restored from an older backup, has no such board."""
        self.write("a.csv", table(self.ROWS))
        self.interrupt()
        self.client.ask("LB.DROP", "lb")
        self.assert_whole_or_refused()

    def test_another_time_zone(self):
        rows = "".join(f"m{i},{i % 100},2023-11-14 22:{i // 60 % 60:02d}:{i % 60:02d}\n" for i in range(self.ROWS))
        self.write("a.csv", "member,score,at\n" + rows)
        self.interrupt("--tz", "UTC")
        self.assert_whole_or_refused("--tz", "Asia/Shanghai")

    def test_other_columns(self):
        """The entries have another order by the other column, so that wrong ones would be skipped."""
        rows = "".join(f"m{i},{i % 100},{1000 + i},{DAY + i}\n" for i in range(self.ROWS))
        self.write("a.csv", "member,score,points,at\n" + rows)
        self.interrupt()
        self.assert_whole_or_refused("--columns", "member=member,score=points,at=at")


if __name__ == "__main__":
    transfer_support.main()
