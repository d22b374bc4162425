#!/usr/bin/env python3
"""What the server knows of the commands: COMMAND, keys and their flags, and what ACL makes of it."""

import support

# A request of every command, and what it needs of its key: R to show what is stored, W to change it.
COMMANDS = {
    "LB.CREATE": ("lb", "W"), "LB.ALTER": ("lb", "W"), "LB.DESCRIBE": ("lb", "R"), "LB.DROP": ("lb", "W"),
    "LB.SUBMIT": ("lb ann 1", "RW"), "LB.SET": ("lb ann 1", "RW"), "LB.INCR": ("lb ann 1", "RW"),
    "LB.MSUBMIT": ("lb 1 ann 1", "RW"), "LB.META": ("lb ann x", "W"), "LB.GET": ("lb ann", "R"),
    "LB.TOP": ("lb 3", "R"), "LB.RANGE": ("lb 1 3", "R"), "LB.AROUND": ("lb ann 1", "R"),
    "LB.AMONG": ("lb 1 ann", "R"), "LB.RANKOF": ("lb 5", "R"), "LB.COUNT": ("lb 0 5", "R"),
    "LB.BETWEEN": ("lb 0 5", "R"), "LB.SIZE": ("lb", "R"), "LB.PERCENTILE": ("lb ann", "R"),
    "LB.QUANTILE": ("lb 50", "R"), "LB.HISTOGRAM": ("lb 3", "R"), "LB.REMOVE": ("lb ann bob", "W"),
    "LB.POP": ("lb 1", "RW"), "LB.TRIM": ("lb 5", "W"), "LB.CLEAR": ("lb", "W"), "LB.HIDE": ("lb ann", "W"),
    "LB.SHOW": ("lb ann", "W"), "LB.PERIODS": ("lb", "R"), "LB.CHANGES": ("lb 0", "R"),
    "LB.APPLY": ("lb x", "W"), "LB.LOAD": ("lb ABORT LOAD", "W"),  # LOAD: a second key
    "LB.RESTORE": ("lb x", "W"), "LB.WALK": ("lb 0", "R")}
READS = {name for name, (_, needs) in COMMANDS.items() if needs == "R"}
GROW = {"LB.CREATE", "LB.SUBMIT", "LB.SET", "LB.INCR", "LB.MSUBMIT", "LB.META", "LB.RESTORE"}
KEY_FLAGS = {"LB.CREATE": ["RW", "insert"], "LB.DROP": ["RM", "delete"], "LB.REMOVE": ["RW", "delete"],
             "LB.TRIM": ["RW", "delete"], "LB.CLEAR": ["RW", "delete"], "LB.POP": ["RW", "access", "delete"]}


def words_of(name, key="lb"):
    return [name, key, *[key + ":load" if word == "LOAD" else word for word in COMMANDS[name][0].split()[1:]]]


def key_flags(name):
    needs = COMMANDS[name][1]
    return KEY_FLAGS.get(name) or {"R": ["RO", "access"], "W": ["RW", "update"],
                                   "RW": ["RW", "access", "update"]}[needs]


