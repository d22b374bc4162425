"""Checks the locks with clang's thread-safety analysis (src/base/thread_annotations.h).

usage: check_threads.py SOURCE_DIR

Checked are the source files of src/ that include a header with annotations: these hold the
functions that may access guarded members. The headers with annotations are precompiled once, which
checks their inline functions; then the files are checked, two at a time.

The analysis is first tried on a sample that breaks its rules, to prove that it is switched on.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

JOBS = 2
# Other warnings are the business of the build. (-w would switch these off too.)
COMMAND = ["clang++", "-std=c++20", "-Wno-everything", "-Werror=thread-safety"]
ANNOTATED = re.compile(r"\bLAUREL_(?:CAPABILITY|SCOPED_CAPABILITY|GUARDED_BY|REQUIRES|EXCLUDES)\b")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)

SAMPLE = """
#include "base/fair_lock.h"
#include "base/mutex.h"
struct Sample {
  void Locked() LAUREL_REQUIRES(mutex) { ++count; }
  void Right() {
    laurel::base::MutexLock lock(mutex);
    while (count == 0) changed.Wait(mutex);
    Locked();
    lock.Unlock();
    lock.Lock();
    const laurel::base::FairLockGuard guard(fair);
    ++total;
  }
  MISTAKES
  laurel::base::Mutex mutex;
  laurel::base::CondVar changed;
  laurel::base::FairLock fair;
  int count LAUREL_GUARDED_BY(mutex) = 0;
  int total LAUREL_GUARDED_BY(fair) = 0;
};
"""
# What breaks a rule, and the message for it.
MISTAKES = [
    ("++count;", "writing variable 'count' requires holding mutex 'mutex'"),
    ("++total;", "writing variable 'total' requires holding mutex 'fair'"),
    ("Locked();", "calling function 'Locked' requires holding mutex 'mutex'"),
    ("mutex.Lock();", "mutex 'mutex' is still held at the end of function"),
    (
        "laurel::base::MutexLock lock(mutex); lock.Unlock(); if (count > 0) return;",
        "reading variable 'count' requires holding mutex 'mutex'",
    ),
    ("changed.Wait(mutex);", "calling function 'Wait' requires holding mutex 'mutex'"),
]


def clang(source, arguments, text):
    """Returns the messages of clang; empty if there is no error."""
    flags = ["-I", os.path.join(source, "src"), "-I", os.path.join(source, "include")]
    done = subprocess.run(
        COMMAND + flags + arguments, cwd=source, input=text, capture_output=True, text=True,
        check=False,
    )
    return done.stderr if done.returncode != 0 else ""


def self_test(source, pool):
    mistakes = [f"void Wrong{i}() {{ {code} }}" for i, (code, _) in enumerate(MISTAKES)]
    texts = [SAMPLE.replace("MISTAKES", functions) for functions in ("", "\n".join(mistakes))]
    syntax_only = ["-fsyntax-only", "-x", "c++", "-"]
    right, wrong = pool.map(lambda text: clang(source, syntax_only, text), texts)
    problems = ["the sample without a mistake fails:\n" + right] if right else []
    for code, message in MISTAKES:
        if message not in wrong:
            problems.append(f"the analysis does not find the mistake in '{code}':\n{wrong}")
    return problems


def annotated_files(source):
    """The headers with annotations, and the source files that include one; without tests."""
    texts = {}
    for folder, _, names in os.walk(os.path.join(source, "src")):
        for name in names:
            if name.endswith((".h", ".cc")) and not name.endswith("_test.cc"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    texts[os.path.relpath(path, source)] = file.read()
    headers = sorted(
        path[len("src/"):] for path, text in texts.items()
        if path.endswith(".h") and ANNOTATED.search(text)
    )
    sources = sorted(
        path for path, text in texts.items()
        if path.endswith(".cc") and set(headers).intersection(INCLUDE.findall(text))
    )
    return headers, sources


def check(source, pool):
    headers, paths = annotated_files(source)
    if len(headers) < 15 or len(paths) < 15:
        return [f"only {len(headers)} headers, {len(paths)} files: has the pattern changed?"]
    includes = "".join(f'#include "{header}"\n' for header in headers)
    with tempfile.TemporaryDirectory() as folder:
        precompiled = os.path.join(folder, "headers.pch")
        arguments = ["-fpch-instantiate-templates", "-x", "c++-header", "-", "-o", precompiled]
        if said := clang(source, arguments, includes):
            return [said]
        with_headers = ["-fsyntax-only", "-include-pch", precompiled]
        found = pool.map(lambda path: clang(source, with_headers + [path], None), paths)
        problems = [said for said in found if said]
    print(f"{len(headers)} headers, {len(paths)} files, {len(problems)} with problems")
    return problems


def main():
    source = os.path.abspath(sys.argv[1])
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        problems = self_test(source, pool) or check(source, pool)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
