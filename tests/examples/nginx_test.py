"""examples/nginx/laurel.conf with Debian's nginx in front of a server.

usage: nginx_test.py LAUREL

Ports, paths and the address to listen on are replaced, everything else is the example as it stands.
./dev test --all only.
"""

import getpass
import gzip
import http.client
import json
import socket
import ssl
import subprocess
import sys

import support

NAME = "board.example.com"
BOARD = "/v1/boards/arena"
FRAME = """
daemon off;
{user}
pid {folder}/nginx.pid;
error_log stderr;
worker_processes 1;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/laurel.conf;
}}
"""


def make_certificate(folder):
    """A certificate for NAME and for the address of the tests, which is its own authority."""
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", f"/CN={NAME}", "-keyout", folder / "proxy.key",
         "-out", folder / "proxy.crt", "-addext", f"subjectAltName=DNS:{NAME},IP:{support.HOST}"],
        capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


def write_configuration(folder, port, server_port):
    text = (support.ROOT / "examples/nginx/laurel.conf").read_text()
    for old, new in (("listen 443 ", f"listen {support.HOST}:{port} "),
                     ("    listen [::]:443 ssl http2;\n", ""),
                     ("server 127.0.0.1:7680;", f"server {support.HOST}:{server_port};"),
                     (f"/etc/ssl/laurel/{NAME}.crt", str(folder / "proxy.crt")),
                     (f"/etc/ssl/laurel/{NAME}.key", str(folder / "proxy.key"))):
        assert text.count(old) == 1, f"laurel.conf must have one '{old}'"
        text = text.replace(old, new)
    (folder / "laurel.conf").write_text(text)
    # As root, nginx would give up its rights and then not reach the folder of the test.
    user = f"user {getpass.getuser()};" if getpass.getuser() == "root" else ""
    (folder / "nginx.conf").write_text(FRAME.format(folder=folder, user=user))


class Proxy:
    """A client of nginx over TLS, HTTP/1.1."""

    def __init__(self, folder, port):
        self.port = port
        self.authority = f"{NAME}:{port}"
        self.certificate = folder / "proxy.crt"
        self.context = ssl.create_default_context(cafile=self.certificate)

    def connection(self, source=None):
        return http.client.HTTPSConnection(support.HOST, self.port, timeout=support.WAIT_S,
                                           context=self.context,
                                           source_address=(source, 0) if source else None)

    def send(self, method, path, body=None, headers=None, source=None):
        return support.send(self.connection(source), method, path, body,
                            {"Host": self.authority, **(headers or {})})

    def submit(self, member, score):
        status, _, text = self.send("POST", f"{BOARD}/entries", {"member": member, "score": score})
        assert status == 200, (status, text)

    def stream(self, path):
        return support.Stream(self.connection(), path, {"Host": self.authority,
                                                        "Accept-Encoding": "gzip"})

    def is_up(self):
        try:
            socket.create_connection((support.HOST, self.port), 1).close()
            return True
        except OSError:
            return False


def requests_work_over_tls(proxy):
    status, headers, text = proxy.send("PUT", BOARD, {"policy": "best"})
    assert status == 201, (status, text)
    assert headers["X-Request-Id"], headers
    proxy.submit("ann", "1200")
    status, _, text = proxy.send("GET", f"{BOARD}/entries/ann")
    assert (status, json.loads(text)["rank"]) == (200, 1), (status, text)
    status, headers, text = proxy.send("GET", "/v1/boards/none/entries")
    assert (status, json.loads(text)["code"]) == (404, "NOBOARD"), (status, text)
    assert headers["Content-Type"] == "application/problem+json", headers


def clients_speak_http2(proxy):
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--http2", "--cacert", proxy.certificate,
         "--resolve", f"{NAME}:{proxy.port}:{support.HOST}", "--write-out", "\n%{http_version}",
         f"https://{proxy.authority}{BOARD}/entries"],
        capture_output=True, text=True, check=False, timeout=support.WAIT_S)
    assert done.returncode == 0, done.stderr
    page, version = done.stdout.rsplit("\n", 1)
    assert version == "2", f"HTTP version {version}"
    assert json.loads(page)["entries"][0]["member"] == "ann", page


