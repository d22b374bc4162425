// Names and meta that try to do harm: nothing is run or read as HTML, and every action uses exact bytes.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BoardPage, pageAddress } from './pages.mjs';
import { Resp, Server, eventually, openPage } from './support.mjs';

const hostile = {
  'a script': '<script>window.harmed=1</script>',
  'an image': '<img src=x onerror="window.harmed=1">',
  'an entity': '&lt;b&gt;&amp;&#x41;',
  'a closing tag': '</td></table><h1>harm</h1>',
  'a template': '${window.harmed=1}{{constructor.constructor("window.harmed=1")()}}',
  'Arabic from right to left': 'مرحبا 123 abc',
  'an override of direction': '\u202egnp.exe\u202c\u2066x\u2069\u200f',
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈🇩🇪 e\u0301',
  '1 KiB': 'x'.repeat(1024),
  '1 KiB of wide characters': '龘'.repeat(341) + 'a',
  'control characters': 'a\u0000b\u0001c\u001b[31md\r\ne\tf\u007f',
  'a slash': 'a/b',
  'an encoded slash': 'a%2Fb',
  'a backslash': 'a\\b\\x41',
  'a question mark and a hash': 'a?member=b#c&d=e;f',
  spaces: '  a  b  ',
  'a plus and a percent sign': 'a+b%zz%',
  quotes: `"a" 'b' \`c\``,
  'a dash and an option word': '--help NX',
  'a word of JavaScript': '__proto__',
  'a formula': '=1+1',
  'an address': 'javascript:alert(1)',
};

let server;
before(async () => {
  server = await new Server().start();
});

/** A path segment of the API, for text or bytes. */
const segment = (name) =>
  Array.from(Buffer.from(name), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Fails if a name has run as a script or has become an element of the page. */
async function assertUnharmed(page) {
  const harm = await page.evaluate(() => ({
    ran: window.harmed ?? null,
    elements: document.querySelectorAll('main img, main script, main b, main h1 + h1').length,
    links: Array.from(document.querySelectorAll('a[href]'), (a) => a.getAttribute('href')).filter(
      (href) => !/^#\/|^#$/.test(href),
    ),
  }));
  assert.deepEqual(harm, { ran: null, elements: 0, links: [] });
}

const membersOf = async (board) => {
  const { entries } = await server.api('GET', `boards/${segment(board)}/entries?limit=1000`);
  return entries.map(({ member, member_base64: base64 }) => base64 ?? member);
};

/** Takes a row of the list by its rank, does this with that player, and undoes it. */
async function actAndUndo(view, rank, count, member, button) {
  const { page } = view;
  await eventually('all rows', async () => (await view.rows()).length === count);
  await view.list.getByRole('row').nth(rank).getByRole('link').click();
  const selected = view.list.getByRole('row').nth(rank);
  await eventually(
    'the row is selected',
    async () => (await selected.getAttribute('aria-current')) === 'true',
  );
  await assertUnharmed(page);
  const isThere = async () => (await membersOf('members')).includes(member);
  await view.player.getByRole('button', { name: button, exact: true }).click();
  const question = page.getByRole('dialog');
  await question.waitFor();
  await assertUnharmed(page);
  await question.getByRole('button', { name: button, exact: true }).click();
  await question.waitFor({ state: 'hidden' });
  assert.ok(!(await isThere()), `${JSON.stringify(member)} after ${button}`);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await eventually('the entry is back', isThere);
}

test('hostile members are shown as text, and hidden or removed, and restored exactly', async (t) => {
  await server.api('PUT', 'boards/members', {});
  const names = Object.values(hostile);
  for (const [i, member] of names.entries()) {
    const meta = names[(i + 1) % names.length];
    await server.api('POST', 'boards/members/entries', {
      member,
      score: 1000 - i,
      meta,
    });
  }
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x41, 0xc3, 0x28, 0x2f]);
  await server.api('POST', 'boards/members/entries', {
    member_base64: bytes.toString('base64'),
    score: 1,
    meta_base64: Buffer.from([0x80, 0x3c]).toString('base64'),
  });
  const before = await server.api('GET', 'boards/members/entries?limit=1000&meta=1');
  const view = new BoardPage(await openPage(t, pageAddress(server, 'board', 'members')));
  await view.list.getByText('not UTF-8').waitFor();
  await assertUnharmed(view.page);
  const members = [...names, bytes.toString('base64')];
  for (const [i, member] of members.entries()) {
    await actAndUndo(view, i + 1, members.length, member, i % 2 === 0 ? 'Hide' : 'Remove');
  }
  await actAndUndo(view, members.length, members.length, members.at(-1), 'Remove');
  const after = await server.api('GET', 'boards/members/entries?limit=1000&meta=1');
  assert.deepEqual(after.entries, before.entries, 'every entry is back as it was');
});

