// What the node drivers share: finding the client's package, checking, waiting, restarting.

import assert from 'node:assert/strict';
import { readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';

export const [host, port] = [process.argv[2], Number(process.argv[3])];
export const onLaurel = (process.env.LAUREL_TARGET ?? 'laurel') === 'laurel';
export const canRestart = process.env.LAUREL_CONTROL !== undefined;

const WAIT_LIMIT_MS = 30_000;
let lastPassed = 'the start';

// A client package from the folder that `npm ci` filled, which is not above this file.
export function load(name) {
  const folder = process.env.LAUREL_MODULES;
  try {
    return createRequire(folder ? `${folder}/` : import.meta.url)(name);
  } catch (error) {
    console.error(`no npm package '${name}' (${error.code}): ./dev test installs it`);
    process.exit(1);
  }
}

// Some replies are objects without a prototype; what counts is what they hold.
function plain(value) {
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

export function check(what, actual, expected) {
  const [left, right] = [plain(actual), plain(expected)];
  assert.ok(
    isDeepStrictEqual(left, right),
    `${what}: expected ${inspect(right)}, got ${inspect(left)}`,
  );
  lastPassed = what;
}

export async function checkRejects(what, type, text, promise) {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  assert.ok('error' in outcome, `${what}: expected ${type.name}, got ${JSON.stringify(outcome)}`);
  assert.ok(
    outcome.error instanceof type && outcome.error.message.includes(text),
    `${what}: expected ${type.name} with '${text}', got ${outcome.error}`,
  );
  lastPassed = what;
}

export async function waitUntil(what, condition) {
  const deadline = Date.now() + WAIT_LIMIT_MS;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `${what} did not happen within ${WAIT_LIMIT_MS} ms`);
    await sleep(5);
  }
}

// Asks the runner to `stop` or `start` the server; see run.py.
export function control(request) {
  const [requestFd, replyFd] = process.env.LAUREL_CONTROL.split(' ').map(Number);
  writeSync(requestFd, `${request}\n`);
  const reply = Buffer.alloc(3);
  readSync(replyFd, reply);
  assert.equal(reply.toString(), 'ok\n', `the runner's answer to ${request}`);
}

// The object of a RESP2 reply that is a map in RESP3.
export function flatMap(reply) {
  if (!Array.isArray(reply)) return { ...reply };
  const pairs = [];
  for (let i = 0; i < reply.length; i += 2) pairs.push([reply[i], reply[i + 1]]);
  return Object.fromEntries(pairs);
}

export function infoField(info, name) {
  return info.match(new RegExp(`^${name}:(.*?)\r?$`, 'm'))?.[1];
}

// Runs the tests in turn; the first failure ends the process, naming test and check.
export async function runAll(client, tests) {
  let current;
  try {
    for (current of tests) await current();
  } catch (error) {
    console.error(`${client}: ${current.name}, after '${lastPassed}': ${error.stack}`);
    process.exit(1);
  }
  console.log(`${client}: ${tests.length} tests passed`);
  process.exit(0);
}

// Writes of doubles to an `int` leaderboard, and what LB.GET must then say.
export const wholeNumbers = [
  ['a', 95, '95'],
  ['b', 95.0, '95'],
  ['c', 1e7, '10000000'],
  ['d', 1e16, '10000000000000000'],
  ['e', -3, '-3'],
  ['f', 2 ** 53, '9007199254740992'],
  ['g', -0.0, '0'],
  ['h', -1e18, '-1000000000000000000'],
];

export const seedScores = [['user1', 89], ['user2', 95], ['user3', 95], ['user4', 90]];
export const firstCome = [['user2', 95], ['user3', 95], ['user4', 90], ['user1', 89]];
export const asInRedis = [['user3', 95], ['user2', 95], ['user4', 90], ['user1', 89]];
