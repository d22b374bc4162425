"""Rules of style that a program can check, for every C++ file of the tree.

usage: check_style.py SOURCE_DIR

1. No retired word: words that once had several meanings, or that describe code as if it were a
   person. RETIRED says what to write instead.
2. No function above 60 lines, except those of long_functions.txt, which may only shrink: an entry
   that is too large for its function is a failure too.
3. A header includes the standard header of each standard name that it uses. (That it compiles
   alone with precompiled standard headers is checked by the build.)

Each rule is first tried on a sample that breaks it.
"""

import os
import re
import subprocess
import sys

MAX_LINES = 60
FOLDERS = ("include", "src", "tests", "bench", "fuzz", "examples")

# (pattern, where it is retired, where it is looked for, what to write instead). The second is a
# pattern of paths; the third is "code" (identifiers), "comments" or "all".
RETIRED = [
    (r"[Uu]nsettled", r"", "all", "unconfirmed requests, lenient replay"),
    (r"(Foresee|LookAfter|IsTold|Unknow(?!n))\w*", r"", "code", "Predict, RunDue, MayPublish"),
    (r"(?:k?[Nn]obody|[Ss]omebody)\w*", r"", "code", "name the subject"),
    (r"(?:Held|Own|Awaited|Counting|End|Take|Finish|Close\w*)Turns?", r"", "code", "Pipeline"),
    (r"turns?_?", r"^src/(engine|server)/", "code", "pipeline, or turn of a period"),
    (r"Turn", r"^src/(engine|server|storage)/", "code", "Pipeline"),
    (r"[Rr]ecords?_?", r"^src/core/", "code", "cell (record is a record of the log)"),
    (r"parts?_?|Part", r"^src/leaderboard/", "code", "instance, StoredInstance"),
    (r"Key", r"^src/engine/", "code", "NamedBoard"),
    (r"Host", r"^src/(engine|server|cli)/", "code", "ServerCallbacks, address"),
    (r"\b[Ss]o many\b", r"", "comments", "N, or the parameter's name"),
    (r"\b[Ww]hoever\b", r"", "comments", "name the subject"),
    (r"\b([Ss]omebody|[Nn]obody|[Ee]verybody|[Aa]nybody)\b", r"", "comments", "name the subject"),
    (r"\b([Hh]im|[Hh]e)\b", r"", "comments", "the reader, the client"),
    (r"\b(is|are|was|were|be) told\b", r"", "comments", "say who notifies, publishes or replies"),
    (r"\b[Ww]ho (has|is|may|asks|follows|waits|was|reads|writes)\b", r"", "comments",
     "the reader, the client, the caller"),
]

# Standard headers, and the names that need them.
STANDARD = {
    "string": r"std::(?:string|to_string|stoi)\b(?!_view)",
    "string_view": r"std::string_view\b",
    "vector": r"std::vector\b",
    "map": r"std::(?:multi)?map\b",
    "set": r"std::(?:multi)?set\b",
    "unordered_map": r"std::unordered_map\b",
    "unordered_set": r"std::unordered_set\b",
    "deque": r"std::deque\b",
    "list": r"std::list\b",
    "array": r"std::array\b",
    "span": r"std::span\b",
    "optional": r"std::(?:optional|nullopt)\b",
    "variant": r"std::(?:variant|visit|get_if|monostate|holds_alternative)\b",
    "functional": r"std::function\b",
    "memory": r"std::(?:unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared)\b",
    "memory_resource": r"std::pmr::",
    "atomic": r"std::atomic\b",
    "mutex": r"std::(?:mutex|lock_guard|unique_lock|scoped_lock)\b",
    "condition_variable": r"std::condition_variable\b",
    "thread": r"std::thread\b",
    "utility": r"std::(?:pair|move|exchange|swap)\b",
    "cstdint": r"std::u?int(?:8|16|32|64)_t\b",
    "algorithm": r"std::(?:min|max|sort|find|find_if|any_of|all_of|copy_n|clamp)\b",
    "bit": r"std::(?:bit_cast|popcount|countl_zero|countr_zero|bit_width|has_single_bit)\b",
    "chrono": r"std::chrono::",
    "limits": r"std::numeric_limits\b",
    "filesystem": r"std::filesystem::",
    "initializer_list": r"std::initializer_list\b",
    "system_error": r"std::error_code\b",
}
# A header whose include brings another one's names by its contract.
IMPLIED = {"initializer_list": {"array", "vector", "string", "map", "set", "utility"}}

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S
)


def without(text, keep_comments):
    """The text with strings blanked, and comments either kept alone or blanked; lines stay."""
    kept, last = [], 0
    for match in TOKEN.finditer(text):
        outside, token = text[last : match.start()], match.group(0)
        is_comment = token.startswith(("//", "/*"))
        kept.append(re.sub(r"[^\n]", " ", outside) if keep_comments else outside)
        wanted = is_comment if keep_comments else False
        kept.append(token if wanted else re.sub(r"[^\n]", " ", token))
        last = match.end()
    rest = text[last:]
    kept.append(re.sub(r"[^\n]", " ", rest) if keep_comments else rest)
    return "".join(kept)


