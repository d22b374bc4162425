#!/usr/bin/env python3
"""The commands of docs/redis.md: its first session, and its three nodes from certificates to an upgrade."""

import os
import re
import shlex
import shutil
import signal
import subprocess

import support

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
NODES = 3
LIMIT_S = 300  # of the whole page
# `systemctl` of the page: starts and ends the server of the node whose folder is $node_folder.
SYSTEMCTL = r"""
systemctl() {
  if [ "$1" != start ] && [ -f "$node_folder/pid" ]; then
    kill "$(cat "$node_folder/pid")"
    while kill -0 "$(cat "$node_folder/pid")" 2>/dev/null; do sleep 0.05; done
    rm "$node_folder/pid"
  fi
  [ "$1" != stop ] || return 0
  : >"$node_folder/log"
  (cd "$node_folder" && exec env "${environment[@]}" "$server" etc/redis.conf >log 2>&1 </dev/null) &
  echo $! >"$node_folder/pid"
  until grep -q 'Ready to accept connections' "$node_folder/log"; do
    kill -0 "$(cat "$node_folder/pid")" || { cat "$node_folder/log"; return 1; }
    sleep 0.05
  done
}
sleep() { command sleep 0.05; }
"""


def blocks(page):
    """The fenced blocks of a page: (section, text before, language, text)."""
    with open(os.path.join(DOCS, page)) as file:
        text = file.read()
    found, section, last = [], "", 0
    for match in re.finditer(r"^## ([^\n]*)$|^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        if match[1]:
            section = match[1]
        else:
            found.append((section, text[last:match.start()], match[2], match[3]))
        last = match.end()
    return found


class Page(support.ModuleTest):
    def test_the_first_session(self):
        server = self.redis()
        session = next(text for _, _, _, text in blocks("redis.md") if text.startswith("$ redis-cli\n"))
        for exchange in session.split("\n> ")[1:]:
            command, _, expected = exchange.rstrip("\n").partition("\n")
            said = subprocess.run(["redis-cli", "-e", "-p", str(server.port), *shlex.split(command)],
                                  capture_output=True, text=True, timeout=support.LIMIT_S)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertIn(expected, said.stdout)

    def test_the_chinese_page_has_the_same_blocks(self):
        def commands(page):
            texts = [re.sub(r"^#.*\n", "", text, flags=re.M) for *_, text in blocks(page)]
            return [text if text.isascii() or page == "redis.md" else None for text in texts]

        english, chinese = commands("redis.md"), commands("redis.zh.md")
        self.assertEqual(len(english), len(chinese))
        for ours, theirs in zip(english, chinese):
            self.assertIn(theirs, (ours, None))


class ThreeNodes(support.ModuleTest):
    """Nodes are addresses of the loopback, and their files folders."""

    def setUp(self):
        super().setUp()
        self.place = support.Process()  # for its folder
        self.processes.append(self.place)
        self.folder = self.place.folder
        self.port = support.free_port()
        self.network = f"127.{self.port >> 8}.{self.port & 255}."
        for node in range(1, NODES + 1):
            for name in ("etc", "lib", "data", "backups"):
                os.makedirs(os.path.join(self.node_folder(node), name))

    def tearDown(self):
        for node in range(1, NODES + 1):
            try:
                with open(os.path.join(self.node_folder(node), "pid")) as file:
                    os.kill(int(file.read()), signal.SIGKILL)
            except (OSError, ValueError):
                pass
        super().tearDown()  # removes the folder

    def node_folder(self, node):
        return os.path.join(self.folder, f"node{node}")

    def here(self, text, node=1):
        """Text of the page for this machine: addresses, port, and files of the node."""
        folder = self.node_folder(node)
        for theirs, ours in (("10.0.0.", self.network), ("6379", str(self.port)),
                             ("/usr/lib/redis", folder + "/lib"), ("/etc/redis", folder + "/etc"),
                             ("/var/lib/redis", folder + "/data"), ("/var/backups/redis", folder + "/backups"),
                             (" -o redis", ""), (" -g redis", ""),
                             ("redis:redis", f"{os.getuid()}:{os.getgid()}"), ("max-lag 10", "max-lag 600")):
            text = text.replace(theirs, ours)
        return text

    def write_file(self, before, text):
        """A file of the page, which the text before it names: on the nodes named there, or on all."""
        paragraph = before.strip().split("\n\n")[-1]
        path = re.findall(r"`(/etc/[^`]+)`", paragraph)[-1]
        named = [int(node) for node in re.findall(r"10\.0\.0\.(\d)", paragraph)]
        for node in named or range(1, NODES + 1):
            own = re.sub(r"^(bind|replica-announce-ip) .*$", rf"\1 10.0.0.{node}", text, flags=re.M)
            with open(self.here(path, node), "a") as file:
                file.write(self.here(own, node))
                if path.endswith("redis.conf"):  # a full synchronisation would wait 5 s for other replicas
                    file.write("repl-diskless-sync-delay 0\n")

    def script_of(self, text):
        """The commands of a block: on the nodes that its first line names, in their order."""
        place, _, body = text.partition("\n")
        if place == "# anywhere":
            return "cd \"$folder\"\n" + self.here(body)
        named = re.findall(r"10\.0\.0\.(\d)", place) or [str(node) for node in range(1, NODES + 1)]
        self.assertRegex(place, "^# on ")
        script = ""
        for node in named:
            own = body.replace(f"10.0.0.{named[0]}", f"10.0.0.{node}") if "own address" in place else body
            script += f"node_folder=$folder/node{node}; cd \"$node_folder\"\n{self.here(own, int(node))}"
        return script

    def test_the_three_nodes_of_the_page(self):
        script = ["set -eux -o pipefail", f"folder={self.folder}",
                  f"server={shlex.quote(shutil.which(support.server_program()))}",
                  "environment=(" + " ".join(shlex.quote(f"{name}={value}") for name, value in
                                             support.sanitizer_environment().items()) + ")", SYSTEMCTL]
        for section, before, language, text in blocks("redis.md"):
            if not section.startswith("Three nodes"):
                continue
            if language == "text":
                self.write_file(before, text)
                continue
            if "--rdb" in text:  # replication is asynchronous
                script.append(f"until admin {self.network}3 LB.TOP rank:1 1 | grep ann; do sleep 1; done")
            script.append(self.script_of(text))
            if "ca.key" in text:  # the copies to the nodes
                for node in range(1, NODES + 1):
                    own = f"{self.folder}/{self.network}{node}"
                    script.append(f"cd node{node}; cp {shlex.quote(support.module)} laurel.so; cp ../ca.crt .; "
                                  f"cp {own}.crt node.crt; cp {own}.key node.key; cd ..")
            if "--rdb" in text:  # what is written after the backup is not restored
                script.append(f"cp boards.rdb node1; app {self.network}1 LB.SUBMIT rank:1 bob 1300")
        for node in range(1, NODES + 1):
            script.append(f"echo END {node} $(admin {self.network}{node} ROLE) "
                          f"$(admin {self.network}{node} LB.TOP rank:1 10)")
        script = "\n".join(script)
        self.place.start_process(["bash", "-c", script])
        try:
            code = self.place.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            code = "no end"
        self.assertEqual(code, 0, self.place.output())
        output = self.place.output()
        ends = re.findall(r"^END (\d) (\w+) .*rank 1 member ann score 1200", output, re.M)
        self.assertEqual(ends, [("1", "slave"), ("2", "master"), ("3", "slave")], output)
        self.assertNotRegex(output, "END.*bob")


if __name__ == "__main__":
    support.main()
