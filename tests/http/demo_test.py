"""`laurel demo`, as the console shows it: where the console is, and what is on the boards."""

import json
import os
import re
import subprocess
import tempfile
import unittest

import support


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.output = tempfile.NamedTemporaryFile(suffix=".out")
        cls.process = subprocess.Popen(
            [support.binary, "demo", "--port", "0", "--http-port", "0"],
            stdin=subprocess.DEVNULL, stdout=cls.output, stderr=subprocess.DEVNULL)
        if not support.eventually(lambda: "Ctrl-C" in cls.text(), support.SANITIZED_START_S):
            cls.process.kill()
            raise AssertionError(f"the demo does not start: {cls.text()}")
        cls.port = int(re.search(r"\bhttp [^ ]*:([0-9]+)", cls.text())[1])

    @classmethod
    def tearDownClass(cls):
        cls.process.terminate()
        code = cls.process.wait(support.SANITIZED_START_S)
        cls.output.close()
        if code != 0:
            raise AssertionError(f"the demo ended with {code}")

    @classmethod
    def text(cls):
        with open(cls.output.name, encoding="utf-8") as output:
            return output.read()

    def setUp(self):
        self.http = support.HttpClient(self.port)
        self.addCleanup(self.http.close)

    def read(self, path):
        answer = self.http.get(path)
        self.assertEqual(answer.status, 200, str(answer))
        return answer.json

    def test_says_where_the_console_is_right_after_the_ready_line(self):
        ready, after = self.text().splitlines()[:2]
        self.assertRegex(ready, r"^laurel [^ ]+ ready: ")
        if os.environ.get("LAUREL_CONSOLE") == "off":
            self.assertNotIn("Console:", self.text())
        else:
            self.assertEqual(after, f"Console: http://127.0.0.1:{self.port}/")

    def test_boards_are_filled_from_the_start_and_the_sorted_set_can_be_adopted(self):
        sizes = {line["board"]: line["size"] for line in self.read("/v1/boards")["boards"]}
        self.assertEqual(sizes, {"run": 6, "race": 3, "arena": 24, "event": 300})
        self.assertEqual(self.read("/v1/boards/arena@all/count")["count"], 24)
        sets = self.read("/v1/boards?kind=sorted-set")["boards"]
        self.assertEqual([(line["board"], line["size"]) for line in sets], [("weekly-zset", 24)])
        adopted = self.http.put("/v1/boards/weekly-zset", {"adopt": True, "policy": "best"})
        self.assertEqual((adopted.status, adopted.json["size"]), (201, 24), str(adopted))

    def test_members_of_the_event_have_a_name_and_reached_their_score_in_its_window(self):
        event = self.read("/v1/boards/event")
        self.assertEqual((event["policy"], event["cap"]), ("best", 1000))
        page = self.read("/v1/boards/event/entries?limit=1000&meta=1")
        names = {json.loads(entry["meta"])["name"] for entry in page["entries"]}
        self.assertEqual(len(names), 300)
        for entry in page["entries"]:
            self.assertLessEqual(event["start"], entry["reached"])
            self.assertLess(entry["reached"], event["end"])
        buckets = self.read("/v1/boards/event/histogram?buckets=10")["buckets"]
        self.assertTrue(all(bucket["count"] > 0 for bucket in buckets[2:7]), buckets)

    def test_traffic_reaches_both_boards(self):
        for board in ("arena", "event"):
            before = self.read(f"/v1/boards/{board}/entries")["version"]
            self.assertTrue(support.eventually(
                lambda: self.read(f"/v1/boards/{board}/entries")["version"] != before), board)


if __name__ == "__main__":
    support.main()
