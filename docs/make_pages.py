#!/usr/bin/env python3
"""Makes the reference pages from the tables of the program.

usage: make_pages.py LAUREL [--check]

LAUREL is the built program: `laurel internals` prints its tables of commands, routes and options.
The words and examples of HTTP come from src/http/openapi.json. The head of each page is written by
hand and stays as it is: commands.md down to its contents, configuration.md down to its first
section, http.md down to a comment that says so. With --check the script writes nothing: it names
what is stale or missing, and exits with 1.
"""

import http
import json
import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parent


def code(text):
    return f"`{text}`"


def size(text):
    return len(text.encode())


def link(heading):
    anchor = heading.lower().replace(".", "").replace(" ", "-")
    return f"[{heading}](#{anchor})"


def contents(sections):
    """The list of links to sections, given their titles with the headings in each."""
    return "".join(
        f"- {link(title)}: {' · '.join(map(link, headings))}\n" for title, headings in sections
    )


def table(heads, rows):
    return f"| {heads} |\n|---|---|---|\n" + "".join(
        "| " + " | ".join(row) + " |\n" for row in rows
    )


# commands.md -------------------------------------------------------------------------------------

COMMANDS_HEAD = re.compile(r".*\n## Contents\n\n", re.S)
USAGE_COLUMNS = 96
# By the group's name in COMMAND DOCS: the title of the section, and what it begins with.
COMMAND_SECTIONS = {
    "leaderboard": (
        "Leaderboards",
        "Ranks are 1-based, best first. A write answers with a verdict, a read with entries: maps "
        "in RESP3, flat arrays of names and values in RESP2. `value …` is one value per field of "
        "the board.",
    ),
    "sorted-set": (
        "Sorted sets",
        "Redis' own, on sorted sets and on leaderboards. Ranks are 0-based. On a leaderboard "
        "scores are exact, ties follow its tie rule, and a score is its first field.",
    ),
    "generic": ("Keys and expiry", "A key is a board that has entries."),
    "transactions": (
        "Transactions",
        "What stands between MULTI and EXEC runs in one piece. As in Redis, a command in it that "
        "fails does not undo the others.",
    ),
    "connection": ("Connections", ""),
    "server": (
        "The server",
        "What clients, tools and consoles ask of a Redis server. Commands that have no meaning "
        "here are known all the same, so that those who send them at start go on.",
    ),
}


def wrapped(usage):
    """The usage on lines of USAGE_COLUMNS, broken between its parts and never inside brackets."""
    parts, depth = [], 0
    for word in usage.split(" "):
        if depth > 0:
            parts[-1] += " " + word
        else:
            parts.append(word)
        depth += word.count("[") - word.count("]")
    lines = [parts[0]]
    for part in parts[1:]:
        if size(lines[-1]) + 1 + size(part) > USAGE_COLUMNS:
            lines.append("   ")
        lines[-1] += " " + part
    return "\n".join(lines)


def command_traits(command):
    text = f"Role {code(command['role'])}"
    if command["compares_below_role"]:
        text += ", below it only compares"
    text += f" · {command['complexity']}"
    for flag, meaning in (
        ("denyoom", "refused beyond `--max-memory`"),
        ("blocking", "may wait"),
        ("no_multi", "not between MULTI and EXEC"),
    ):
        if flag in command["flags"]:
            text += f" · {meaning}"
    return text


def command_text(command, subcommands):
    text = f"\n### {command['name']}\n\n"
    if command["runs_alone"]:
        text += f"```\n{wrapped(command['usage'])}\n```\n\n"
    text += f"{command['summary']}\n"
    if command["runs_alone"]:
        text += f"\n{command_traits(command)}\n"
    if subcommands:
        text += "\n"
    for each in subcommands:
        text += f"- {code(each['usage'])}<br>\n  {each['summary']}<br>\n  {command_traits(each)}\n"
    return text