class Commands(support.ModuleTest):
    def test_every_command_is_listed(self):
        client = self.redis().client()
        names = sorted(name.upper() for name in client.ask("COMMAND", "LIST", "FILTERBY", "MODULE", "laurel"))
        self.assertEqual(names, sorted(COMMANDS))
        self.assertEqual(len(client.ask("COMMAND")), client.ask("COMMAND", "COUNT"))
        without = self.redis(loads_module=False).client().ask("COMMAND", "COUNT")
        self.assertEqual(client.ask("COMMAND", "COUNT"), without + len(COMMANDS))

    def test_every_command_has_its_keys_and_its_flags(self):
        client = self.redis().client()
        for name in COMMANDS:
            with self.subTest(name):
                shown = client.ask("COMMAND", "INFO", name)[0]
                keys = ["the:key", "the:key:load"] if name == "LB.LOAD" else ["the:key"]
                self.assertEqual((shown[0], shown[3:6]), (name.lower(), [1, 2 * len(keys) - 1, len(keys)]))
                flags = set(shown[2])
                self.assertEqual("readonly" in flags, name in READS)
                self.assertEqual("write" in flags, name not in READS)
                self.assertEqual("denyoom" in flags, name in GROW)
                self.assertEqual(flags >= {"noscript", "blocking"}, name == "LB.CHANGES")
                self.assertEqual(len(shown[8]), 1)
                self.assertEqual(support.flat(shown[8][0])["flags"], key_flags(name))
                words = words_of(name, "the:key")
                self.assertEqual(client.ask("COMMAND", "GETKEYS", *words), keys)
                self.assertEqual(client.ask("COMMAND", "GETKEYSANDFLAGS", *words),
                                 [[key, key_flags(name)] for key in keys])

    def test_arity_is_checked_before_the_command(self):
        client = self.redis().client()
        for name in COMMANDS:
            arity = client.ask("COMMAND", "INFO", name)[0][1]
            self.assertLessEqual(abs(arity), len(words_of(name)), name)
            short = words_of(name)[:abs(arity) - 1]
            self.assertEqual(client.error(*short),
                             f"ERR wrong number of arguments for '{name.lower()}' command")
            client.ask("MULTI")
            client.error(*short)
            self.assertTrue(client.error("EXEC").startswith("EXECABORT"), name)

    def test_docs_are_those_of_the_command_table(self):
        client = self.redis().client()
        for name in COMMANDS:
            docs = support.flat(client.ask("COMMAND", "DOCS", name)[1])
            self.assertEqual(docs["module"], "laurel", name)
            self.assertTrue(docs["summary"].endswith("."), name)
            self.assertTrue(docs["complexity"].startswith("O("), name)
        docs = support.flat(client.ask("COMMAND", "DOCS", "LB.TOP")[1])
        self.assertEqual(docs["summary"], "Lists the n best entries.")
        for name, text in (("LB.CREATE", "COPY of a board is O(n) and blocks the server"), ("LB.HIDE", "max-work"),
                           ("LB.SHOW", "max-work"), ("LB.REMOVE", "max-work")):
            self.assertIn(text, support.flat(client.ask("COMMAND", "DOCS", name)[1])["complexity"])

    def test_clients_may_not_apply_effects(self):
        client = self.redis().client()
        refused = "LB.APPLY is for replication"
        self.assertIn(refused, client.error("LB.APPLY", "lb", b""))
        self.assertIn(refused, client.error("EVAL", "return redis.call('LB.APPLY', KEYS[1], '')", 1, "lb"))
        client.ask("MULTI")
        client.ask("LB.APPLY", "lb", b"")
        self.assertIn(refused, str(client.ask("EXEC")[0]))

    def arguments_of(self, client, name):
        """The arguments that COMMAND DOCS shows, without texts that only one server has."""
        def plain(argument):
            shown = support.flat(argument)
            kept = {key: shown[key] for key in ("name", "type", "token", "key_spec_index") if key in shown}
            kept["flags"] = sorted(shown.get("flags", []))
            kept["arguments"] = [plain(one) for one in shown.get("arguments", [])]
            return kept
        docs = support.flat(client.ask("COMMAND", "DOCS", name)[1])
        return [plain(one) for one in docs["arguments"]]

    def test_command_docs_show_the_arguments_that_laurel_serve_shows(self):
        client = self.redis().client()
        judge = self.laurel().client()
        names = client.ask("COMMAND", "LIST", "FILTERBY", "MODULE", "laurel")
        self.assertEqual(len(names), 33)
        feed = {"name": "n", "type": "integer", "token": "FEED", "flags": ["optional"], "arguments": []}
        for name in set(names) - {"lb.apply"}:
            # Only here a board keeps a feed of its own, and only there a sorted set is adopted.
            expected = [one for one in self.arguments_of(judge, name) if one.get("token") != "ADOPT"]
            expected += [feed] if name in ("lb.create", "lb.alter") else []
            self.assertEqual(self.arguments_of(client, name), expected, name)
        self.assertNotIn("ADOPT", str(client.ask("COMMAND", "DOCS", "lb.create")))


