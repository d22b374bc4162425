"""Runs a program of examples/seeds and compares what it prints with the expected file of its seed.

usage: run_seed.py LAUREL EXPECTED PROGRAM

EXPECTED is a file of examples/seeds, such as 000.txt: the Python and the C++ program of a seed print
the same. PROGRAM is a Python program of examples/seeds, for which a server is started, or the path
of a C++ program, which needs none.
"""

import os
import subprocess
import sys

import support

EXAMPLES = support.ROOT / "examples/seeds"
PROGRAM_LIMIT_S = 120


def run(command, port=None):
    """Exit code, output and errors of the program."""
    environment = {**os.environ, "LAUREL_REDIS_URL": f"redis://{support.HOST}:{port}"}
    done = subprocess.run(command, env=environment, text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, check=False, timeout=PROGRAM_LIMIT_S)
    return done.returncode, done.stdout, done.stderr


def main():
    binary, expected, program = sys.argv[1], EXAMPLES / sys.argv[2], sys.argv[3]
    if not program.endswith(".py"):
        support.check_output(expected, program, run([program]))
        return
    command = [sys.executable, "-B", EXAMPLES / program]
    with support.folder() as folder, support.Server(binary, folder) as server:
        # Twice: the program drops its boards, so it can be run again.
        for _ in range(2):
            support.check_output(expected, program, run(command, server.resp_port))
    code, output, errors = run(command, support.free_port())
    assert code != 0 and output == "" and errors, "without a server the program must fail"


if __name__ == "__main__":
    main()