def commands_page(page, tables):
    groups = {group: [] for group in COMMAND_SECTIONS}
    subcommands = {}
    for command in tables["commands"]:
        container, bar, _ = command["name"].partition("|")
        if bar:
            subcommands[container].append(command)
        else:
            groups[command["group"]].append(command)
            subcommands[container] = []
    text = COMMANDS_HEAD.match(page).group() + contents(
        (COMMAND_SECTIONS[group][0], [command["name"] for command in commands])
        for group, commands in groups.items()
    )
    for group, commands in groups.items():
        title, introduction = COMMAND_SECTIONS[group]
        text += f"\n## {title}\n" + (f"\n{introduction}\n" if introduction else "")
        for command in commands:
            text += command_text(command, subcommands[command["name"]])
    return text


# configuration.md --------------------------------------------------------------------------------

CONFIGURATION_HEAD = re.compile(r".*?\n(?=\n## )", re.S)
# What follows the options of a section.
CONFIGURATION_ENDS = {
    "Access": """
`laurel token [ROLE] [BOARDS] [--name NAME]` makes a random token, prints it once, on standard
error, and prints the lines for the file on standard output:
`laurel token submit 'rank:*' >> laurel.toml` adds one that may submit to boards `rank:…` and
read them. Roles build on each other: `read`, `submit`, `write`, `admin`. The pattern of a `--token`
may contain colons.
""",
    "Boards": """
`--template 'rank:*=FIELDS 1 score:int'` splits at the first `=`: a pattern that contains one
goes into the file.
""",
}


def toml(text):
    return json.dumps(text, ensure_ascii=False)


def option_row(name, default, missing, help_text):
    shown = missing if default is None else code(default)
    return code(name), shown, help_text.replace("|", "\\|")


def list_text(option):
    """The section of an option that is a list of tables."""
    name, keys = option["name"], option["keys"]
    rows = [
        option_row(
            key["name"],
            None if key["default"] is None else toml(key["default"]),
            "must be given",
            key["help"],
        )
        for key in keys
    ]
    example = "".join(f"{key['name']} = {toml(key['example'])}\n" for key in keys)
    return (
        f"\n### `[[{name}]]`\n\n{option['help']}\n\n"
        + table("key | default | meaning", rows)
        + f"\n```toml\n[[{name}]]\n{example}```\n"
        + f"\nAs a flag: `--{name} '{option['value_name']}'`.\n"
    )


def configuration_page(page, tables):
    text = CONFIGURATION_HEAD.match(page).group()
    options = tables["options"]
    for section in dict.fromkeys(option["section"] for option in options):
        own = [option for option in options if option["section"] == section]
        rows = [
            option_row(option["name"], option["default"], "not set", option["help"])
            for option in own
            if not option["keys"]
        ]
        text += f"\n## {section}\n\n" + table("key | default | meaning", rows)
        text += "".join(list_text(option) for option in own if option["keys"])
        text += CONFIGURATION_ENDS.get(section, "")
    return text


# http.md -----------------------------------------------------------------------------------------

HTTP_HEAD = re.compile(r".*\n<!-- From here on the page is made [^\n]*-->\n", re.S)
JSON_COLUMNS = 100
EXACT_INTEGER = 1 << 53  # larger bounds are of no interest

HTTP_ERRORS = """
## Errors

An error is `application/problem+json`:

```json
{"title": "Not Found", "status": 404, "code": "NOMEMBER", "detail": "the member has no entry here",
 "field": "member", "request_id": "e798ad62864e2661"}
```

`code` is stable and for programs, `detail` is for people. `field` names the parameter, the header or the
key of the body that is wrong, as `entries.0.score`; it is absent if there is none. `detail` names it too, because logs
often show the detail alone. A refused request changed nothing, unless its code is `UNKNOWN`. A 503 has
`Retry-After`.

"""

HTTP_ROUTES = """
## Routes

The **role** is what a token must have, as in [commands.md](commands.md); the commands are those that do the
same over RESP. The examples of each section are one session with a new server, from the requests at its
beginning on.

"""

# The requests at the beginning of each section.
ARENA = ("PUT", "/v1/boards/arena", {"policy": "best"})
ENTRIES = "/v1/boards/arena/entries"


def entries(*last, **scores):
    first = [{"member": member, "score": score} for member, score in scores.items()]
    return {"entries": [*first, *last]}


