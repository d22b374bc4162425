#!/usr/bin/env python3
"""The file laurel.so: what it exports and needs, and that it loads with settings that are right only."""

import os
import re
import subprocess
import unittest

import support


class File(support.ModuleTest):
    def lines(self, *command):
        return subprocess.run([*command, support.module], check=True, capture_output=True,
                              text=True).stdout.splitlines()

    def test_only_the_entry_point_is_exported(self):
        names = [line.split()[-1] for line in self.lines("nm", "-D", "--defined-only")]
        self.assertEqual(names, ["RedisModule_OnLoad"])

    @unittest.skipIf(support.sanitizer_environment(), "a sanitizer has libraries of its own")
    def test_it_needs_the_c_library_only(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*?)\]", "\n".join(self.lines("readelf", "-d")))
        self.assertLessEqual(set(needed), {"libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"})

    def test_streams_of_the_cpp_library_are_not_linked(self):
        # Their start-up code would allocate, and does not survive RTLD_DEEPBIND.
        names = "\n".join(self.lines("nm", "-C"))
        self.assertNotIn("std::ios_base::Init::Init()", names)


class Loading(support.ModuleTest):
    def refusal(self, *arguments):
        """What the server prints that does not start with these arguments of the module."""
        with self.assertRaises(AssertionError) as caught:
            self.redis(*arguments)
        return str(caught.exception)

    def test_wrong_arguments_are_refused_by_name(self):
        self.assertIn("unknown argument 'max-repyl'", self.refusal("max-repyl", 1))
        self.assertIn("max-reply is a number of bytes, got 'x'", self.refusal("max-reply", "x"))
        self.assertIn("max-reply is a number of bytes, got ''", self.refusal("max-reply", "tick", 5))
        self.assertIn("template needs a value", self.refusal("template"))
        self.assertIn("unknown option 'BEST'", self.refusal("template", "a:*", "BEST"))
        for pattern in ("a:* POLICY best", "a:*;b:*"):
            self.assertIn(f"'{pattern}' is no pattern", self.refusal("template", pattern))
        for pattern, why in (("", "needs a pattern"), ("x" * 513, "at most 512 bytes"), ("a@*", "has no '@'")):
            self.assertIn(why, self.refusal("template", pattern))

    def test_module_loadex_takes_configs(self):
        server = self.redis(loads_module=False, enable_module_command="yes")
        client = server.client()
        client.ask("MODULE", "LOADEX", support.module, "CONFIG", "laurel.max-reply", "5000", "CONFIG",
                   "laurel.templates", "a:* POLICY best")
        self.assertEqual(client.ask("CONFIG", "GET", "laurel.max-reply")[1], "5000")
        client.ask("LB.SUBMIT", "a:1", "ann", 1)
        # A module with a data type stays.
        self.assertIn("Error unloading", client.error("MODULE", "UNLOAD", "laurel"))

    def test_a_server_starts_from_the_file_that_config_rewrite_has_written(self):
        # The server writes the arguments of a module without their quotes.
        server = support.Process()
        self.processes.append(server)
        server.environment = support.sanitizer_environment()
        server.port = support.free_port()
        file = os.path.join(server.folder, "server.conf")
        with open(file, "w") as out:
            out.write(f"port {server.port}\nbind {support.HOST}\nloadmodule {support.module} "
                      "template a:* 'POLICY best CAP 5' template b:* '' tick 7\n")
        for _ in range(2):
            server.start_process([support.server_program(), file])
            server.await_answer()
            client = server.client()
            self.assertEqual(client.ask("CONFIG", "GET", "laurel.templates")[1], "a:* POLICY best CAP 5; b:*")
            self.assertEqual(client.ask("CONFIG", "GET", "laurel.tick")[1], "7")
            self.assertEqual(client.ask("CONFIG", "REWRITE"), "OK")
            server.kill()

    def test_arguments_are_the_first_values_of_configs(self):
        client = self.redis("max-reply", 7000).client()
        self.assertEqual(client.ask("CONFIG", "GET", "laurel.max-reply")[1], "7000")
        self.assertEqual(client.ask("CONFIG", "SET", "laurel.max-reply", 8000), "OK")
        self.assertTrue(client.error("CONFIG", "SET", "laurel.max-reply", 0).startswith("ERR"))


class Cluster(support.ModuleTest):
    def test_a_cluster_node_serves_boards_of_its_slots(self):
        server = self.redis(cluster_enabled="yes", cluster_port=support.free_port())
        client = server.client()
        client.ask("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        ready = support.eventually(lambda: "cluster_state:ok" in client.ask("CLUSTER", "INFO"))
        self.assertTrue(ready)
        client.ask("LB.CREATE", "arena", "PERIODS", 2, "day", "all")
        client.ask("LB.SUBMIT", "arena", "ann", 5)
        self.assertEqual(len(client.ask("LB.TOP", "arena", 5, "PERIOD", "all")), 1)
        slot = client.ask("CLUSTER", "KEYSLOT", "arena")
        self.assertEqual(client.ask("CLUSTER", "GETKEYSINSLOT", slot, 10), ["arena"])


if __name__ == "__main__":
    support.main()
