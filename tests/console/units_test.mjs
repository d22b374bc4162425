// Pure parts of the console, without a browser: names, patterns, command lines, CSV, numbers, charts.
// Where another program decides what is right (redis-cli, a shell, the server), it is asked.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { packageOf } from './chromium.mjs';
import { randomOf, root, Server } from './support.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'laurel-units-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A module of the console, compiled for Node. */
async function load(name) {
  const outfile = path.join(folder, `${name}.mjs`);
  await packageOf('esbuild').build({
    entryPoints: [path.join(root, 'web/src/lib', `${name}.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile));
}

// The browser's languages, which Node 18 does not have.
Object.defineProperty(globalThis, 'navigator', {
  value: { languages: ['en-US'] },
});

const random = randomOf('units_test');

function randomText(letters, most) {
  return Array.from({ length: random(most + 1) }, () => letters[random(letters.length)]).join('');
}

test('A name and its percent-encoded key are the same bytes', async () => {
  const { nameIn, nameOfKey, nameOfText, nameOut } = await load('name');
  for (let i = 0; i < 2000; i++) {
    const bytes = Buffer.from(Array.from({ length: random(12) }, () => random(256)));
    const isText = Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes);
    const wire = isText
      ? { member: bytes.toString('utf8') }
      : { member_base64: bytes.toString('base64') };
    const name = nameIn(wire, 'member');
    assert.deepEqual(nameOut(name, 'member'), wire);
    assert.deepEqual(nameOfKey(name.key), name);
    const decoded = Buffer.from(
      name.key.replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
      'latin1',
    );
    assert.deepEqual(decoded, bytes);
  }
  assert.equal(nameOfKey('%zz'), null);
  assert.equal(nameOfText('\ud800').text, '\ufffd');
});

test('A pattern matches the names that the server matches', async () => {
  const { matchesGlob } = await load('glob');
  const server = await new Server([], { inMemory: true }).start();
  const names = new Set(Array.from({ length: 150 }, () => randomText('ab*?[-', 4) || 'a'));
  for (const name of names) await server.api('PUT', `boards/${encodeURIComponent(name)}`, {});
  for (let i = 0; i < 400; i++) {
    const pattern = randomText('ab*?[]^-\\', 5) || '*';
    const listed = await server.api(
      'GET',
      `boards?limit=1000&match=${encodeURIComponent(pattern)}`,
    );
    const expected = listed.boards.map((line) => line.board).sort();
    const matched = [...names].filter((name) => matchesGlob(pattern, name)).sort();
    assert.deepEqual(matched, expected, `pattern ${JSON.stringify(pattern)}`);
  }
  await server.close();
});

test('redis-cli reads a command line as the words that it was made of', async () => {
  const { commandLine } = await load('commands');
  const { nameIn } = await load('name');
  const server = await new Server([], { inMemory: true }).start();
  for (let i = 0; i < 60; i++) {
    const bytes = Buffer.from(Array.from({ length: 1 + random(10) }, () => random(256)));
    const name = nameIn({ member_base64: bytes.toString('base64') }, 'member');
    const line = commandLine('LB.SET', 'words', name, String(i));
    if (i === 0) await server.api('PUT', 'boards/words', {});
    const output = execFileSync('redis-cli', ['-p', String(server.ports.resp)], {
      input: `${line}\n`,
      encoding: 'utf8',
    });
    assert.match(output, /accepted/, line);
    const { entries } = await server.api('GET', 'boards/words/entries?limit=1');
    assert.deepEqual(nameIn(entries[0], 'member').key, nameIn(isUtf8(bytes), 'member').key, line);
  }
  for (const text of ['plain', 'with blank', '"', "'", '\\', 'a\tb', 'line\nbreak', '小明', '']) {
    const output = execFileSync('redis-cli', ['-p', String(server.ports.resp)], {
      input: `${commandLine('ECHO', text)}\n`,
    });
    assert.equal(output.toString().slice(0, -1), text);
  }
  await server.close();
});

function isUtf8(bytes) {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes)
    ? { member: text }
    : { member_base64: bytes.toString('base64') };
}

test('A shell reads a curl call as one call with this body', async () => {
  const { curlLine } = await load('commands');
  for (const text of ["it's", '$HOME `id` "x" \\', '小明', 'a\nb']) {
    const line = curlLine('PUT', new URL('http://127.0.0.1:7680/v1/boards/a%27b'), { text }, true);
    const script = `curl() { printf '%s\\0' "$@"; }\n${line}`;
    const words = execFileSync('sh', ['-c', script]).toString().split('\0');
    assert.equal(words[2], "http://127.0.0.1:7680/v1/boards/a'b".replace("'", '%27'));
    assert.deepEqual(JSON.parse(words.at(-2)), { text });
  }
});

test('CSV keeps every digit, quotes text, and defuses formulas', async () => {
  const { csvOf } = await load('csv');
  const { nameIn } = await load('name');
  const fields = [{ name: 'points' }, { name: 'a,b' }];
  const entry = (wire, more = {}) => ({
    rank: 1,
    name: nameIn(wire, 'member'),
    score: ['-9223372036854775808', '0.000000001'],
    reached: '2026-11-15T13:00:00.000001Z',
    ...more,
  });
  const lines = csvOf(
    [
      entry({ member: 'plain' }),
      entry({ member: '=1+1' }, { meta: '@x' }),
      entry({ member: 'a,"b"\nc' }),
      entry({ member_base64: '/w==' }, { meta: '', metaBase64: '/w==' }),
    ],
    fields,
  );
  const tail = '-9223372036854775808,0.000000001,2026-11-15T13:00:00.000001Z';
  assert.equal(
    lines,
    '\ufeffrank,member,member_base64,points,"a,b",reached,meta,meta_base64\r\n' +
      `1,plain,,${tail},,\r\n` +
      `1,'=1+1,,${tail},'@x,\r\n` +
      `1,"a,""b""\nc",,${tail},,\r\n` +
      `1,,/w==,${tail},,/w==\r\n`,
  );
});

test('Scores are formatted without a loss, and compared exactly', async () => {
  const { scaled, scoreValue } = await load('format');
  for (let i = 0; i < 500; i++) {
    const value = BigInt.asIntN(64, (BigInt(random(2 ** 32)) << 32n) | BigInt(random(2 ** 32)));
    assert.equal(scoreValue(String(value)).replace(/[^-0-9]/g, ''), String(value));
  }
  assert.equal(scoreValue('-1234567.890'), '-1,234,567.890');
  assert.equal(scoreValue('-0.5'), '-0.5');
  assert.equal(scaled('-0.5', 3), -500n);
  assert.equal(scaled('9223372036854775.807', 3), 9223372036854775807n);
});

test('A percentile is the bound of the bucket that has it; counters that go back give none', async () => {
  const { boundAt, grown, grownBuckets } = await load('figures');
  const bounds = [1, 2, 5, 10];
  assert.deepEqual(grownBuckets([1, 0, 0, 0, 0], [91, 9, 1, 0, 0]), [90, 9, 1, 0, 0]);
  assert.equal(grownBuckets([5, 0], [4, 0]), null);
  assert.equal(grown(5, 4), null);
  assert.equal(grown(4, 9), 5);
  const counts = [90, 9, 1, 0, 0];
  assert.equal(boundAt(bounds, counts, 500), 1);
  assert.equal(boundAt(bounds, counts, 900), 1);
  assert.equal(boundAt(bounds, counts, 901), 2);
  assert.equal(boundAt(bounds, counts, 999), 5);
  assert.equal(boundAt(bounds, [0, 0, 0, 0, 1], 500), Infinity);
  assert.equal(boundAt(bounds, [0, 0, 0, 0, 0], 500), null);
});

test('Moves are found by rank; a new state of the same rank is a changed score', async () => {
  const { movesBetween } = await load('moves');
  const entry = (key, rank, score) => ({
    name: { key },
    rank,
    score: [String(score)],
  });
  const before = [entry('ann', 1, 30), entry('bob', 2, 20), entry('cid', 3, 10)];
  const after = [entry('bob', 1, 40), entry('ann', 2, 30), entry('dee', 3, 15)];
  assert.deepEqual(Object.fromEntries(movesBetween(before, after)), {
    bob: { kind: 'up', places: 1 },
    ann: { kind: 'down', places: 1 },
    dee: { kind: 'new' },
  });
  assert.deepEqual(Object.fromEntries(movesBetween(before, [entry('ann', 1, 31)])), {
    ann: { kind: 'score' },
  });
});
