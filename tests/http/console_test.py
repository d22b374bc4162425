"""The web console as the server sends it: its files, codings, caching and security headers.

A program that was built without the console (LAUREL_CONSOLE=off ./dev test -R console) has only the
page that says so. Without that variable its absence is a failure.
"""

import gzip
import os
import re
import unittest

import support
from support import request

IS_OFF = os.environ.get("LAUREL_CONSOLE") == "off"
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
          "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
          "frame-ancestors 'none'")
SECURITY = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
    "png": "image/png",
}
KEPT = "public, max-age=31536000, immutable"
# Files that index.html or a script names.
NAMED = re.compile(rb"""["'(]\.?/?(assets/|\./)([A-Za-z0-9_.-]+\.(?:css|js|svg|woff2|png))["')]""")


class ConsoleTest(support.ServerTest):
    IN_MEMORY = True

    def check_security(self, answer):
        for name, value in SECURITY.items():
            self.assertEqual(answer.header(name), value, name)
        self.check_headers(answer)

    def ask(self, path, method="GET", **headers):
        return self.http.ask(method, path, headers={
            name.replace("_", "-"): value for name, value in headers.items()})


class Page(ConsoleTest):
    def test_is_html_that_is_checked_on_each_visit(self):
        answer = self.ask("/")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.header("content-type"), "text/html; charset=utf-8")
        self.assertEqual(answer.header("cache-control"), "no-cache")
        self.assertEqual(answer.header("vary"), "Accept-Encoding")
        self.assertTrue(answer.body.startswith(b"<!doctype html>"))
        self.check_security(answer)
        self.assertEqual(b"built without the console" in answer.body, IS_OFF,
                         "LAUREL_CONSOLE=off says that it is left out on purpose")

    def test_has_no_script_or_style_that_the_policy_would_block(self):
        body = self.ask("/").body
        for tag in re.findall(rb"<script\b[^>]*>", body):
            self.assertIn(b" src=", tag)
        self.assertNotIn(b"<style", body)
        self.assertNotRegex(body, rb"\s(?:style|on[a-z]+)=")

    def test_every_address_is_relative(self):
        for address in re.findall(rb"""(?:src|href)=["']([^"']*)["']""", self.ask("/").body):
            self.assertNotRegex(address, rb"^(?:/|[a-z]+:)")

    def test_a_known_version_is_not_sent_again(self):
        answer = self.ask("/")
        version = answer.header("etag")
        self.assertRegex(version, r'^"[^"]+"$')
        for known in (version, f"W/{version}", f'"x", {version}', "*"):
            again = self.ask("/", If_None_Match=known)
            self.assertEqual((again.status, again.body), (304, b""), known)
            self.assertEqual(again.header("etag"), version)
            self.assertEqual(again.header("cache-control"), "no-cache")
            self.assertEqual(again.header("vary"), "Accept-Encoding")
            self.assertIsNone(again.header("content-encoding"))
        for known in ('"x"', version.strip('"'), ""):
            self.assertEqual(self.ask("/", If_None_Match=known).status, 200, known)

    def test_other_methods(self):
        self.problem(self.http.post("/", {}), 405, "ERR")
        self.assertEqual(self.http.post("/", {}).header("allow"), "GET, HEAD, OPTIONS")
        self.assertEqual(self.ask("/", "OPTIONS").header("allow"), "GET, HEAD, OPTIONS")

    def test_a_foreign_host_and_a_foreign_origin_are_refused(self):
        for path in ("/", "/assets/x.js"):
            self.problem(self.ask(path, Host="evil.example"), 403, "NOPERM", "Host")
            self.problem(self.ask(path, Origin="http://evil.example"), 403, "NOPERM", "Origin")

    def test_a_file_that_is_not_there(self):
        for path in ("/assets/none.js", "/assets/index.html", "/assets/..%2Findex.html",
                     "/assets/%00", "/assets/assets%2Fx"):
            self.problem(self.ask(path), 404, "ERR", "file")
        for path in ("/index.html", "/assets", "/assets/", "/assets/a/b"):
            self.problem(self.ask(path), 404, "ERR")

    def test_head_has_the_length_of_both_codings(self):
        for coding in ("identity", "gzip"):
            answer = self.ask("/", Accept_Encoding=coding)
            head = self.ask("/", "HEAD", Accept_Encoding=coding)
            self.assertEqual((head.status, head.body), (200, b""))
            for name in ("content-length", "content-type", "etag", "content-encoding", "vary",
                         "content-security-policy"):
                self.assertEqual(head.header(name), answer.header(name), name)
            self.assertEqual(int(head.header("content-length")), len(answer.body))