class Users(support.ModuleTest):
    def setUp(self):
        super().setUp()
        self.server = self.redis()
        self.client = self.server.client()

    def user(self, name, *rules):
        self.client.ask("ACL", "SETUSER", name, "on", ">pw", *rules)
        made = self.server.client()
        made.ask("AUTH", name, "pw")
        return made

    def may(self, user, words):
        return self.client.ask("ACL", "DRYRUN", user, *words) == "OK"

    def test_key_patterns_give_and_take_reading_and_writing(self):
        for user, pattern, given in (("all", "~mine:*", "RW"), ("reader", "%R~mine:*", "R"),
                                     ("writer", "%W~mine:*", "W"), ("both", "%RW~mine:*", "RW")):
            self.client.ask("ACL", "SETUSER", user, "+@all", pattern)
            for name, (_, needs) in COMMANDS.items():
                self.assertEqual(self.may(user, words_of(name, "mine:1")), set(needs) <= set(given),
                                 (user, name))
                self.assertFalse(self.may(user, words_of(name, "yours:1")), (user, name))

    def test_only_named_commands_are_allowed(self):
        self.client.ask("ACL", "SETUSER", "eve", "~*", "+lb.submit", "+lb.get")
        for name in COMMANDS:
            self.assertEqual(self.may("eve", words_of(name)), name in ("LB.SUBMIT", "LB.GET"), name)

    def test_selectors_add_patterns_and_commands(self):
        eve = self.user("eve", "%R~arena:*", "+lb.top", "(~mine:* +lb.submit +lb.create)")
        for key in ("mine:1", "arena:1"):
            self.client.ask("LB.CREATE", key)
        self.assertEqual(support.flat(eve.ask("LB.SUBMIT", "mine:1", "ann", 1))["rank"], 1)
        self.assertEqual(eve.ask("LB.TOP", "arena:1", 5), [])
        for words in (("LB.SUBMIT", "arena:1", "ann", 1), ("LB.TOP", "mine:1", 5),
                      ("LB.DROP", "mine:1")):
            self.assertTrue(eve.error(*words).startswith("NOPERM"), words)

    def test_a_refused_command_changes_nothing_and_is_logged(self):
        ray = self.user("ray", "%R~*", "+@all")
        self.client.ask("LB.CREATE", "lb")
        before = self.client.ask("DEBUG", "DIGEST-VALUE", "lb")
        self.assertTrue(ray.error("LB.SUBMIT", "lb", "ann", 1).startswith("NOPERM"))
        self.assertEqual(self.client.ask("DEBUG", "DIGEST-VALUE", "lb"), before)
        entry = support.flat(self.client.ask("ACL", "LOG")[0])
        self.assertEqual((entry["reason"], entry["object"], entry["username"]), ("key", "lb", "ray"))

    def test_scripts_and_transactions_have_the_users_rights(self):
        eve = self.user("eve", "~mine:*", "+lb.submit", "+lb.get", "+eval", "+multi", "+exec")
        for key in ("mine:1", "yours:1"):
            self.client.ask("LB.CREATE", key)
        call = "return redis.call(unpack(ARGV))"
        self.assertEqual(support.flat(eve.ask("EVAL", call, 0, "LB.SUBMIT", "mine:1", "ann", 1))["rank"], 1)
        for words in (("LB.SUBMIT", "yours:1", "ann", 1), ("LB.DROP", "mine:1")):
            self.assertIn("script", eve.error("EVAL", call, 0, *words))  # each server words it otherwise
            eve.ask("MULTI")
            self.assertTrue(eve.error(*words).startswith("NOPERM"))
            self.assertTrue(eve.error("EXEC").startswith("EXECABORT"))
        self.assertEqual([self.client.ask("LB.SIZE", key) for key in ("mine:1", "yours:1")], [1, 0])

    def test_categories_give_and_take_commands(self):
        if not self.client.ask("COMMAND", "INFO", "LB.GET")[0][6]:
            self.skipTest("this server has no ACL categories for commands of modules")
        for user, rules, allowed in (("reader", ("+@read",), READS), ("all", ("+@all",), set(COMMANDS)),
                                     ("no-writes", ("+@all", "-@write"), READS),
                                     ("no-danger", ("+@all", "-@dangerous"), set(COMMANDS) - {"LB.APPLY"}),
                                     ("no-blocking", ("+@all", "-@blocking"), set(COMMANDS) - {"LB.CHANGES"})):
            self.client.ask("ACL", "SETUSER", user, "~*", *rules)
            self.assertEqual({name for name in COMMANDS if self.may(user, words_of(name))}, allowed, user)
        if "leaderboard" not in self.client.ask("ACL", "CAT"):
            self.skipTest("this server's modules cannot add an ACL category")
        self.client.ask("ACL", "SETUSER", "lb", "~*", "+@leaderboard")
        for name in COMMANDS:
            self.assertTrue(self.may("lb", words_of(name)), name)
        self.assertFalse(self.may("lb", ("SET", "a", "b")))


if __name__ == "__main__":
    support.main()
