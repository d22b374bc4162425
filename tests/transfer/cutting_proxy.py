"""A TCP proxy on 127.0.0.1 that cuts connections after a number of bytes, or acts before each request."""

import select
import socket
import threading
import time

from support import HOST


class CuttingProxy:
    """Passes bytes between clients and a port. `cuts`: after how many bytes towards the client each of the first
    connections is cut; later ones pass whole. `delay_s`: how long each piece towards the client waits.
    `before_request`: is called before each piece towards the server. Counts the connections, and the pieces towards
    clients."""

    def __init__(self, port, cuts=(), delay_s=0, before_request=None):
        self.target = port
        self.cuts = list(cuts)
        self.delay_s = delay_s
        self.before_request = before_request
        self.connections = 0
        self.pieces = 0
        self.listener = socket.create_server((HOST, 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            limit = self.cuts[self.connections] if self.connections < len(self.cuts) else None
            self.connections += 1
            threading.Thread(target=self.serve, args=(client, limit), daemon=True).start()

    def serve(self, client, limit):
        with client, socket.create_connection((HOST, self.target)) as server:
            passed = 0
            while True:
                readable, _, _ = select.select([client, server], [], [])
                for source, sink in ((client, server), (server, client)):
                    if source not in readable:
                        continue
                    try:
                        data = source.recv(65536)
                        if not data:
                            return
                        if source is server:
                            passed += len(data)
                            self.pieces += 1
                            if limit is not None and passed > limit:
                                return
                            time.sleep(self.delay_s)
                        elif self.before_request:
                            self.before_request()
                        sink.sendall(data)
                    except OSError:
                        return
