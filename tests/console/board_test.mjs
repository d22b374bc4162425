// What a board's page shows: exact numbers, downloads, languages, small screens, servers in memory.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BoardPage, everythingIsLoaded, pageAddress } from './pages.mjs';
import { Server, eventually, openPage, textOf } from './support.mjs';

let server;
before(async () => {
  server = await new Server().start();
});

const path = encodeURIComponent;

const extremes = [
  ['most', '9223372036854775807', '9223372036.854775807'],
  ['odd', '9007199254740993', '0.100000001'],
  ['zero', '0', '-0.000000001'],
  ['least', '-9223372036854775808', '-9223372036.854775808'],
];

test('scores of 64 bits and nine decimals are shown exactly, with the separators of the reader', async (t) => {
  await server.api('PUT', 'boards/exact', {
    fields: [{ name: 'points' }, { name: 'time', type: 'decimal9' }],
  });
  for (const [member, ...score] of extremes) {
    await server.api('POST', 'boards/exact/entries', { member, score });
  }
  // The page of a German reader is in English, and so are its numbers.
  for (const [locale, grouped] of [
    ['en-US', '9,223,372,036,854,775,807'],
    ['en-IN', '92,23,37,20,36,85,47,75,807'],
    ['de-DE', '9,223,372,036,854,775,807'],
    ['zh-CN', '9,223,372,036,854,775,807'],
  ]) {
    const page = await openPage(t, `${pageAddress(server, 'board', 'exact')}?member=most`, {
      locale,
    });
    await page.getByRole('cell', { name: grouped, exact: true }).first().waitFor();
    await page.getByRole('definition').filter({ hasText: grouped }).waitFor();
    const rows = await page
      .locator('table')
      .first()
      .evaluate((table) =>
        Array.from(table.tBodies[0].rows, (row) => Array.from(row.cells, (cell) => cell.innerText)),
      );
    const plain = rows.map((cells) =>
      cells.slice(2, 5).map((text) => text.replace(/,/g, '').replace('−', '-')),
    );
    assert.deepEqual(plain, extremes, locale);
  }
});

test('a score of 64 bits is submitted and corrected exactly through the dialogs', async (t) => {
  await server.api('PUT', 'boards/typed', {});
  const page = await openPage(t, `${pageAddress(server, 'board', 'typed')}?member=big`);
  await page.getByRole('button', { name: 'Submit a score' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Player' }).fill('big');
  await form.getByRole('textbox', { name: 'score' }).fill('9223372036854775807');
  await form.getByRole('button', { name: 'Submit', exact: true }).last().click();
  await new BoardPage(page).row('big').waitFor();
  assert.deepEqual((await server.api('GET', 'boards/typed/entries/big')).score, [
    '9223372036854775807',
  ]);
  if (await form.isVisible()) await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Correct', exact: true }).click();
  assert.equal(
    await form.getByRole('textbox', { name: 'score' }).inputValue(),
    '9223372036854775807',
  );
  await form.getByRole('textbox', { name: 'score' }).fill('9223372036854775806');
  await form.getByRole('button', { name: 'Correct', exact: true }).click();
  await page.getByRole('cell', { name: '9,223,372,036,854,775,806' }).first().waitFor();
  assert.deepEqual((await server.api('GET', 'boards/typed/entries/big')).score, [
    '9223372036854775806',
  ]);
});

/** Chooses an item of the menu CSV and returns name and text of the file. */
async function downloadCsv(page, item) {
  await page.getByRole('button', { name: 'CSV' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: item, exact: true }).click(),
  ]);
  return {
    name: download.suggestedFilename(),
    text: await textOf(download),
  };
}

/** Rows and cells of RFC 4180. */
function parseCsv(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g,
  )) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
    if (end === '') break;
  }
  return rows.slice(0, -1);
}

const trickyMembers = [
  'plain',
  'comma, and "quotes"',
  'two\r\nlines\nof text',
  '=HYPERLINK("http://x","y")',
  '\'=HYPERLINK("http://x","y")',
  '+1',
  '-1+2',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  ' leading space',
  'ünïcödé 👩‍👩‍👧‍👦',
  '007',
];

