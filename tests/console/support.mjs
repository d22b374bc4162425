// What the browser tests share: servers, a browser, and checks.
//
// A test program is called as `node NAME_test.mjs BINARY CLOCK_MODULE` (./dev test does). It starts
// servers of its own on free ports and ends them by their process ids. Screenshots go to
// build/console/screenshots. Waiting has limits so that a failure ends: none of them is a measurement.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium, launchOptions, packageOf } from './chromium.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const limitMs = 120_000;
const [binary, clockModule] = process.argv.slice(2);
if (binary === undefined) {
  console.error('usage: NAME_test.mjs BINARY [CLOCK_MODULE]');
  process.exit(2);
}

export const axeSource = readFileSync(packageOf.resolve('axe-core/axe.min.js'), 'utf8');

/** Calls check() until it is true, and returns its value. */
export async function eventually(what, check) {
  const deadline = Date.now() + limitMs;
  let last;
  do {
    last = await check();
    if (last) return last;
    await sleep(20);
  } while (Date.now() < deadline);
  assert.fail(`${what} did not happen within ${limitMs} ms`);
}

// Servers ------------------------------------------------------------------------------------------

const servers = new Set();
after(async () => {
  for (const server of servers) await server.close();
});

/** A clock for a server: its system clock shows what `set` says. */
export class Clock {
  constructor(time) {
    this.folder = mkdtempSync(path.join(tmpdir(), 'laurel-clock-'));
    this.file = path.join(this.folder, 'clock');
    writeFileSync(this.file, Buffer.alloc(8));
    this.set(time);
  }

  /** Milliseconds since the epoch, or a text that Date reads. The file is mapped: it keeps its inode. */
  set(time) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(new Date(time).getTime()) * 1000n);
    writeFileSync(this.file, bytes, { flag: 'r+' });
  }

  environment() {
    return { LD_PRELOAD: clockModule, LAUREL_FILE_CLOCK: this.file };
  }
}

/** One server process with a data folder, which start() after stop() or kill() uses again. */
export class Server {
  constructor(options = [], { clock, inMemory = false } = {}) {
    this.options = options;
    this.inMemory = inMemory;
    this.environment = clock === undefined ? {} : clock.environment();
    this.folder = mkdtempSync(path.join(tmpdir(), 'laurel-console-'));
    this.ports = { resp: 0, http: 0 };
    servers.add(this);
  }

  async start() {
    const where = this.inMemory ? ['--in-memory'] : ['--data', path.join(this.folder, 'data')];
    const ports = ['--port', this.ports.resp, '--http-port', this.ports.http].map(String);
    const [output, log] = ['stdout', 'stderr'].map((name) => path.join(this.folder, name));
    this.process = spawn(binary, ['serve', ...ports, ...where, ...this.options], {
      stdio: ['ignore', openSync(output, 'w'), openSync(log, 'a')],
      env: { ...process.env, ...this.environment },
    });
    const ready = await eventually('the start of the server', () => {
      assert.equal(this.process.exitCode, null, readFileSync(log, 'utf8'));
      return /\bready: resp \S*:(\d+), http \S*:(\d+)/.exec(readFileSync(output, 'utf8'));
    });
    this.ports = { resp: Number(ready[1]), http: Number(ready[2]) };
    return this;
  }

  /** The address of the console. */
  get url() {
    return `http://127.0.0.1:${this.ports.http}/`;
  }

  async #end(signal) {
    if (this.process === undefined) return;
    const { process: ended } = this;
    this.process = undefined;
    if (ended.exitCode !== null) return;
    const over = new Promise((done) => ended.once('exit', done));
    ended.kill(signal);
    await over;
  }

  stop() {
    return this.#end('SIGTERM');
  }

  kill() {
    return this.#end('SIGKILL');
  }

  /** The server reads the tokens of its configuration file again. */
  reloadTokens() {
    this.process.kill('SIGHUP');
  }

  async close() {
    servers.delete(this);
    await this.#end('SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A request as another program would send it. Returns the JSON; fails on an error. */
  async api(method, target, body, token) {
    const headers = { 'Content-Type': 'application/json' };
    if (token !== undefined) headers.Authorization = `Bearer ${token}`;
    const answer = await fetch(new URL(`/v1/${target}`, this.url), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const json = await answer.json();
    assert.ok(answer.ok, `${method} ${target}: ${JSON.stringify(json)}`);
    return json;
  }
}

/** {secret, option}: a token, and the value of --token for it. */
export function makeToken(role, pattern = '*') {
  const made = spawnSync(binary, ['token', role, pattern], {
    encoding: 'utf8',
  });
  return {
    secret: made.stderr.split('\n')[0],
    option: /--token '([^']*)'/.exec(made.stdout)[1],
  };
}

/** A connection as Redis' clients have one: words are texts or bytes, replies are RESP2's. */
export class Resp {
  #socket;
  #received = Buffer.alloc(0);
  #waiting = [];

