#!/usr/bin/env python3
"""Redis with TLS, passwords and ACL users; tokens of Laurel; databases; serialised members."""

import subprocess

import transfer_support
from transfer_support import TransferTest, address, url
import support  # tests/module, which transfer_support puts on the path
from support import HOST, eventually


class TlsRedis(support.Process):
    """redis-server that speaks TLS on `port`, and not on `plain_port`."""

    def __init__(self, certificate, key):
        super().__init__()
        self.port = support.free_port()
        self.plain_port = support.free_port()
        self.start_process(["redis-server", "--port", str(self.plain_port), "--tls-port", str(self.port), "--bind", HOST,
                            "--save", "", "--tls-cert-file", certificate, "--tls-key-file", key, "--tls-auth-clients",
                            "no", "--dir", self.folder])
        client = eventually(self.connect)
        if not client:
            raise AssertionError(self.output())
        client.ask("ZADD", "lb", 1, "a", 2, "b")
        client.close()

    def connect(self):
        try:
            return support.Client(self.plain_port)
        except OSError:
            return None


class Access(TransferTest):
    def setUp(self):
        super().setUp()
        self.server = self.laurel()

    def certificate(self, name, subject):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout",
                        f"{name}.key", "-out", f"{name}.pem", "-subj", "/CN=test", "-addext",
                        f"subjectAltName={subject}"], cwd=self.folder, check=True, capture_output=True)
        return str(self.folder / f"{name}.pem"), str(self.folder / f"{name}.key")

    def test_tls_checks_the_certificate(self):
        certificate, key = self.certificate("good", "IP:127.0.0.1")
        redis = TlsRedis(certificate, key)
        self.processes.append(redis)
        words = ["--from", f"rediss://127.0.0.1:{redis.port}", "--key", "lb", "--to", address(self.server)]
        self.assertIn("certificate is refused", self.run_import(*words, code=1).err)
        self.run_import(*words, "--ca", certificate, "--verify")
        self.assertEqual(self.scores(self.server, "lb"), [("b", "2"), ("a", "1")])
        self.run_import(*words, "--insecure-tls")
        self.assertIn("cannot read certificates", self.run_import(*words, "--ca", "absent.pem", code=1).err)
        wrong = ["--from", f"redis://127.0.0.1:{redis.port}", "--key", "lb", "--to", address(self.server)]
        self.run_import(*wrong, code=1)

    def test_certificate_of_another_name_is_refused(self):
        certificate, key = self.certificate("other", "DNS:example.org")
        redis = TlsRedis(certificate, key)
        self.processes.append(redis)
        words = ["--from", f"rediss://127.0.0.1:{redis.port}", "--key", "lb", "--to", address(self.server)]
        self.assertIn("certificate is refused", self.run_import(*words, "--ca", certificate, code=1).err)

    def test_passwords_and_users(self):
        redis = self.plain_redis()
        client = redis.client()
        client.ask("CONFIG", "SET", "requirepass", "secret word")
        client.ask("ACL", "SETUSER", "ann", "on", ">p@ss:/", "~lb*", "+@read", "+scan", "+zscan")
        client.ask("SELECT", 3)
        client.ask("ZADD", "lb", 1, "a", 2, "b")
        port = redis.port
        to = ["--key", "lb", "--to", address(self.server), "--verify"]
        self.run_import("--from", f"redis://:secret%20word@127.0.0.1:{port}/3", *to)
        self.run_import("--from", f"redis://127.0.0.1:{port}/3", *to, env={"LAUREL_REDIS_PASSWORD": "secret word"})
        done = self.run_import("--from", f"redis://127.0.0.1:{port}/3", *to, code=1)
        self.assertIn(f"127.0.0.1:{port}: NOAUTH", done.err)
        done = self.run_import("--from", f"redis://:geheim@127.0.0.1:{port}/3", *to, code=1)
        self.assertIn("WRONGPASS", done.err)
        self.assertNotIn("geheim", done.err + done.out)
        done = self.run_import("--from", f"redis://ann:p%40ss%3A%2F@127.0.0.1:{port}/3", *to, code=1)
        self.assertIn("NOPERM", done.err)  # SELECT
        client.ask("ACL", "SETUSER", "ann", "+select")
        self.run_import("--from", f"redis://ann:p%40ss%3A%2F@127.0.0.1:{port}/3", *to)
        self.run_import("--from", f"redis://ann@127.0.0.1:{port}/3", *to, env={"LAUREL_REDIS_PASSWORD": "p@ss:/"})

    def test_tokens_of_the_target(self):
        made = self.run_laurel("token", "admin")
        secret = made.err.splitlines()[0]
        flag = made.out.split("--token '")[1].split("'")[0]
        server = support.Process()
        self.processes.append(server)
        server.port = support.free_port()
        server.start_process([support.laurel, "serve", "--in-memory", "--port", str(server.port), "--http-port", "none",
                              "--token", flag])
        self.assertTrue(eventually(lambda: "ready" in server.output()), server.output())
        self.write("a.csv", "member,score\nann,5\nbob,6\n")
        words = ["a.csv", "--board", "lb", "--to", address(server)]
        self.assertIn("NOAUTH", self.run_import(*words, code=1).err)
        self.run_import(*words, "--token", secret)
        self.run_import(*words, env={"LAUREL_TOKEN": secret})
        self.assertIn("WRONGPASS", self.run_import(*words, "--token", "wrong", code=1).err)

    def test_members_that_java_and_json_clients_have_stored(self):
        redis = self.plain_redis()
        client = redis.client()
        client.ask("ZADD", "json", 1, '"ann"', 2, '["java.lang.Long",17]')
        client.ask("ZADD", "java", 1, b"\xac\xed\x00\x05t\x00\x03ann", 2, b"\xac\xed\x00\x05t\x00\x03bob")
        for key, wanted in [("json", [("17", "2"), ("ann", "1")]), ("java", [("bob", "2"), ("ann", "1")])]:
            self.run_import("--from", url(redis), "--key", key, "--member", key, "--to", address(self.server), "--verify")
            self.assertEqual(self.scores(self.server, key), wanted)


if __name__ == "__main__":
    transfer_support.main()