@unittest.skipIf(IS_OFF, "built without the console")
class Assets(ConsoleTest):
    def files(self):
        """Every file that the page, or a file of it, names: path and contents."""
        found, left = {}, ["/"]
        while left:
            path = left.pop()
            answer = self.ask(path, Accept_Encoding="identity")
            self.assertEqual(answer.status, 200, path)
            found[path] = answer
            for _, name in NAMED.findall(answer.body):
                named = f"/assets/{name.decode()}"
                if named not in found and named not in left:
                    left.append(named)
        return found

    def test_every_file_that_the_console_names_is_there(self):
        files = self.files()
        self.assertTrue(any(path.endswith(".js") for path in files), list(files))
        for path, answer in files.items():
            if path == "/":
                continue
            with self.subTest(path=path):
                kind = path.rsplit(".", 1)[1]
                self.assertEqual(answer.header("content-type"), TYPES[kind])
                self.assertEqual(answer.header("cache-control"), KEPT)
                self.assertEqual(answer.header("vary"), "Accept-Encoding")
                self.assertEqual(int(answer.header("content-length")), len(answer.body))
                self.check_security(answer)

    def test_gzip_is_the_same_file_under_another_version(self):
        packed_files = 0
        for path, plain in self.files().items():
            with self.subTest(path=path):
                self.assertIsNone(plain.header("content-encoding"))
                packed = self.ask(path, Accept_Encoding="gzip, deflate, br")
                if packed.header("content-encoding") is None:  # it would not be smaller
                    self.assertEqual(packed.body, plain.body)
                    continue
                packed_files += 1
                self.assertEqual(packed.header("content-encoding"), "gzip")
                self.assertEqual(gzip.decompress(packed.body), plain.body)
                self.assertLess(len(packed.body), len(plain.body))
                self.assertNotEqual(packed.header("etag"), plain.header("etag"))
                self.check_security(packed)
                known = self.ask(path, Accept_Encoding="gzip", If_None_Match=packed.header("etag"))
                self.assertEqual(known.status, 304)
                other = self.ask(path, Accept_Encoding="gzip", If_None_Match=plain.header("etag"))
                self.assertEqual(other.status, 200)
        self.assertGreater(packed_files, 0)

    def test_the_weights_of_codings_are_honoured(self):
        for accepted, is_packed in (
                ("gzip", True), ("*", True), ("br;q=1, gzip;q=0.5", True), ("GZIP;q=0.001", True),
                ("gzip;q=0", False), ("gzip;q=0, *", False), ("*;q=0", False), ("", False),
                ("identity", False), ("br, deflate", False), ("identity, gzip;q=0.5", False)):
            coding = self.ask("/", Accept_Encoding=accepted).header("content-encoding")
            self.assertEqual(coding == "gzip", is_packed, accepted)

    def test_without_the_header_the_plain_bytes_are_sent(self):
        raw = self.raw()
        raw.send(request("GET", "/"))
        head = raw.read_head()
        self.assertIsNone(head.header("content-encoding"))
        raw.read_bytes(int(head.header("content-length")))

    def test_the_connection_goes_on_after_a_large_file(self):
        path, answer = max(self.files().items(), key=lambda item: len(item[1].body))
        raw = self.raw()
        raw.send(request("GET", path) * 3 + request("GET", "/healthz"))
        for _ in range(3):
            head = raw.read_head()
            self.assertEqual(raw.read_bytes(int(head.header("content-length"))), answer.body)
        self.assertEqual(raw.read_head().status, 200)


class WithTokens(ConsoleTest):
    @classmethod
    def setUpClass(cls):
        _, flag = support.make_token("admin")
        cls.OPTIONS = ("--token", flag, "--cors-origins", "https://game.example")
        super().setUpClass()

    def test_the_page_and_its_files_need_no_token(self):
        answer = self.ask("/")
        self.assertEqual(answer.status, 200)
        for _, name in NAMED.findall(answer.body):
            self.assertEqual(self.ask(f"/assets/{name.decode()}").status, 200)
        self.problem(self.ask("/assets/none.js"), 404, "ERR")
        self.problem(self.ask("/v1/whoami"), 401, "NOAUTH")

    def test_a_wrong_token_does_not_matter(self):
        self.assertEqual(self.ask("/", Authorization="Bearer wrong").status, 200)

    def test_one_vary_header_names_both(self):
        answer = self.ask("/", Origin="https://game.example")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.header("vary"), "Accept-Encoding, Origin")


if __name__ == "__main__":
    support.main()
