"""Runs a program of examples/http against a server and compares what it prints with output.txt.

usage: run_example.py LAUREL PROGRAM

PROGRAM is leaderboard.sh, .py, .mjs or .go. Go is tested by ./dev test --all only.
"""

import os
import subprocess
import sys

import support

EXAMPLES = support.ROOT / "examples/http"
PROGRAM_LIMIT_S = 120
COMMANDS = {".sh": ["sh"], ".py": [sys.executable], ".mjs": ["node"], ".go": ["go", "run"]}


def run(program, server, token):
    """Exit code, output and errors of the program."""
    environment = {**os.environ, "LAUREL_URL": server.url}
    environment.pop("LAUREL_TOKEN", None)
    if token:
        environment["LAUREL_TOKEN"] = token
    # What Go compiles stays in build/, whatever the preset.
    environment.update(GOCACHE=str(support.ROOT / "build/go/cache"),
                       GOPATH=str(support.ROOT / "build/go"))
    done = subprocess.run([*COMMANDS[program.suffix], program], env=environment, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          timeout=PROGRAM_LIMIT_S)
    return done.returncode, done.stdout, done.stderr


def prints_what_is_documented(program, server, token):
    support.check_output(EXAMPLES / "output.txt", program.name, run(program, server, token))


def main():
    binary, program = sys.argv[1], EXAMPLES / sys.argv[2]
    if program.suffix == ".go":
        support.only_with_all("go")
    token, option = support.new_token("example", "admin")
    with support.folder() as folder, support.Server(binary, folder, "--token", option) as server:
        prints_what_is_documented(program, server, token)
        # The program has dropped its board, so it can be run again.
        prints_what_is_documented(program, server, token)
        code, output, errors = run(program, server, None)
        assert code != 0 and output == "" and errors, "without a token the program must fail"


if __name__ == "__main__":
    main()
