"""Several servers that belong together: a cluster, a primary with sentinels, a link with latency.

Clients of this file follow redirections and failovers. They raise an error of RETRIED, or OSError, while
there is no server that can answer; load.py tries such requests again.
"""

import binascii
import collections
import os
import random
import re
import socket
import subprocess
import threading
import time

import support

SLOTS = 16384
# Of a wait for servers that must notice something, and agree.
LONG_LIMIT_S = 180
# How long a node of a cluster may be silent. Nodes exchange news at half of that time, and vote for the
# failover of the same node once in twice that time.
CALM_TIMEOUT_MS = 30_000
QUICK_TIMEOUT_MS = 1500  # for failovers after a kill
NEWS_TIMEOUT_MS = 500  # while the test waits for nodes to agree; replicas do not take over by themselves

# The first words of errors that a client answers by trying again.
RETRIED = ("MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "LOADING", "READONLY", "MASTERDOWN", "UNBLOCKED",
           "NOREPLICAS")


def is_retried(failure):
    return str(failure).startswith(RETRIED)


def ask(server, *words):
    """One request on a connection of its own."""
    client = support.Client(server.port)
    try:
        return client.ask(*words)
    finally:
        client.close()


def replication(server):
    """INFO replication of a server, as a dict; empty while it does not answer."""
    try:
        text = ask(server, "INFO", "replication")
    except (OSError, support.Failure):
        return {}
    return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)


def pair_of_ports():
    """A port P below the range of outgoing connections; P + 10000, of the cluster bus, is free too."""
    for _ in range(1000):
        port = random.SystemRandom().randrange(10_000, 22_000)
        try:
            with socket.socket() as first, socket.socket() as second:
                first.bind((support.HOST, port))
                second.bind((support.HOST, port + 10_000))
                return port
        except OSError:
            continue
    raise AssertionError("no free ports")


def server_on_kept_port(arguments=(), **options):
    """A server that comes back on its port, as other servers expect."""
    for attempt in range(5):
        try:
            return support.Redis(arguments, port=pair_of_ports(), **options)
        except AssertionError as error:
            if attempt == 4 or "ddress already in use" not in str(error):
                raise
    raise AssertionError("unreachable")


# Cluster ------------------------------------------------------------------------------------------


def slot_of(key):
    """The slot of a key, by its hash tag if it has one."""
    tagged = re.search(r"\{([^}]+)\}", key)
    return binascii.crc_hqx((tagged[1] if tagged else key).encode(), 0) % SLOTS


class ClusterClient:
    """Follows MOVED and ASK. The key is the first argument, as in every LB command."""

    def __init__(self, ports):
        self.ports = collections.deque(ports)
        self.owners = {}  # slot: port
        self.connections = {}  # port: client
        self.redirections = collections.Counter()

    def close(self):
        for port in list(self.connections):
            self.forget(port)

    def forget(self, port):
        connection = self.connections.pop(port, None)
        if connection:
            connection.close()
        self.owners = {slot: owner for slot, owner in self.owners.items() if owner != port}

    def connection(self, port):
        if port not in self.connections:
            self.connections[port] = support.Client(port)
        return self.connections[port]

    def port_for(self, slot):
        if slot not in self.owners:
            self.ports.rotate(1)  # one that is down is not asked again and again
        return self.owners.get(slot, self.ports[0])

    def ask(self, *words):
        slot = slot_of(words[1])
        port = self.port_for(slot)
        asking = False
        for _ in range(10):
            try:
                connection = self.connection(port)
                if asking:
                    connection.ask("ASKING")
                return connection.ask(*words)
            except OSError:
                self.forget(port)
                raise
            except support.Failure as failure:
                kind = str(failure).split()[0]
                if kind not in ("MOVED", "ASK"):
                    raise
                self.redirections[kind] += 1
                port = int(str(failure).rsplit(":", 1)[1])
                asking = kind == "ASK"
                if not asking:
                    self.owners[slot] = port
        raise support.Failure("TRYAGAIN: redirected too often")

    def transaction(self, *requests):
        """MULTI … EXEC on keys of one slot. Raises TRYAGAIN after redirections, and while keys are apart."""
        slot = slot_of(requests[0][1])
        port = self.port_for(slot)
        try:
            connection = self.connection(port)
            for words in [("MULTI",), *requests, ("EXEC",)]:
                connection.send(*words)
            *queued, replies = [connection.read_or_failure() for _ in range(len(requests) + 2)]
        except OSError:
            self.forget(port)
            raise
        failures = [reply for reply in queued + [replies] if isinstance(reply, support.Failure)]
        if not failures:
            return replies
        kind = str(failures[0]).split()[0]
        self.redirections[kind] += 1
        if kind == "MOVED":
            self.owners[slot] = int(str(failures[0]).rsplit(":", 1)[1])
        elif not is_retried(failures[0]):
            raise failures[0]
        raise support.Failure(f"TRYAGAIN: {failures[0]}")


