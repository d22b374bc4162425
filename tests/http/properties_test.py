"""An error names the property that is wrong: every property of every route gets wrong values."""

import json
import unittest

import support

# Wrong values of parameters, by name: all routes that have the parameter refuse them.
QUERY = {
    "match": ["m" * 1025],
    "cursor": ["zz", "-1", "", "+1", "99999999999999999999"],
    "limit": ["x", "-1", "", "1e1", "+5", "10001", "99999999999999999999", "1 "],
    "offset": ["x", "", "1.5", "9007199254740993", "99999999999999999999"],
    "kind": ["best", "Dense", ""],
    "meta": ["2", "yes", ""],
    "radius": ["x", "-1", "501"],
    "buckets": ["x", "0", "1001"],
    "min": ["x", "((1", "nan", ""],
    "max": ["x", "1)", "1e", ""],
    "p": ["x", "-1", "101", "", "1.0000000001"],
    "from": ["nonsense", "1-2", "-0", ""],
    "wait": ["x", "0", "60001"],
    "top": ["x", "-1", "1001"],
    "score": ["x", "1.5", ""],
}
# The same for bodies.
TIMES = ["soon", "2030-01-01T00:00:00", 200_000_000_000, "", -1]
BODY = {
    "fields": [[], "score", [1], [{"type": "int"}], [{"name": "x", "type": "double"}], ["a", "a"],
               ["a:int:up"]],
    "tie": ["none", 1, None],
    "periods": ["day", ["fortnight"], ["day", "day"], [1]],
    "turn": ["24:00", 4],
    "tz": ["Mars/Olympus", 1],
    "policy": ["worst", 1],
    "cap": [-1, "many", 1.5, True],
    "start": TIMES,
    "end": TIMES,
    "grace": ["1 fortnight", "90", 90],
    "expire": ["long", 30],
    "keep": [-1, "two", 1e30],
    "dedup": [-1, 1.5, 10_000_001],
    "adopt": ["yes", 1],
    "member": [None, 1.5, ["ann"]],
    "member_base64": ["!", 1],
    "score": ["x", True, [1, None], {"none": 1}, [1, 2]],
    "op": ["add", 1],
    "if": ["always", 1],
    "at": TIMES + ["2090-01-01T00:00:00Z"],
    "meta": [1, None],
    "meta_base64": ["!"],
    "entries": [[], "ann", ["ann"], [{"member": "ann"}], [{"member": "ann", "score": "x"}]],
    "submits": [[], {}, [1], [{"board": "b", "member": "ann", "score": "x"}]],
    "reads": [[], {}, [1], [{"read": "count"}], [{"read": "size", "board": "b"}]],
    "members": ["ann", [1.5], [{"member_base64": "!"}]],
    "n": [-1, 1.5, "1", True],
    "bottom": [1, "yes"],
}
# Properties of the body that only some routes refuse so.
MORE = {("popEntries", "n"): [1001]}
# Any text is a value.
ANY_TEXT = {("getPercentile", "member"), ("listChanges", "member"), ("followBoard", "member")}
# A body that is right, to which the wrong property is added.
RIGHT = {
    "amongMembers": {"members": ["ann"]},
    "popEntries": {"n": 1},
    "writeEntries": {"member": "ann", "score": 1},
    "submitToBoards": {"submits": [{"board": "b", "member": "ann", "score": 1}]},
}
REQUIRED = {"rankOfScore": "score=1", "getPercentile": "member=ann", "getQuantile": "p=50"}
# Parameters of the items of POST /v1/read, with the read that takes them.
READS = {"limit": "entries", "offset": "entries", "kind": "entries", "meta": "entries",
         "radius": "around", "buckets": "histogram", "min": "count", "max": "between",
         "p": "quantile"}