def names_arrive_as_they_were_sent(proxy, server):
    for name in ("a%2Fb", "a%252Fb", "a+b%20c", "%E6%A6%9C"):
        status, _, text = proxy.send("PUT", f"/v1/boards/{name}", {})
        assert status == 201, (name, status, text)
        server.call("GET", f"/v1/boards/{name}")
    assert server.call("GET", "/v1/boards/a%2Fb")["board"] == "a/b"


def pages_are_compressed_and_cached(proxy, server):
    server.call("POST", f"{BOARD}/entries",
                {"entries": [{"member": f"m{i}", "score": i} for i in range(100)]})
    path = f"{BOARD}/entries?limit=100"
    _, headers, plain = proxy.send("GET", path)
    assert headers["Content-Encoding"] is None, headers
    connection = proxy.connection()
    connection.request("GET", path, headers={"Host": proxy.authority, "Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    assert gzip.decompress(answer.read()).decode() == plain
    assert answer.headers["Content-Encoding"] == "gzip", answer.headers
    assert answer.headers["Vary"] == "Accept-Encoding", answer.headers
    connection.close()
    etag = answer.headers["ETag"]
    assert etag.startswith('W/"'), etag
    status, _, text = proxy.send("GET", path, headers={"If-None-Match": etag})
    assert (status, text) == (304, ""), (status, text)


def events_arrive_one_by_one(proxy):
    """Each event arrives before the next one is written, so nothing waits in a buffer."""
    live = proxy.stream(f"{BOARD}/live?top=1")
    changes = proxy.stream(f"{BOARD}/changes")
    assert live.answer.headers["Content-Encoding"] is None, live.answer.headers
    assert live.next()["event"] == "state"
    for score in range(2000, 2005):
        proxy.submit("ann", score)
        update = live.next()
        assert update["event"] == "update", update
        assert update["data"]["entries"][0]["score"] == [str(score)], update
        change = changes.next()
        assert change["event"] == "put" and change["data"]["score"] == [str(score)], change
    live.close()
    changes.close()


def the_origin_of_the_page_is_known(proxy):
    status, _, text = proxy.send("GET", f"{BOARD}/count", None,
                                 {"Origin": f"https://{proxy.authority}"})
    assert status == 200, (status, text)
    status, _, text = proxy.send("GET", f"{BOARD}/count", None, {"Origin": "https://other.example"})
    assert status == 403, (status, text)


def the_access_log_has_the_forwarded_address(proxy, folder):
    """127.0.0.2 is no trusted proxy, so a header that it sends is not believed."""
    for request_id, headers in (("plain", {}), ("forged", {"X-Forwarded-For": "203.0.113.9"})):
        status, _, text = proxy.send("GET", f"{BOARD}/count", None,
                                     {"X-Request-Id": request_id, **headers}, source="127.0.0.2")
        assert status == 200, (status, text)

    def peers():
        whole_lines = (folder / "access.log").read_text().split("\n")[:-1]
        lines = [json.loads(line) for line in whole_lines]
        found = {line["request_id"]: line["peer"] for line in lines}
        return "forged" in found and found

    found = support.wait_until("lines of the access log", peers)
    assert (found["plain"], found["forged"]) == ("127.0.0.2:0", "127.0.0.2:0"), found


def accepted_connections(server):
    _, _, text = server.send("GET", "/metrics")
    return next(int(line.split()[1]) for line in text.splitlines()
                if line.startswith("laurel_connections_accepted_total "))


def connections_to_the_server_are_kept(proxy, server):
    before = accepted_connections(server)
    for _ in range(20):
        assert proxy.send("GET", f"{BOARD}/count")[0] == 200
    assert accepted_connections(server) - before < 5  # one of them asked for the number


def metrics_are_not_public(proxy):
    status, _, text = proxy.send("GET", "/metrics")
    assert status == 404 and "laurel_" not in text, (status, text)


def statuses(proxy, request, count):
    """Sends `count` requests at once on one connection: their statuses, and the last answer."""
    with proxy.context.wrap_socket(socket.create_connection((support.HOST, proxy.port),
                                                            support.WAIT_S),
                                   server_hostname=NAME) as connection:
        connection.sendall(request.encode() * count)
        found = []
        with connection.makefile("rb") as answers:
            while len(found) < count and (line := answers.readline()):
                found.append(int(line.split()[1]))
                headers = http.client.parse_headers(answers)
                body = answers.read(int(headers["Content-Length"]))
                if headers["Connection"] == "close":
                    break  # after keepalive_requests of nginx
    return found, headers, body


def request(proxy, method, path, body=""):
    return (f"{method} {path} HTTP/1.1\r\nHost: {proxy.authority}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}")


def too_many_requests_are_refused(proxy):
    # The board does not exist, so that no disk slows the requests down.
    write = request(proxy, "POST", "/v1/boards/none/entries", '{"member":"ann","score":1}')
    found, headers, body = statuses(proxy, write, 300)
    assert set(found) == {404, 429}, set(found)
    assert (found[0], found[-1]) == (404, 429), found
    assert headers["Content-Type"] == "application/problem+json", headers
    assert headers["Retry-After"] == "1", headers
    problem = json.loads(body)
    assert (problem["status"], problem["code"]) == (429, "LIMIT"), problem
    # Reads have a limit of their own, those with a body too.
    among = request(proxy, "POST", f"{BOARD}/among", '{"members":["ann"]}')
    assert set(statuses(proxy, among, 40)[0]) == {200}
    reads = request(proxy, "POST", "/v1/read", '{"reads":[{"read":"board","board":"arena"}]}')
    assert set(statuses(proxy, reads, 40)[0]) == {200}
    found = statuses(proxy, request(proxy, "GET", "/v1/boards/none/count"), 900)[0]
    assert set(found) == {404, 429} and found[0] == 404, set(found)


def a_server_that_is_away_is_an_unknown_outcome(proxy, server):
    server.stop()
    # From an address that has not used up its limit.
    status, headers, text = proxy.send("POST", f"{BOARD}/entries", {"member": "bob", "score": 1},
                                       source="127.0.0.3")
    assert (status, json.loads(text)["code"]) == (503, "UNKNOWN"), (status, text)
    assert headers["Content-Type"] == "application/problem+json", headers
    assert headers["Retry-After"] == "1", headers
    server.start()
    status, _, text = proxy.send("GET", f"{BOARD}/entries/ann", source="127.0.0.3")
    assert status == 200, (status, text)


def main():
    support.only_with_all("nginx", "openssl", "curl")
    with support.folder() as folder:
        options = ("--http-hosts", NAME, "--trusted-proxies", support.HOST,
                   "--access-log", folder / "access.log")
        with support.Server(sys.argv[1], folder, *options) as server:
            make_certificate(folder)
            proxy = Proxy(folder, support.free_port())
            write_configuration(folder, proxy.port, server.port)
            command = [support.find("nginx"), "-p", folder, "-c", folder / "nginx.conf"]
            with support.program(command, folder / "nginx.log") as nginx:
                support.wait_until("nginx", lambda: proxy.is_up() or nginx.poll() is not None)
                requests_work_over_tls(proxy)
                clients_speak_http2(proxy)
                names_arrive_as_they_were_sent(proxy, server)
                pages_are_compressed_and_cached(proxy, server)
                events_arrive_one_by_one(proxy)
                the_origin_of_the_page_is_known(proxy)
                the_access_log_has_the_forwarded_address(proxy, folder)
                connections_to_the_server_are_kept(proxy, server)
                metrics_are_not_public(proxy)
                too_many_requests_are_refused(proxy)
                a_server_that_is_away_is_an_unknown_outcome(proxy, server)
                assert support.end(nginx) == 0, "nginx must end in order"


if __name__ == "__main__":
    main()