SET_UP = {
    "Boards": [ARENA, ("POST", ENTRIES, entries(ann=100, bob=90, cid=80))],
    "Templates": [("PUT", "/v1/templates/rank:*", {"policy": "best"})],
    "Writes": [
        ARENA,
        ("PUT", "/v1/boards/guilds", {"policy": "sum"}),
        ("POST", ENTRIES, entries(ann=100, bob=90, cid=80, dee=70, eve=60, fay=50)),
    ],
    "Reads": [
        ARENA,
        ("PUT", "/v1/boards/season", {"periods": ["day", "all"]}),
        ("POST", ENTRIES, {"member": "ann", "score": 100, "meta": "Ann A."}),
        ("POST", ENTRIES, entries({"member_base64": "/w==", "score": 70}, bob=90, cid=90)),
        ("POST", "/v1/boards/season/entries", {"member": "ann", "score": 5}),
    ],
    "Events": [
        ARENA,
        ("POST", ENTRIES, {"member": "ann", "score": 100}),
        ("PUT", "/v1/boards/arena/entries/bob/hidden", None),
    ],
    "Server": [],
}

# The targets of an operation's examples, where they are not its path with the examples of the
# path's parameters.
TARGETS = {
    "listBoards": ["/v1/boards?match=a*", "/v1/boards?kind=sorted-set"],
    "createBoard": ["/v1/boards/season"],
    "dropBoard": ["/v1/boards/season"],
    "setTemplate": ["/v1/templates/weekly:*"],
    "deleteTemplate": ["/v1/templates/weekly:*"],
    "removeEntry": ["/v1/boards/arena/entries/gus"],
    "hideMember": ["/v1/boards/arena/entries/eve/hidden"],
    "showMember": ["/v1/boards/arena/entries/eve/hidden"],
    "listEntries": [
        "/v1/boards/arena/entries?limit=2",
        "/v1/boards/arena/entries?offset=-1&kind=dense&meta=1",
    ],
    "getEntry": ["/v1/boards/arena/entries/ann?meta=1"],
    "aroundEntry": ["/v1/boards/arena/entries/bob/around?radius=1"],
    "rankOfScore": ["/v1/boards/arena/rank-of?score=95"],
    "countEntries": ["/v1/boards/arena/count?min=(70&max=%2Binf"],
    "listBetween": ["/v1/boards/arena/between?min=80&limit=1"],
    "getPercentile": ["/v1/boards/arena/percentile?member=bob"],
    "getQuantile": ["/v1/boards/arena/quantile?p=50"],
    "getHistogram": ["/v1/boards/arena/histogram?buckets=2"],
    "listPeriods": ["/v1/boards/season/periods"],
    "listChanges": ["/v1/boards/arena/changes?from=0&limit=10"],
    "followBoard": ["/v1/boards/arena/live?top=2&member=bob"],
}
# Examples of errors, which /openapi.json does not have for each operation: target, status, answer.
REFUSALS = {
    "getEntry": [
        (
            "/v1/boards/arena/entries/zoe",
            404,
            {
                "title": "Not Found",
                "status": 404,
                "code": "NOMEMBER",
                "detail": "the member has no entry here",
                "field": "member",
                "request_id": "e798ad62864e2661",
            },
        )
    ]
}
# Operations whose answers differ from server to server, so that they cannot be replayed.
UNSTABLE = {
    "followBoard",
    "getServer",
    "listClients",
    "listSlowCommands",
    "metrics",
    "openapi",
    "console",
    "consoleAsset",
}


def pretty(value, column=0):
    """JSON that begins at the column. What does not fit on the line is continued under its first
    member; objects in arrays are on lines of their own."""

    def one_line(part):
        return json.dumps(part, ensure_ascii=False)

    def fits(at, text):
        return at + size(text) + 2 <= JSON_COLUMNS  # with room for a comma and brackets

    line = one_line(value)
    if not isinstance(value, (dict, list)) or fits(column, line):
        return line
    is_object = isinstance(value, dict)
    text, indent = "{" if is_object else "[", column + 1
    at = indent
    for number, part in enumerate(value):
        key = one_line(part) + ": " if is_object else ""
        part = value[part] if is_object else part
        piece = key + one_line(part)
        if number > 0:
            breaks = not is_object and isinstance(part, (dict, list)) or not fits(at + 2, piece)
            text += ",\n" + " " * indent if breaks else ", "
            at = indent if breaks else at + 2
        if fits(at, piece):
            text += piece
            at += size(piece)
        else:
            text += key + pretty(part, at + size(key))
            at = JSON_COLUMNS
    return text + ("}" if is_object else "]")