class Cluster:
    """Primaries that share the slots evenly, and replicas. Nodes keep their ports over restarts.

    The first `primaries` nodes are primaries at first. No replica takes over by itself before
    allow_failovers().
    """

    def __init__(self, primaries=3, replicas_each=1, arguments=(), **options):
        self.replicas_each = replicas_each
        self.nodes = []
        try:
            for _ in range(primaries * (1 + replicas_each)):
                self.nodes.append(server_on_kept_port(
                    arguments, cluster_enabled="yes", cluster_node_timeout=NEWS_TIMEOUT_MS,
                    cluster_replica_no_failover="yes", cluster_replica_validity_factor=0,
                    cluster_migration_barrier=100, **options))
            self.join(primaries)
            self.forbid_failovers()
        except BaseException:
            self.remove()
            raise

    def remove(self):
        for node in self.nodes:
            node.remove()

    def join(self, primaries):
        self.ids = {node: ask(node, "CLUSTER", "MYID") for node in self.nodes}
        for i, node in enumerate(self.nodes):
            ask(node, "CLUSTER", "SET-CONFIG-EPOCH", i + 1)
            if i > 0:
                ask(node, "CLUSTER", "MEET", support.HOST, self.nodes[0].port)
            if i < primaries:
                slots = range(SLOTS * i // primaries, SLOTS * (i + 1) // primaries)
                ask(node, "CLUSTER", "ADDSLOTS", *slots)
        self.await_all(lambda node: self.info(node)["cluster_known_nodes"] == str(len(self.nodes)))
        for i, node in enumerate(self.nodes[primaries:]):
            ask(node, "CLUSTER", "REPLICATE", self.ids[self.nodes[i % primaries]])
        self.await_health()

    def client(self):
        return ClusterClient(node.port for node in self.nodes)

    def node_at(self, port):
        return next(node for node in self.nodes if node.port == port)

    def alive(self):
        return [node for node in self.nodes if node.is_alive()]

    def info(self, node):
        return dict(line.split(":", 1) for line in ask(node, "CLUSTER", "INFO").splitlines() if line)

    def await_all(self, check):
        """check(node) becomes true for every node that is alive."""
        for node in self.alive():
            def passes(node=node):
                try:
                    return check(node)
                except (OSError, support.Failure, KeyError):
                    return False
            if not support.eventually(passes, LONG_LIMIT_S):
                raise AssertionError(f"{ask(node, 'CLUSTER', 'NODES')}\n{node.output()}")

    def seen_nodes(self, seen_by):
        """CLUSTER NODES of a node: lists of words."""
        return [line.split() for line in ask(seen_by, "CLUSTER", "NODES").splitlines()]

    def sees_primary(self, seen_by, node):
        return any(line[0] == self.ids[node] and "master" in line[2] for line in self.seen_nodes(seen_by))

    def is_healthy(self, node):
        """All nodes are known and none has failed; a primary has its replicas, a replica its link."""
        lines = self.seen_nodes(node)
        flags = {flag for line in lines for flag in line[2].split(",")}
        role = replication(node)
        if role["role"] == "master":
            linked = (role["connected_slaves"] == str(self.replicas_each) and
                      all("state=online" in role[f"slave{i}"] for i in range(self.replicas_each)))
        else:
            linked = role["master_link_status"] == "up"
        replicas = sum("slave" in line[2] for line in lines)
        return (linked and len(lines) == len(self.nodes) and
                len(lines) == replicas // self.replicas_each + replicas and
                flags <= {"myself", "master", "slave", "nofailover"} and
                all(line[7] == "connected" for line in lines) and
                self.info(node)["cluster_state"] == "ok")

    def await_health(self):
        self.await_all(self.is_healthy)

    def primaries(self):
        return [node for node in self.alive() if replication(node).get("role") == "master"]

    def owner(self, slot, seen_by=None):
        """The node that owns the slot, as `seen_by` sees it: by default any node that is alive."""
        for first, last, (_, port, *_), *_ in ask(seen_by or self.alive()[0], "CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return self.node_at(port)
        return None

    def replicas_of(self, primary):
        port = str(primary.port)
        return [node for node in self.alive() if replication(node).get("master_port") == port]

    def configure(self, name, value):
        for node in self.alive():
            ask(node, "CONFIG", "SET", name, value)

    def allow_failovers(self):
        self.configure("cluster-node-timeout", QUICK_TIMEOUT_MS)
        self.configure("cluster-replica-no-failover", "no")

    def forbid_failovers(self):
        self.configure("cluster-replica-no-failover", "yes")
        self.configure("cluster-node-timeout", CALM_TIMEOUT_MS)

    def await_owner_other_than(self, node, slot):
        """All nodes that are alive see another owner of the slot, which is a primary. Returns it."""
        self.await_all(lambda seen_by: self.owner(slot, seen_by) not in (None, node))
        owner = self.owner(slot)
        self.await_all(lambda each: each is not owner or replication(owner)["role"] == "master")
        return owner

    def fail_over_by_hand(self, primary):
        """CLUSTER FAILOVER, again if the replica was too slow for it. Returns the new primary."""
        replica = self.replicas_of(primary)[0]
        self.configure("cluster-node-timeout", NEWS_TIMEOUT_MS)

        def is_done():
            if not self.sees_primary(replica, replica):
                ask(replica, "CLUSTER", "FAILOVER")
            # The server gives up after 5 s. A primary that has just imported a slot has raised its epoch,
            # and can take the slots back from a replica that did not know it.
            return support.eventually(lambda: all(
                self.sees_primary(node, replica) and not self.sees_primary(node, primary)
                for node in self.alive()), 6)

        if not support.eventually(is_done, LONG_LIMIT_S):
            raise AssertionError(replica.output())
        self.await_health()
        self.configure("cluster-node-timeout", CALM_TIMEOUT_MS)
        return replica

    def move_slot(self, slot, target, between_keys=lambda: None):
        """Moves a slot with its keys, one by one. `between_keys`: called before each key and at the end."""
        source = self.owner(slot)
        self.set_slot(target, slot, "IMPORTING", self.ids[source])
        self.set_slot(source, slot, "MIGRATING", self.ids[target])
        while True:
            between_keys()
            keys = ask(source, "CLUSTER", "GETKEYSINSLOT", slot, 1)
            if not keys:
                break
            ask(source, "MIGRATE", support.HOST, target.port, "", 0, 30_000, "KEYS", *keys)
        for node in [target, source] + self.primaries():
            self.set_slot(node, slot, "NODE", self.ids[target])
        self.await_all(lambda seen_by: self.owner(slot, seen_by) is target)

    def moves_atomically(self):
        """Whether the servers can move a slot by themselves: Valkey 9 and Redis 8.4."""
        names = ("cluster|migrateslots", "cluster|migration")
        return any(ask(self.nodes[0], "COMMAND", "INFO", *names))

    def move_slot_atomically(self, slot, target):
        """The source (Valkey) or the target (Redis) moves the slot, with all keys in one step."""
        source = self.owner(slot)
        if ask(source, "COMMAND", "INFO", "cluster|migrateslots")[0]:
            ask(source, "CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", self.ids[target])
        else:
            ask(target, "CLUSTER", "MIGRATION", "IMPORT", slot, slot)
        self.await_all(lambda seen_by: self.owner(slot, seen_by) is target)

    def set_slot(self, node, slot, *words):
        """CLUSTER SETSLOT, which Valkey replicates first."""
        def is_done():
            try:
                return ask(node, "CLUSTER", "SETSLOT", slot, *words) == "OK"
            except support.Failure as failure:
                if not str(failure).startswith("NOREPLICAS"):
                    raise
                return False
        if not support.eventually(is_done, LONG_LIMIT_S):
            raise AssertionError(node.output())

    def complaints(self):
        """What redis-cli --cluster check finds; empty if nothing."""
        output = ""

        def is_clean():
            nonlocal output
            checked = subprocess.run(
                ["redis-cli", "--cluster", "check", f"{support.HOST}:{self.alive()[0].port}"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LONG_LIMIT_S)
            output = checked.stdout
            return (checked.returncode == 0 and "[OK] All nodes agree" in output and
                    "[OK] All 16384 slots covered" in output and
                    "[ERR]" not in output and "[WARNING]" not in output)

        return "" if support.eventually(is_clean) else output


# Sentinels ----------------------------------------------------------------------------------------


class Sentinel(support.Process):
    """`redis-server FILE --sentinel`, which watches one primary under the name `boards`."""

    NAME = "boards"

    def __init__(self, primary, quorum, down_after_ms):
        super().__init__()
        self.port = support.free_port()
        file = os.path.join(self.folder, "sentinel.conf")
        with open(file, "w") as out:
            out.write(f"port {self.port}\nbind {support.HOST}\ndir {self.folder}\n"
                      f"sentinel monitor {self.NAME} {support.HOST} {primary.port} {quorum}\n"
                      f"sentinel down-after-milliseconds {self.NAME} {down_after_ms}\n"
                      f"sentinel failover-timeout {self.NAME} 10000\n"
                      f"sentinel parallel-syncs {self.NAME} 2\n")
        self.start_process([support.server_program(), file, "--sentinel"])
        self.await_answer()
        try:
            # Sentinels look around every 10 s, and rest for 30 s (TILT) after a busy moment.
            ask(self, "SENTINEL", "DEBUG", "info-period", 500, "publish-period", 500, "tilt-period", 3000)
        except support.Failure:
            pass  # Redis 6.2

    def primary_port(self):
        """As this sentinel knows it; None if it does not answer."""
        try:
            return int(ask(self, "SENTINEL", "get-master-addr-by-name", self.NAME)[1])
        except (OSError, support.Failure, TypeError):
            return None

    def knows(self, replicas, sentinels):
        """Whether this sentinel has found all replicas and the other sentinels, and all are up."""
        state = support.flat(ask(self, "SENTINEL", "MASTER", self.NAME))
        seen = [support.flat(one)["flags"] for one in ask(self, "SENTINEL", "REPLICAS", self.NAME)]
        return (state["num-other-sentinels"] == str(sentinels - 1) and state["flags"] == "master" and
                seen == ["slave"] * replicas)


class SentinelClient:
    """Asks the sentinels where the primary is, before the first request and after every loss."""

    def __init__(self, sentinels):
        self.sentinels = collections.deque(sentinels)
        self.connection = None

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def connect(self):
        self.sentinels.rotate(1)
        port = self.sentinels[0].primary_port()
        if port is None:
            raise ConnectionError("the sentinel does not answer")
        connection = support.Client(port)
        try:
            # As clients of sentinels must: the address may be that of a primary that was replaced.
            if connection.ask("ROLE")[0] != "master":
                raise ConnectionError("not a primary yet")
        except BaseException:
            connection.close()
            raise
        self.connection = connection

    def ask(self, *words):
        try:
            if not self.connection:
                self.connect()
            return self.connection.ask(*words)
        except OSError:
            self.close()
            raise
        except support.Failure as failure:
            if is_retried(failure):
                self.close()
            raise


# A link with latency ------------------------------------------------------------------------------


def end(connection):
    """Closes a socket on which another thread may wait."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()


class Link:
    """A port whose bytes reach another port after a delay. cut() loses what is on its way.

    After hold(), less than PART_BYTES come through: perhaps half a command. The rest stays on its way.
    """

    PART_BYTES = 300

    def __init__(self, port, delay_s):
        self.target = port
        self.delay_s = delay_s
        self.is_cut = threading.Event()
        self.passes = threading.Event()
        self.passes.set()
        self.sockets = []
        self.listener = socket.create_server((support.HOST, 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while not self.is_cut.is_set():
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection((support.HOST, self.target))
            except OSError:
                continue
            self.sockets += [near, far]
            for source, sink in ((near, far), (far, near)):
                self.carry(source, sink)

    def carry(self, source, sink):
        """One direction: a thread that reads, and one that writes when the time has come."""
        waiting = collections.deque()
        is_filled = threading.Condition()

        def put(data):
            with is_filled:
                waiting.append((time.monotonic() + self.delay_s, data))
                is_filled.notify()

        def read():
            try:
                while data := source.recv(65536):
                    put(data)
            except OSError:
                pass
            put(b"")

        def write():
            while True:
                with is_filled:
                    is_filled.wait_for(lambda: waiting)
                    due, data = waiting.popleft()
                self.is_cut.wait(max(due - time.monotonic(), 0))
                if self.is_cut.is_set() or not data:
                    break
                try:
                    if self.passes.is_set():
                        sink.sendall(data)
                    else:
                        sink.sendall(data[:random.randrange(self.PART_BYTES)])
                        self.is_cut.wait()
                except OSError:
                    break
            end(sink)

        for run in (read, write):
            threading.Thread(target=run, daemon=True).start()

    def hold(self):
        self.passes.clear()

    def cut(self):
        self.is_cut.set()
        for each in [self.listener] + self.sockets:
            end(each)
