#!/usr/bin/env python3
"""Random small tables against a naive model: members with several rows, ties, equal times, caps, several fields.

The same table goes into a data folder, into a server and into a Redis with the module. All three must hold what the
model holds, in its order.
"""

import shutil

import transfer_support
from support import count, seeded_random
from transfer_support import TransferTest, address, url

MOMENT = 1_700_000_000_000_000


class Table:
    """Random rows (member, score, time in µs) and the words of a random board."""

    def __init__(self, random):
        self.policy = random.choice(["set", "best", "sum"])
        self.tie = random.choice(["first", "last", "member"])
        self.directions = [random.choice(["desc", "asc"]) for _ in range(random.choice([1, 1, 2]))]
        self.cap = random.choice([None, None, 5]) if self.policy != "sum" else None
        self.has_times = random.random() < 0.75
        members = random.randint(2, 30)
        moments = random.choice([1, 3, 1000])
        self.rows = [(f"m{random.randrange(members)}", tuple(random.randint(-2, 2) for _ in self.directions),
                      MOMENT + random.randrange(moments) * random.choice([1, 1_000_000]))
                     for _ in range(random.randint(2, 40))]

    def spec(self):
        fields = " ".join(f"f{i}:int:{direction}" for i, direction in enumerate(self.directions))
        cap = f" CAP {self.cap}" if self.cap else ""
        return f"FIELDS {len(self.directions)} {fields} POLICY {self.policy} TIE {self.tie}{cap}"

    def text(self):
        lines = [",".join(["member", *[f"f{i}" for i in range(len(self.directions))], *["at"] * self.has_times])]
        for member, score, at in self.rows:
            time = [f"{at // 1_000_000}.{at % 1_000_000:06d}"] if self.has_times else []
            lines.append(",".join([member, *map(str, score), *time]))
        return "\n".join(lines) + "\n"

    def rank_key(self, score):
        return tuple(-value if direction == "desc" else value for value, direction in zip(score, self.directions))

    def folded(self):
        """{member: (score, time, row)}: the latest row under set, the best under best, the sum under sum."""
        found = {}
        for row, (member, score, at) in enumerate(self.rows):
            new = (score, at if self.has_times else row, row)
            old = found.get(member, new)
            later = new[1] >= old[1]
            if self.policy == "sum" and member in found:
                total = tuple(a + b for a, b in zip(score, old[0]))
                found[member] = (total, *(new[1:] if later else old[1:]))
            elif self.policy == "best":
                better = (self.rank_key(score), new[1]) < (self.rank_key(old[0]), old[1])
                found[member] = new if better else old
            else:
                found[member] = new if later else old
        return found

    def wanted(self):
        """[(member, [score…])…], best first. Rows of equal score and time keep the order of the table, and so do rows
        without times."""
        found = self.folded()

        def order(member):
            score, at, row = found[member]
            if self.tie == "member":
                return self.rank_key(score), member.encode()
            return self.rank_key(score), -at if self.tie == "last" and self.has_times else at, row

        return [(member, [str(value) for value in found[member][0]]) for member in sorted(found, key=order)[:self.cap]]


class RandomTables(TransferTest):
    def test_folder_server_and_module_hold_what_the_model_holds(self):
        random = seeded_random(self.id())
        server, redis = self.laurel(), self.redis()
        for episode in range(count(40, 1000)):
            table = Table(random)
            self.write("a.csv", table.text())
            words = ["a.csv", "--board", f"lb{episode}", "--spec", table.spec(), "--force", "--verify"]
            with self.subTest(episode=episode, spec=table.spec()):
                self.run_import(*words, "--data", "data")
                self.run_import(*words, "--to", address(server))
                self.run_import(*words, "--to", url(redis))
                wanted = table.wanted()
                found = [self.exported("data", f"lb{episode}"), self.entries(server, f"lb{episode}"),
                         self.entries(redis, f"lb{episode}")]
                for entries in found:
                    self.assertEqual([(member, score) for member, score, _, _ in entries], wanted)
            shutil.rmtree(self.folder / "data")


if __name__ == "__main__":
    transfer_support.main()