def type_text(row):
    kind = row["type"]
    base64 = f"base64 as {code(row['name'] + '_base64')}"
    if kind == "integer":
        if row["max"] < EXACT_INTEGER:
            return f"integer, {row['min']} to {row['max']}"
        return "integer" + (f" from {row['min']} on" if row["min"] > -EXACT_INTEGER else "")
    if kind == "choice":
        *others, last = map(code, row["choices"])
        return f"{', '.join(others)} or {last}"
    return {
        "bytes": f"text, or {base64}",
        "member": f"text, integer, or {base64}",
        "texts": "text, may be repeated",
    }.get(kind, kind)


def property_table(title, rows, words):
    """The table of parameters or keys: `rows` are those of the program, `words` has the help and
    the default of each by its name."""
    if not rows:
        return ""

    def cells(row):
        help_text, default = words[row["name"]]
        if row["required"]:
            help_text += " Required."
        if default is not None:
            help_text += f" Default {code(default)}."
        null = ", or null" if row["nullable"] else ""
        return code(row["name"]), type_text(row) + null, help_text

    return "\n" + table(f"{title} | type |", map(cells, rows))


class Reference:
    """The part of http.md that is made: from the program's tables and from openapi.json."""

    def __init__(self, tables, document):
        self.tables = tables
        self.document = document
        self.components = document["components"]
        self.roles = {command["name"]: command["role"] for command in tables["commands"]}
        self.groups = {tag["name"]: [] for tag in document["tags"]}
        for route in tables["routes"]:
            self.groups[self.operation(route)["tags"][0]].append(route)

    def operation(self, route):
        return self.document["paths"][route["pattern"]][route["method"].lower()]

    def resolve(self, value):
        if "$ref" not in value:
            return value
        _, _, kind, name = value["$ref"].split("/")
        return self.components[kind][name]

    def parameter_words(self, operation):
        words = {}
        for parameter in map(self.resolve, operation["parameters"]):
            default = parameter["schema"].get("default")
            if default is not None:
                default = str(int(default) if isinstance(default, bool) else default)
            words[parameter["name"]] = parameter["description"], default
        return words

    def key_words(self, schema):
        """In bodies the default is part of the description, because generators of clients take a
        key with a default for one that is always there."""
        words = {}
        for name, described in self.resolve(schema)["properties"].items():
            help_text, _, default = described.get("description", "").partition(" Default: ")
            words[name] = help_text, default[:-1] or None
        return words

    def has_version(self, operation):
        return "ETag" in operation["responses"]["200"]["headers"]

    def traits(self, route, operation):
        """Role `read` · `LB.TOP`, `LB.RANGE` · ETag"""
        role = route["role"]
        parts = ["No token" if role == "none" else f"Role {code(role)}"]
        if route["commands"] and role != "none":
            parts.append(
                ", ".join(
                    code(name.replace("|", " "))
                    + ("" if self.roles[name] == role else f" (role {code(self.roles[name])})")
                    for name in route["commands"]
                )
            )
        if route["takes_id"]:
            parts.append("`Idempotency-Key`")
        if self.has_version(operation):
            parts.append("ETag")
        return " · ".join(parts)

    def errors(self, route):
        """400 `ERR` · 404 `NOBOARD` `NOMEMBER`"""
        codes = {}
        for error in route["errors"]:
            codes.setdefault(error["status"], []).append(code(error["code"]))
        return " · ".join(f"{status} {' '.join(of)}" for status, of in codes.items())

    def examples(self, route, operation):
        """Target, body, status and answer of each example."""
        body = operation.get("requestBody")
        bodies = body["content"]["application/json"]["examples"] if body else {}
        target = re.sub(
            r"{(\w+)}",
            lambda match: self.components["parameters"][match.group(1)]["example"],
            route["pattern"],
        )
        targets = iter(TARGETS.get(route["name"], []))
        for status in ("200", "201"):
            content = operation["responses"].get(status, {}).get("content", {"": {}})
            for name, example in next(iter(content.values())).get("examples", {}).items():
                sent = bodies[name]["value"] if bodies else None
                yield next(targets, target), sent, int(status), example["value"]
        for target, status, answer in REFUSALS.get(route["name"], []):
            yield target, None, status, answer

    def request(self, method, target, body):
        return f"{method} {target}\n" + ("" if body is None else pretty(body) + "\n")

    def example(self, route, target, body, status, answer):
        text = "\n```text\n" if route["name"] in UNSTABLE else "\n```http\n"
        text += self.request(route["method"], target, body)
        text += f"\nHTTP/1.1 {status} {http.HTTPStatus(status).phrase}\n"
        return text + (answer if isinstance(answer, str) else pretty(answer) + "\n") + "```\n"

    def route(self, route):
        operation = self.operation(route)
        help_text = re.sub(r" Needs (no token|the role \w+)\..*$", "", operation["description"])
        text = f"\n### {route['name']}\n\n{code(route['method'] + ' ' + route['pattern'])}\n\n"
        text += f"{help_text}\n\n{self.traits(route, operation)}\n"
        text += property_table("parameter", route["query"], self.parameter_words(operation))
        if route["body"]:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            text += property_table("key of the body", route["body"], self.key_words(schema))
        for row in route["body"]:
            item = {"submits": "submit", "reads": "read"}.get(row["name"])
            if item:
                words = self.key_words(self.components["schemas"][f"{item.title()}Input"])
                text += property_table(f"key of a {item}", self.tables[item], words)
        text += "".join(self.example(route, *each) for each in self.examples(route, operation))
        return text + f"\nErrors: {self.errors(route)}\n"

    def code_help(self, error):
        """What the response of the status says of the code: "NOBOARD: There is … NOMEMBER: …"."""
        for response in self.components["responses"].values():
            problem = response.get("content", {}).get("application/problem+json", {})
            if problem.get("example", {}).get("status") == error["status"]:
                found = re.search(
                    rf"\b{error['code']}: (.*?)(?= [A-Z]+: |$)", response["description"]
                )
                return found.group(1)
        raise KeyError(f"openapi.json has no response of status {error['status']}")

    def text(self):
        rows = [
            (code(error["code"]), str(error["status"]), self.code_help(error))
            for error in self.tables["codes"]
        ]
        text = HTTP_ERRORS + table("code | status | meaning", rows) + HTTP_ROUTES
        text += contents(
            (title, [route["name"] for route in routes]) for title, routes in self.groups.items()
        )
        for tag in self.document["tags"]:
            text += f"\n## {tag['name']}\n\n{tag['description']}\n"
            if SET_UP[tag["name"]]:
                requests = (self.request(*each) for each in SET_UP[tag["name"]])
                text += "\n```http\n" + "\n".join(requests) + "```\n"
            text += "".join(map(self.route, self.groups[tag["name"]]))
        return text