class EveryProperty(support.ServerTest):
    def setUp(self):
        super().setUp()
        self.http.put("/v1/boards/b", {})
        self.api = self.ok(self.http.get("/openapi.json"))

    def operations(self):
        for pattern, methods in self.api["paths"].items():
            for method, operation in methods.items():
                path = pattern.replace("{board}", "b").replace("{member}", "ann")
                yield method.upper(), path.replace("{pattern}", "x*"), operation

    def body_of(self, operation):
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        return self.api["components"]["schemas"][schema["$ref"].split("/")[-1]]["properties"]

    def detail(self, answer, field):
        """The detail of a refusal that names the property."""
        self.assertIn(answer.status, (400, 413, 422), str(answer))
        body = self.problem(answer, answer.status, answer.json["code"])
        self.assertEqual(body.get("field", "").split(".")[0], field, str(answer))
        return body["detail"]

    def test_of_every_query(self):
        for method, path, operation in self.operations():
            name = operation["operationId"]
            body = None if method == "GET" else RIGHT.get(name, {})
            for parameter in operation.get("parameters", []):
                field = parameter.get("name")
                if parameter.get("in") != "query" or (name, field) in ANY_TEXT:
                    continue
                required = REQUIRED.get(name, "")
                query = "" if required.startswith(field) else f"&{required}"
                for value in QUERY[field]:
                    with self.subTest(route=name, field=field, value=value):
                        answer = self.http.ask(
                            method, f"{path}?{field}={support.quoted(value)}{query}", body)
                        detail = self.detail(answer, field)
                        if value and len(value) < 100:
                            self.assertIn(value, detail)
                        if field not in ("from", "p"):
                            self.assertIn(field, detail)
                if field not in ("score", "member"):  # which may be repeated
                    with self.subTest(route=name, field=field, value="twice"):
                        self.detail(self.http.ask(method, f"{path}?{field}=1&{field}=1", body),
                                    field)

    def test_of_every_body(self):
        for method, path, operation in self.operations():
            if "requestBody" not in operation:
                continue
            name = operation["operationId"]
            for field, schema in self.body_of(operation).items():
                for value in BODY[field] + MORE.get((name, field), []):
                    if value is None and "null" in json.dumps(schema):
                        continue
                    with self.subTest(route=name, field=field, value=value):
                        body = dict(RIGHT.get(name, {}), **{field: value})
                        if field == "entries":
                            body = {field: value}
                        if field == "member_base64":
                            del body["member"]
                        self.detail(self.http.ask(method, path, body), field)

    def test_of_every_read(self):
        good = {"read": "board", "board": "b"}
        for field, read in READS.items():
            for value in QUERY[field]:
                with self.subTest(field=field, value=value):
                    is_number = value.lstrip("-").isdecimal()
                    item = {"read": read, "board": "b", field: int(value) if is_number else value}
                    if read == "around":
                        item["member"] = "ann"
                    answer = self.http.post("/v1/read", {"reads": [good, item]})
                    if value in ("-1", "101") and field == "p":  # the board refuses it
                        self.assertEqual(self.ok(answer)["results"][1]["code"], "ERR")
                        continue
                    body = self.problem(answer, 400, "ERR", field=f"reads.1.{field}")
                    self.assertIn(f"reads.1.{field}", body["detail"])
                    if "got a " not in body["detail"]:
                        self.assertIn(value, body["detail"])

    def test_a_score_of_a_read_is_refused_in_its_place(self):
        for score, code in ((["1", "2"], "ERR"), ({"none": 1}, "ERR"), ("x", "BADSCORE")):
            with self.subTest(score=score):
                results = self.ok(self.http.post("/v1/read", {"reads": [
                    {"read": "rank-of", "board": "b", "score": score},
                    {"read": "count", "board": "b"}]}))["results"]
                self.assertEqual(results[0]["code"], code)
                self.assertIn("count", results[1])

    def test_numbers_of_a_stream(self):
        for path, field in (("live?top=x", "top"), ("live?top=1001", "top"),
                            ("changes?limit=0", "limit"), ("changes?wait=60001", "wait"),
                            ("changes?from=x", "from")):
            with self.subTest(path=path):
                stream = self.stream("/v1/boards/b/" + path,
                                     headers={"Accept": "text/event-stream"})
                self.detail(stream.open(), field)
        stream = self.stream("/v1/boards/b/changes", headers={"Last-Event-ID": "x"})
        self.detail(stream.open(), "Last-Event-ID")

    def test_a_page_of_no_entries(self):
        for query in ("?limit=0", "?offset=0&limit=0", "?offset=3&limit=0", "?offset=-3&limit=0"):
            with self.subTest(query=query):
                self.assertEqual(self.entries("b", query), [])


if __name__ == "__main__":
    support.main()