def retired_words(path, text):
    code, comments = without(text, False), without(text, True)
    for pattern, where, part, instead in RETIRED:
        if not re.search(where, path):
            continue
        for name, part_text in (("code", code), ("comments", comments)):
            if part not in (name, "all"):
                continue
            bounded = pattern if part == "comments" else rf"(?<![\w]){pattern}(?![\w])"
            for match in re.finditer(bounded, part_text):
                line = part_text.count("\n", 0, match.start()) + 1
                yield f"{path}:{line}: '{match.group(0)}' is retired: {instead}"


NOT_FUNCTIONS = re.compile(
    r"^\s*(?:inline )?(?:namespace|enum|extern|union|typedef|using|if|for|while|switch|do|else|try)\b"
)
CLASS = re.compile(r"^\s*(?:template <.*> )?(?:class|struct)\b(?!.*\()")


def functions(text):
    """Yields (name, first line, lines) of each function. Relies on the layout of clang-format."""
    lines = without(text, False).split("\n")
    class_indents = [0]
    i = 0
    while i < len(lines):
        line = lines[i]
        indent = len(line) - len(line.lstrip())
        if not line.strip() or line.lstrip().startswith("#"):
            i += 1
            continue
        if line.strip() in ("};", "}") and indent in class_indents[1:]:
            class_indents = [known for known in class_indents if known < indent + 2] or [0]
            i += 1
            continue
        if indent not in class_indents:
            i += 1
            continue
        begin, head = i, line
        while not head.rstrip().endswith(("{", ";", "}", ":", ",")) or (
            head.rstrip().endswith((",", ":")) and "(" in head
        ):
            i += 1
            if i >= len(lines) or (lines[i].strip() and len(lines[i]) - len(lines[i].lstrip()) < indent):
                break
            head += " " + lines[i].strip() if i < len(lines) else ""
            if len(head) > 4000:
                break
        head = head.strip()
        if CLASS.match(head) and head.endswith("{"):
            class_indents.append(indent + 2)
        elif head.endswith("{") and "(" in head and not NOT_FUNCTIONS.match(head):
            end = i + 1
            closing = " " * indent + "}"
            while end < len(lines) and not (
                lines[end].startswith(closing) and lines[end][indent : indent + 1] == "}"
            ):
                end += 1
            name = re.search(r"([\w:~]+(?:\(\))?|operator[^\s(]+)\s*\(", head)
            test = re.match(r"(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)", head)
            yield (f"{test.group(1)}.{test.group(2)}" if test else name.group(1)), begin + 1, end - begin + 1
            i = end
        i += 1


def long_functions(path, text, allowed, seen):
    for name, line, lines in functions(text):
        key = f"{path} {name}"
        limit = allowed.get(key, MAX_LINES)
        if lines > MAX_LINES:
            seen[key] = max(lines, seen.get(key, 0))
        if lines > limit:
            yield f"{path}:{line}: {name} has {lines} lines, more than {limit}: split it"


def missing_includes(path, text):
    if not path.endswith(".h"):
        return
    included = set(re.findall(r"^#include <([\w/.]+)>", text, re.M))
    code = without(text, False)
    for header, pattern in STANDARD.items():
        if header in included or included & IMPLIED.get(header, set()):
            continue
        match = re.search(pattern, code)
        if match:
            line = code.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: uses {match.group(0)} without #include <{header}>"


def self_test():
    long_body = "int F() {\n" + "  x();\n" * MAX_LINES + "}\n"
    assert list(retired_words("src/a.cc", "int unsettled = 0;\n"))
    assert list(retired_words("src/a.h", "// Nobody reads it.\n"))
    assert not list(retired_words("src/a.cc", 'Say("nobody");\n'))
    assert list(long_functions("src/a.cc", long_body, {}, {}))
    assert not list(long_functions("src/a.cc", long_body, {"src/a.cc F": MAX_LINES + 2}, {}))
    assert list(missing_includes("src/a.h", "std::vector<int> x;\n"))
    assert not list(missing_includes("src/a.h", "#include <vector>\nstd::vector<int> x;\n"))
    in_class = "class A {\n public:\n  void G() {\n" + "    x();\n" * MAX_LINES + "  }\n};\n"
    assert [name for name, _, _ in functions(in_class)] == ["G"]


def read_allowed(source):
    allowed = {}
    with open(os.path.join(source, "tests/style/long_functions.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                lines, path, name = line.split(None, 2)
                allowed[f"{path} {name.strip()}"] = int(lines)
    return allowed


def sources(source):
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS],
        cwd=source, capture_output=True, text=True, check=True,
    ).stdout.split("\n")
    return sorted(path for path in set(listed) if path.endswith((".h", ".cc")))


def main():
    self_test()
    source = sys.argv[1]
    allowed, seen, problems = read_allowed(source), {}, []
    paths = [path for path in sources(source) if os.path.exists(os.path.join(source, path))]
    for path in paths:
        with open(os.path.join(source, path), encoding="utf-8") as file:
            text = file.read()
        problems += retired_words(path, text)
        problems += long_functions(path, text, allowed, seen)
        if path.startswith(("src/", "include/")):
            problems += missing_includes(path, text)
    for key, lines in allowed.items():
        if seen.get(key, 0) < lines:
            now = seen.get(key)
            problems.append(f"long_functions.txt: {key}: " + (f"shrink the entry to {now}" if now else "remove the entry"))
    for problem in problems:
        print(problem)
    print(f"{len(paths)} files, {len(problems)} problems")
    return 1 if problems or len(paths) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