def http_page(page, tables):
    document = json.loads((DOCS.parent / "src/http/openapi.json").read_text())
    return HTTP_HEAD.match(page).group() + Reference(tables, document).text()


def missing_in_chinese(page, tables):
    """The routes and codes that http.zh.md, which is written by hand, does not have."""
    wanted = [f"\n| `{route['method']} {route['pattern']}` |" for route in tables["routes"]]
    wanted += [code(error["code"]) for error in tables["codes"]]
    return [text.strip() for text in wanted if text not in page]


# -------------------------------------------------------------------------------------------------

PAGES = {
    "commands.md": commands_page,
    "configuration.md": configuration_page,
    "http.md": http_page,
}


def main(arguments):
    checks = "--check" in arguments
    programs = [argument for argument in arguments if argument != "--check"]
    if len(programs) != 1:
        sys.exit(__doc__)
    printed = subprocess.run([programs[0], "internals"], check=True, stdout=subprocess.PIPE)
    tables = json.loads(printed.stdout)
    problems = [
        f"docs/http.zh.md lacks {text}"
        for text in missing_in_chinese((DOCS / "http.zh.md").read_text(), tables)
    ]
    for name, make in PAGES.items():
        path = DOCS / name
        page = path.read_text()
        made = make(page, tables)
        if made == page:
            continue
        if checks:
            problems.append(f"docs/{name} is stale; to write it: python3 docs/make_pages.py LAUREL")
        else:
            path.write_text(made)
            print(f"docs/{name} is written")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main(sys.argv[1:])