test('characters that reorder or hide text are made visible', async (t) => {
  await server.api('PUT', 'boards/tricks', {});
  await server.api('POST', 'boards/tricks/entries', {
    member: hostile['an override of direction'],
    score: 1,
  });
  const page = await openPage(t, pageAddress(server, 'board', 'tricks'));
  await page.getByText('U+202E').first().waitFor();
  const shown = await page.locator('body').innerText();
  assert.doesNotMatch(shown, /[\u202a-\u202e\u2066-\u2069\u200f]/);
});

test('members that no path of a browser can have are found, removed and said to be so', async (t) => {
  await server.api('PUT', 'boards/dots', {});
  for (const member of ['.', '..', '']) {
    await server.api('POST', 'boards/dots/entries', {
      member,
      score: 5,
      meta: 'm',
    });
  }
  const view = new BoardPage(await openPage(t, pageAddress(server, 'board', 'dots')));
  const shown = ['.', '..', '(empty name)'];
  for (let left = 3; left > 0; left--) {
    await view.membersAre(shown);
    const before = await server.api('GET', 'boards/dots/entries?meta=1');
    await view.list.getByRole('row').nth(1).getByRole('link').click();
    await view.player.getByText('ordinal', { exact: true }).waitFor();
    await view.player.getByRole('button', { name: 'Remove', exact: true }).click();
    await view.page
      .getByRole('dialog')
      .getByRole('button', { name: 'Remove', exact: true })
      .click();
    await eventually('one is gone', async () => (await membersOf('dots')).length === left - 1);
    await view.page.getByRole('button', { name: 'Undo' }).last().click();
    await eventually('it is back', async () => (await membersOf('dots')).length === left);
    await view.membersAre(shown);
    assert.deepEqual(
      (await server.api('GET', 'boards/dots/entries?meta=1')).entries,
      before.entries,
    );
    await server.api('POST', 'boards/dots/remove', {
      members: [before.entries[0].member],
    });
    await view.page.goto(pageAddress(server, 'board', 'dots'));
    shown.shift();
  }
  await view.membersAre([]);
});