  static async open(test, server) {
    const client = new Resp();
    client.#socket = connect(server.ports.resp, '127.0.0.1');
    client.#socket.on('data', (bytes) => client.#take(bytes));
    client.#socket.on('error', (error) => client.#fail(error));
    client.#socket.on('close', () => client.#fail(new Error('the connection is closed')));
    test.after(() => client.close());
    await new Promise((done) => client.#socket.once('connect', done));
    return client;
  }

  /** The reply of one command; an error reply is thrown. */
  call(...words) {
    return this.pipeline([words]).then(([reply]) => reply);
  }

  /** The replies of many commands that are sent without waiting. */
  pipeline(commands) {
    const replies = commands.map(
      () => new Promise((accept, reject) => this.#waiting.push({ accept, reject })),
    );
    this.#socket.write(Buffer.concat(commands.flatMap(encodeCommand)));
    return Promise.all(replies);
  }

  close() {
    this.#socket.destroy();
  }

  #take(bytes) {
    this.#received = Buffer.concat([this.#received, bytes]);
    let at = 0;
    for (let read = readReply(this.#received, at); read; read = readReply(this.#received, at)) {
      const { accept, reject } = this.#waiting.shift();
      if (read.value instanceof Error) reject(read.value);
      else accept(read.value);
      at = read.end;
    }
    this.#received = this.#received.subarray(at);
  }

  #fail(error) {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

function encodeCommand(words) {
  const bytes = words.map((word) => Buffer.from(typeof word === 'number' ? String(word) : word));
  return [
    Buffer.from(`*${words.length}\r\n`),
    ...bytes.flatMap((word) => [Buffer.from(`$${word.length}\r\n`), word, Buffer.from('\r\n')]),
  ];
}

/** The reply that begins at `at`, and where it ends; undefined if it has not arrived as a whole. */
function readReply(bytes, at) {
  const lineEnd = bytes.indexOf('\r\n', at);
  if (lineEnd < 0) return undefined;
  const line = bytes.toString('utf8', at + 1, lineEnd);
  let end = lineEnd + 2;
  const number = Number(line);
  switch (String.fromCharCode(bytes[at])) {
    case '+':
      return { value: line, end };
    case '-':
      return { value: new Error(line), end };
    case ':':
      return { value: number, end };
    case '$':
      if (number < 0) return { value: null, end };
      if (bytes.length < end + number + 2) return undefined;
      return {
        value: bytes.toString('utf8', end, end + number),
        end: end + number + 2,
      };
    case '*': {
      if (number < 0) return { value: null, end };
      const value = [];
      while (value.length < number) {
        const item = readReply(bytes, end);
        if (item === undefined) return undefined;
        value.push(item.value);
        end = item.end;
      }
      return { value, end };
    }
    default:
      throw new Error(`not RESP2: ${line}`);
  }
}

// Browsers -----------------------------------------------------------------------------------------

const browsers = new Set();
after(async () => {
  for (const launched of browsers) await launched.close();
});

/** A browser process of this program alone. */
export async function launchBrowser(flags = []) {
  const launched = await chromium.launch(launchOptions(flags));
  browsers.add(launched);
  return launched;
}

// The browser that ctest has started (browser.mjs), or one of this program.
async function connectOrLaunch() {
  const { LAUREL_TEST_BROWSER: file } = process.env;
  if (file === undefined) return launchBrowser();
  const connected = await chromium.connect(JSON.parse(readFileSync(file, 'utf8')).address);
  browsers.add(connected);
  return connected;
}

let shared;

/** The browser in which this program opens its pages. */
export function browser() {
  shared ??= connectOrLaunch();
  return shared;
}

/**
 * A page in a browser profile of its own, closed when the test ends. Errors of scripts, and what the
 * content security policy refuses, fail the test; messages about failed requests do not.
 */
export async function openPage(test, address, options = {}) {
  const context = await (
    await browser()
  ).newContext({
    viewport: { width: 1280, height: 860 },
    locale: 'en-US',
    timezoneId: 'Europe/Berlin',
    ...options,
  });
  context.setDefaultTimeout(limitMs);
  const errors = [];
  context.on('page', (page) => {
    page.on('pageerror', (error) => errors.push(error.stack));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) {
        errors.push(message.text());
      }
    });
  });
  test.after(async () => {
    await context.close();
    assert.deepEqual(errors, [], 'errors in the page');
  });
  return openTab(context, address);
}

/** Another tab in the profile of a page: openTab(page.context(), address). */
export async function openTab(context, address) {
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

/** What a download holds. The browser may be another program's: its files are out of reach. */
export async function textOf(download) {
  return (await buffer(await download.createReadStream())).toString();
}

/** Keeps a picture of the page for people to look at. */
export async function shoot(page, name, options = {}) {
  const folder = path.join(root, 'build/console/screenshots');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`), ...options });
}

/** A generator of integers below a bound. Its seed is printed; LAUREL_TEST_SEED replays it. */
export function randomOf(name) {
  let state = BigInt(process.env.LAUREL_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));
  console.log(`${name}: LAUREL_TEST_SEED=${state}`);
  return (below) => {
    // SplitMix64.
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let bits = state;
    bits = BigInt.asUintN(64, (bits ^ (bits >> 30n)) * 0xbf58476d1ce4e5b9n);
    bits = BigInt.asUintN(64, (bits ^ (bits >> 27n)) * 0x94d049bb133111ebn);
    return Number((bits ^ (bits >> 31n)) % BigInt(below));
  };
}