test('the shown page is downloaded as CSV: exact, quoted, formulas defused, bytes as base64', async (t) => {
  await server.api('PUT', 'boards/csv%3A%22%2F..', {
    fields: [{ name: 'points' }, { name: 'time', type: 'decimal3' }],
  });
  const board = `boards/${path('csv:"/..')}`;
  for (const [i, member] of trickyMembers.entries()) {
    const score = [`${9223372036854775807n - BigInt(i)}`, `-${i}.125`];
    await server.api('POST', `${board}/entries`, {
      member,
      score,
      meta: `=meta ${member}`,
    });
  }
  const base64 = Buffer.from([0xff, 0x00, 0x2c]).toString('base64');
  await server.api('POST', `${board}/entries`, {
    member_base64: base64,
    score: ['-5', '0'],
    meta_base64: base64,
  });
  const page = await openPage(t, pageAddress(server, 'board', 'csv:"/..'));
  await page.getByText('not UTF-8').first().waitFor();
  const { name, text } = await downloadCsv(page, 'This page');
  assert.match(name, /^[^"/\\:]+\.csv$/);
  assert.equal(text[0], '\ufeff', 'spreadsheets read UTF-8 by this mark');
  const [head, ...rows] = parseCsv(text.slice(1));
  assert.deepEqual(head, [
    'rank',
    'member',
    'member_base64',
    'points',
    'time',
    'reached',
    'meta',
    'meta_base64',
  ]);
  assert.equal(rows.length, trickyMembers.length + 1);
  const column = (label) => rows.map((cells) => cells[head.indexOf(label)]);
  assert.deepEqual(
    column('rank'),
    rows.map((_, i) => String(i + 1)),
  );
  assert.deepEqual(column('points'), [
    ...trickyMembers.map((_, i) => `${9223372036854775807n - BigInt(i)}`),
    '-5',
  ]);
  assert.deepEqual(column('time'), [...trickyMembers.map((_, i) => `-${i}.125`), '0.000']);
  for (const cell of [...column('member'), ...column('meta')])
    assert.doesNotMatch(cell, /^[=+\-@\t\r]/);
  assert.equal(
    new Set(column('member')).size,
    rows.length,
    'different members have different cells',
  );
  // An apostrophe at the beginning is one that was added, so that members can be read back.
  assert.deepEqual(
    column('member').map((cell) => cell.replace(/^'/, '')),
    [...trickyMembers, ''],
  );
  assert.deepEqual(column('member_base64'), [...trickyMembers.map(() => ''), base64]);
  assert.equal(column('meta_base64').at(-1), base64);
  const { entries } = await server.api('GET', `${board}/entries?limit=100`);
  assert.deepEqual(
    column('reached'),
    entries.map(({ reached }) => reached),
  );
});

test('the page shown is the one that is downloaded, and the top has 10,000 of 12,000 entries', async (t) => {
  await server.api('PUT', 'boards/many', {});
  for (let first = 0; first < 12_000; first += 6_000) {
    const ranks = Array.from({ length: 6_000 }, (_, i) => first + i + 1);
    const entries = ranks.map((rank) => ({
      member: `m${rank}`,
      score: 20_000 - rank,
    }));
    await server.api('POST', 'boards/many/entries', { entries });
  }
  const page = await openPage(t, `${pageAddress(server, 'board', 'many')}?rank=101`);
  await new BoardPage(page).row('m101').waitFor();
  const shown = parseCsv((await downloadCsv(page, 'This page')).text.slice(1));
  const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  assert.deepEqual(
    shown.slice(1).map((cells) => cells[1]),
    numbers(101, 125).map((n) => `m${n}`),
  );
  const top = parseCsv((await downloadCsv(page, 'Top 10,000')).text.slice(1)).slice(1);
  assert.equal(top.length, 10_000);
  for (const [i, cells] of top.entries()) {
    assert.deepEqual([cells[0], cells[1], cells[3]], [`${i + 1}`, `m${i + 1}`, `${19_999 - i}`]);
  }
});

test('the language of the browser comes first, a click changes it, and the choice stays', async (t) => {
  const chinese = await openPage(t, pageAddress(server, 'boards'), {
    locale: 'zh-CN',
  });
  await chinese.getByRole('heading', { name: '排行榜', level: 1 }).waitFor();
  assert.match(await chinese.evaluate(() => document.documentElement.lang), /^zh/);
  await chinese.getByRole('banner').getByRole('button', { name: 'English' }).click();
  await chinese.getByRole('heading', { name: 'Boards', level: 1 }).waitFor();
  assert.match(await chinese.evaluate(() => document.documentElement.lang), /^en/);
  await chinese.reload();
  await chinese.getByRole('heading', { name: 'Boards', level: 1 }).waitFor();

  const german = await openPage(t, pageAddress(server, 'boards'), {
    locale: 'de-DE',
  });
  await german.getByRole('heading', { name: 'Boards', level: 1 }).waitFor();
  await german.getByRole('banner').getByRole('button', { name: '中文' }).click();
  await german.getByRole('heading', { name: '排行榜', level: 1 }).waitFor();
});

test('every page is in Chinese: no English sentence is left', async (t) => {
  await server.api('PUT', 'boards/zh', {
    policy: 'best',
    periods: ['day', 'all'],
  });
  await server.api('POST', 'boards/zh/entries', { member: 'm1', score: 5 });
  await server.api('PUT', 'templates/zh*', {});
  const page = await openPage(t, pageAddress(server, 'boards'), {
    locale: 'zh-CN',
  });
  for (const address of [
    'boards',
    'board/zh?member=m1',
    'board/zh/edit',
    'new',
    'players?name=m1',
    'templates',
    'templates?new=1',
    'server',
  ]) {
    await page.goto('about:blank'); // nothing of the page before is left
    await page.goto(`${server.url}#/${address}`);
    await page.locator('main').getByRole('heading').first().waitFor();
    await everythingIsLoaded(page);
    await page.waitForTimeout(400); // gives an English sentence the time to come
    const text = await page.evaluate(() => {
      const copy = document.querySelector('main').cloneNode(true);
      for (const code of copy.querySelectorAll('pre, code, bdi, option, .name')) code.remove();
      return copy.textContent;
    });
    assert.match(text, /[\u4e00-\u9fff]/, address);
    assert.doesNotMatch(text, /[A-Za-z]{3,} [a-z]{2,} [a-z]{2,}/, address);
  }
});

test('at a width of 360 px no page scrolls sideways', async (t) => {
  const long = 'w'.repeat(300);
  await server.api('PUT', `boards/${long}`, {
    fields: Array.from({ length: 8 }, (_, i) => ({
      name: `field_number_${i}`,
      type: 'decimal9',
    })),
    periods: ['hour', 'day', 'week', 'month', 'all'],
    policy: 'best',
    end: '2030-01-01T00:00:00Z',
  });
  const score = Array.from({ length: 8 }, () => '-9223372036.854775808');
  await server.api('POST', `boards/${long}/entries`, {
    member: 'x'.repeat(1024),
    score,
    meta: 'm'.repeat(2000),
  });
  await server.api('POST', `boards/${long}/entries`, {
    member: 'short',
    score,
  });
  await server.api('PUT', `templates/${long}*`, { policy: 'best' });
  const page = await openPage(t, pageAddress(server, 'boards'), {
    viewport: { width: 360, height: 740 },
  });
  const check = async (what) => {
    await page.waitForTimeout(500);
    const [content, screen] = await page.evaluate(() => [
      document.scrollingElement.scrollWidth,
      window.innerWidth,
    ]);
    assert.ok(content <= screen && screen === 360, `${what}: ${content} px in ${screen} px`);
  };
  for (const address of [
    'boards',
    'boards?kind=sorted-set',
    `board/${long}`,
    `board/${long}?member=short`,
    `board/${long}?member=${'x'.repeat(1024)}`,
    `board/${long}?view=wall`,
    `board/${long}/edit`,
    'board/absent',
    'new',
    'players?name=short',
    'templates',
    'templates?new=1',
    'server',
  ]) {
    await page.goto(`${server.url}#/${address}`);
    await page.getByRole('heading').first().waitFor();
    await check(address.replace(long, 'LONG').slice(0, 60));
  }
  await page.goto(`${server.url}#/board/${long}?member=short`);
  await page.getByRole('button', { name: 'Submit a score' }).click();
  await page.getByRole('dialog').waitFor();
  await check('the dialog of a submit');
});

test('a server in memory has no log of changes: the page says so and works', async (t) => {
  const memory = await new Server([], { inMemory: true }).start();
  await memory.api('PUT', 'boards/fleeting', {});
  await memory.api('POST', 'boards/fleeting/entries', {
    member: 'ann',
    score: 5,
  });
  const page = await openPage(t, `${pageAddress(memory, 'board', 'fleeting')}?member=ann`);
  const view = new BoardPage(page);
  await view.membersAre(['ann']);
  await view.changes.getByText('This server runs in memory and keeps no log of changes.').waitFor();
  await view.player.getByText('ordinal', { exact: true }).waitFor();
  await memory.api('POST', 'boards/fleeting/entries', {
    member: 'bob',
    score: 9,
  });
  await view.membersAre(['bob', 'ann']);
  await view.player.getByRole('button', { name: 'Hide', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Hide', exact: true }).click();
  await view.membersAre(['bob']);
  await page.goto(pageAddress(memory, 'server'));
  await page.getByText('In memory only').first().waitFor();
});

test('the wall is live and has no controls', async (t) => {
  await server.api('PUT', 'boards/wall', {});
  const entries = [3, 2, 1].map((n) => ({ member: `m${n}`, score: n }));
  await server.api('POST', 'boards/wall/entries', { entries });
  const page = await openPage(t, pageAddress(server, 'board', 'wall'));
  await page.getByRole('link', { name: 'Wall view' }).click();
  const lines = async () =>
    (await page.getByRole('listitem').allInnerTexts()).map((line) => line.replace(/\s+/g, ' '));
  await eventually(
    'the lines of the wall',
    async () => String(await lines()) === '1 m3 3,2 m2 2,3 m1 1',
  );
  assert.equal(
    await page.locator('a:visible, button:visible, input:visible, select:visible').count(),
    0,
  );
  await server.api('POST', 'boards/wall/entries', { member: 'm1', score: 10 });
  await eventually('the new lines', async () => String(await lines()).startsWith('1 m1 10'));
  await page.goBack();
  await page.getByRole('button', { name: 'Submit a score' }).waitFor();
});