test('boards of hostile names are listed as text, opened, written to and dropped exactly', async (t) => {
  const boards = Object.values(hostile)
    .filter((name) => Buffer.byteLength(name) <= 512)
    .concat('y'.repeat(512));
  for (const board of boards) {
    await server.api('PUT', `boards/${segment(board)}`, {});
    await server.api('POST', `boards/${segment(board)}/entries`, {
      member: 'ann',
      score: 7,
    });
  }
  const bytes = Buffer.from([0xff, 0x2f, 0x00, 0x22]);
  await server.api('PUT', `boards/${segment(bytes)}`, {});
  await server.api('POST', `boards/${segment(bytes)}/entries`, {
    member: 'ann',
    score: 7,
  });
  const page = await openPage(t, pageAddress(server, 'boards'), {
    viewport: { width: 1280, height: 2400 },
  });
  await page.getByRole('link', { name: '<script>' }).waitFor();
  await assertUnharmed(page);
  const hrefs = await page
    .getByRole('table', { name: 'Boards' })
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const opened = [];
  for (const href of hrefs) {
    const encoded = href.slice('#/board/'.length);
    if (!boards.concat([bytes]).some((name) => segment(name) === encodeAll(encoded))) continue;
    opened.push(encoded);
    await page.goto(`${server.url}${href}`);
    await new BoardPage(page).row('ann').waitFor();
    await assertUnharmed(page);
  }
  assert.equal(opened.length, boards.length + 1, 'every board has a link that opens it');

  for (const board of [
    hostile['an image'],
    hostile['control characters'],
    hostile['an encoded slash'],
    hostile.quotes,
    bytes,
  ]) {
    const view = new BoardPage(page);
    await page.goto(`${server.url}#/board/${segment(board)}`);
    await page.getByRole('button', { name: 'Submit a score' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Player' }).fill('<b>bob</b>');
    await form.getByRole('textbox', { name: 'score' }).fill('9');
    await form.getByRole('button', { name: 'Submit', exact: true }).last().click();
    await view.membersAre(['<b>bob</b>', 'ann']);
    assert.deepEqual(await membersOf(board), ['<b>bob</b>', 'ann']);
    await assertUnharmed(page);
    if (board === bytes || board === hostile['control characters']) continue; // nobody types these
    await view.manage('Drop');
    await form.getByRole('textbox', { name: /^Type/ }).fill(board);
    await form.getByRole('button', { name: 'Drop', exact: true }).click();
    await page.getByRole('heading', { name: 'Boards', level: 1 }).waitFor();
    await assert.rejects(server.api('GET', `boards/${segment(board)}`), /NOBOARD/);
  }
});

test('boards that no path of a browser can name are listed, and their page says so', async (t) => {
  const resp = await Resp.open(t, server);
  for (const board of ['.', '..']) {
    await resp.call('LB.CREATE', board);
    const page = await openPage(t, `${pageAddress(server, 'boards')}`);
    await page.getByRole('link', { name: board, exact: true }).click();
    await page.getByText('A browser cannot open this board').waitFor();
    await resp.call('LB.DROP', board);
  }
});

/** Percent-encodes what is not yet encoded, so that two spellings of a segment compare equal. */
function encodeAll(encoded) {
  return encoded.replace(/%([0-9a-fA-F]{2})|[^]/g, (all, hex) =>
    hex === undefined ? segment(all) : `%${hex.toLowerCase()}`,
  );
}

test('templates of hostile patterns are listed as text and deleted exactly', async (t) => {
  for (const pattern of ['<img src=x onerror=window.harmed=1>*', 'a/b%2F?#*', '"q" \'q\'*']) {
    await server.api('PUT', `templates/${segment(pattern)}`, {});
    const page = await openPage(t, pageAddress(server, 'templates'));
    const row = page.getByRole('row').filter({ hasText: pattern });
    await row.waitFor();
    await assertUnharmed(page);
    await row.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await row.waitFor({ state: 'hidden' });
    assert.deepEqual((await server.api('GET', 'templates')).templates, []);
  }
});

test('a hostile player is found by typing the name, on the board and on all boards', async (t) => {
  await server.api('PUT', 'boards/typed', {});
  const names = ['<script>window.harmed=1</script>', 'a/b%2F..?#', '  a  b  ', '"', '👩‍👩‍👧‍👦'];
  for (const member of names)
    await server.api('POST', 'boards/typed/entries', { member, score: 3 });
  const page = await openPage(t, pageAddress(server, 'board', 'typed'));
  const view = new BoardPage(page);
  for (const member of names) {
    await view.find(member);
    await view.player.getByText('ordinal', { exact: true }).waitFor();
    await view.player.getByRole('link', { name: 'Find this name on all boards' }).click();
    await page.getByRole('link', { name: 'typed', exact: true }).waitFor();
    await assertUnharmed(page);
    await page.goto(pageAddress(server, 'board', 'typed'));
  }
});
