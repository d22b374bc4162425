// Boards and templates through the form: what it declares, what it shows while one types, and errors.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, test } from 'node:test';
import { cellsOfTable, dialog, pageAddress, shownCode, toast, wordsOf } from './pages.mjs';
import { Resp, Server, eventually, openPage } from './support.mjs';

let server;
before(async () => {
  server = await new Server().start();
});

/** Opens the parts of the form that are folded. */
async function unfold(page, ...titles) {
  for (const title of titles) await page.getByRole('heading', { name: title, exact: true }).click();
}

const preview = (page) => page.getByRole('complementary', { name: 'What this declares' });
const command = (page) => shownCode(preview(page), 'Command');
const curl = (page) => shownCode(preview(page), 'The same with curl');

/** The declaration of a board as the server writes it. */
const declaration = async (board) =>
  (await server.api('GET', `boards/${encodeURIComponent(board)}`)).create;

/**
 * The board that the form has made, the one that the shown command makes, and the one that the shown
 * curl call makes are the same. The form must be filled in; the board is there afterwards.
 */
async function createAndCompare(test, page, board) {
  const line = await command(page);
  const call = await curl(page);
  await page.getByRole('button', { name: 'Create the board' }).click();
  await page.getByRole('heading', { name: board, level: 1 }).waitFor();
  const made = await declaration(board);
  const resp = await Resp.open(test, server);
  for (const make of [
    () => resp.call(...wordsOf(line)),
    () => execFileSync('sh', ['-c', call], { stdio: 'pipe' }),
  ]) {
    await resp.call('LB.DROP', board);
    await make();
    assert.equal(await declaration(board), made);
  }
  return made;
}

test('a name alone makes the board that LB.CREATE NAME makes', async (t) => {
  const page = await openPage(t, pageAddress(server, 'boards'));
  await page.getByRole('link', { name: 'New board' }).first().click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('plain');
  assert.equal(await command(page), 'LB.CREATE plain');
  const made = await createAndCompare(t, page, 'plain');
  assert.equal(made, 'FIELDS 1 score:int:desc POLICY set TIE first');
});

test('a board with every option is what the shown command and curl call make', async (t) => {
  const page = await openPage(t, pageAddress(server, 'new'));
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('grand prix: "2026"');
  await page.getByRole('textbox', { name: 'Field name' }).first().fill('points');
  await page.getByRole('button', { name: 'Add a field' }).click();
  await page.getByRole('textbox', { name: 'Field name' }).nth(1).fill('lap');
  await page
    .getByRole('combobox', { name: 'Numbers' })
    .nth(1)
    .selectOption({ label: '3 decimals' });
  await page
    .getByRole('combobox', { name: 'Better is' })
    .nth(1)
    .selectOption({ label: 'less (asc)' });
  await page.getByRole('radio', { name: 'Best score (best)' }).check();
  await page.getByRole('radio', { name: 'Who was last is ahead (last)' }).check();
  await unfold(page, 'Window', 'Periods', 'Limits and memory');
  await page.getByRole('textbox', { name: 'Start', exact: true }).fill('2026-12-01T10:00');
  await page.getByRole('textbox', { name: 'End', exact: true }).fill('2027-07-01T10:00');
  await page.getByRole('textbox', { name: 'Grace', exact: true }).fill('15');
  await page.getByRole('textbox', { name: 'Expire', exact: true }).fill('30');
  await page.getByRole('button', { name: '+ week' }).click();
  await page.getByRole('button', { name: '+ day' }).click();
  await page.getByRole('button', { name: '+ all-time' }).click();
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Shanghai');
  await page.getByRole('textbox', { name: 'Turn' }).fill('05:00');
  await page.getByRole('textbox', { name: 'Cap', exact: true }).fill('5000');
  await page.getByRole('textbox', { name: 'Keep', exact: true }).fill('12');
  await page.getByRole('textbox', { name: 'Request ids', exact: true }).fill('777');
  const made = await createAndCompare(t, page, 'grand prix: "2026"');
  const spec = await server.api('GET', `boards/${encodeURIComponent('grand prix: "2026"')}`);
  assert.deepEqual(
    spec.fields.map(({ name, type, direction }) => [name, type, direction]),
    [
      ['points', 'int', 'desc'],
      ['lap', 'decimal3', 'asc'],
    ],
  );
  // The browser is in Berlin: an hour ahead of UTC in winter, two in summer.
  const { policy, tie, cap, start, end, periods, tz, turn, keep, dedup } = spec;
  assert.deepEqual(
    { policy, tie, cap, start, end, periods, tz, turn, keep, dedup },
    {
      policy: 'best',
      tie: 'last',
      cap: 5000,
      start: '2026-12-01T09:00:00.000000Z',
      end: '2027-07-01T08:00:00.000000Z',
      periods: ['week', 'day', 'all'],
      tz: 'Asia/Shanghai',
      turn: '05:00',
      keep: 12,
      dedup: 777,
    },
  );
  assert.match(made, /GRACE 15m/);
  assert.match(made, /EXPIRE 30d/);
});

test('fields with operators of their own are what the shown command and curl call make', async (t) => {
  const page = await openPage(t, pageAddress(server, 'new'));
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill("it's");
  await page.getByRole('radio', { name: 'An operator for each field' }).check();
  for (const [i, [name, type, direction, operator]] of [
    ['points', 'whole numbers', 'more (desc)', 'is added (sum)'],
    ['best', '9 decimals', 'more (desc)', 'counts if larger (max)'],
    ['fastest', '2 decimals', 'less (asc)', 'counts if smaller (min)'],
  ].entries()) {
    if (i > 0) await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByRole('textbox', { name: 'Field name' }).nth(i).fill(name);
    await page.getByRole('combobox', { name: 'Numbers' }).nth(i).selectOption({ label: type });
    await page
      .getByRole('combobox', { name: 'Better is' })
      .nth(i)
      .selectOption({ label: direction });
    await page
      .getByRole('combobox', { name: 'A new value' })
      .nth(i)
      .selectOption({ label: operator });
  }
  const made = await createAndCompare(t, page, "it's");
  assert.match(made, /points:int:desc:sum best:decimal9:desc:max fastest:decimal2:asc:min/);
});

test('the order of fields and periods can be changed before the board is made', async (t) => {
  const page = await openPage(t, pageAddress(server, 'new'));
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('ordered');
  await page.getByRole('textbox', { name: 'Field name' }).first().fill('one');
  await page.getByRole('button', { name: 'Add a field' }).click();
  await page.getByRole('textbox', { name: 'Field name' }).nth(1).fill('two');
  await page.getByRole('button', { name: /^Move (two|field 2) up$/ }).click();
  await unfold(page, 'Periods');
  await page.getByRole('button', { name: '+ day' }).click();
  await page.getByRole('button', { name: '+ month' }).click();
  await page.getByRole('button', { name: 'Move month up' }).click();
  assert.match(await command(page), /FIELDS 2 two\S* one\S*.* PERIODS 2 month day/);
  await createAndCompare(t, page, 'ordered');
});

test('errors stand at the input and nothing that was typed is lost', async (t) => {
  await server.api('PUT', 'boards/taken', { policy: 'sum' });
  const page = await openPage(t, pageAddress(server, 'new'));
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  const create = page.getByRole('button', { name: 'Create the board' });
  const isMarked = (input, text) =>
    eventually(`the error "${text}" at the input`, async () => {
      const described = await input.evaluate((element) =>
        (element.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .map((id) => document.getElementById(id)?.innerText ?? '')
          .join(' '),
      );
      return described.includes(text) && (await input.getAttribute('aria-invalid')) === 'true';
    });

  await create.click();
  await isMarked(name, 'The board needs a name.');
  await name.fill('a@b');
  await create.click();
  await isMarked(name, 'A board’s name has no @');

  await name.fill('taken');
  await page.getByRole('textbox', { name: 'Field name' }).fill('my points');
  await page.getByRole('radio', { name: 'Best score (best)' }).check();
  await unfold(page, 'Window', 'Limits and memory');
  const cap = page.getByRole('textbox', { name: 'Cap', exact: true });
  const end = page.getByRole('textbox', { name: 'End', exact: true });
  await cap.fill('many');
  await page.getByRole('textbox', { name: 'Start', exact: true }).fill('2027-01-02T00:00');
  await end.fill('2027-01-01T00:00');
  await create.click();
  await isMarked(cap, 'A whole number is needed here.');
  await isMarked(page.getByRole('textbox', { name: 'Field name' }), 'No blanks, colons or control');
  await isMarked(end, 'The end must be later than the start.');

  await cap.fill('10');
  await end.fill('2027-01-03T00:00');
  await page.getByRole('textbox', { name: 'Field name' }).fill('points');
  await create.click();
  await isMarked(name, 'There is a board of this name with other settings.');
  assert.equal(await name.inputValue(), 'taken');
  assert.equal(await cap.inputValue(), '10');
  assert.match(await end.inputValue(), /^2027-01-03T00:00/);
  assert.equal(await page.getByRole('textbox', { name: 'Field name' }).inputValue(), 'points');
  assert.ok(await page.getByRole('radio', { name: 'Best score (best)' }).isChecked());

  await name.fill('not taken');
  await create.click();
  await page.getByRole('heading', { name: 'not taken', level: 1 }).waitFor();
  assert.equal((await server.api('GET', 'boards/not%20taken')).cap, 10);
});

test('a time zone that the server does not know is an error at the form, which keeps its inputs', async (t) => {
  const page = await openPage(t, pageAddress(server, 'new'));
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('atlantis');
  await unfold(page, 'Periods');
  await page.getByRole('button', { name: '+ day' }).click();
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  await zone.fill('Europe/Atlantis');
  await page.getByRole('button', { name: 'Create the board' }).click();
  await eventually(
    'the error at the zone',
    async () => (await zone.getAttribute('aria-invalid')) === 'true',
  );
  assert.equal(await zone.inputValue(), 'Europe/Atlantis');
  await zone.fill('Europe/Athens');
  await createAndCompare(t, page, 'atlantis');
});

test('editing sends only what was changed and says first what a lower cap removes', async (t) => {
  await server.api('PUT', 'boards/edited', {
    policy: 'best',
    cap: 100,
    dedup: 5,
  });
  const entries = Array.from({ length: 20 }, (_, i) => ({
    member: `m${i}`,
    score: i,
  }));
  await server.api('POST', 'boards/edited/entries', { entries });
  const page = await openPage(t, pageAddress(server, 'board', 'edited'));
  await page.getByRole('button', { name: 'Manage' }).click();
  await page.getByRole('menuitem', { name: 'Edit the declaration' }).click();
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const cap = page.getByRole('textbox', { name: 'Cap', exact: true });
  await cap.fill('15');
  await page.getByRole('radio', { name: 'Newest score (set)' }).check();
  const words = wordsOf(await command(page)).map(String);
  assert.deepEqual(words.slice(0, 2), ['LB.ALTER', 'edited']);
  assert.deepEqual(
    words
      .slice(2)
      .join(' ')
      .split(/ (?=POLICY|CAP)/)
      .sort(),
    ['CAP 15', 'POLICY set'],
  );
  await save.click();
  const question = dialog(page, 'Save, and lose data of edited?');
  await question.getByText('The cap of 15 removes 5 entries at once').waitFor();
  assert.equal((await server.api('GET', 'boards/edited')).cap, 100);
  await question.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'edited', level: 1 }).waitFor();
  const { size, policy, dedup, cap: newCap } = await server.api('GET', 'boards/edited');
  assert.deepEqual(
    { size, policy, dedup, newCap },
    { size: 15, policy: 'set', dedup: 5, newCap: 15 },
  );
});

test('templates are made, edited, used, deleted and restored', async (t) => {
  const page = await openPage(t, pageAddress(server, 'templates'));
  await page.getByRole('link', { name: 'New template' }).click();
  await page.getByRole('textbox', { name: 'Pattern' }).fill('rank:*');
  await page.getByRole('radio', { name: 'Best score (best)' }).check();
  assert.equal(await command(page), 'LB.TEMPLATE SET rank:* POLICY best');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: 'rank:*' });
  await row.waitFor();
  assert.equal((await server.api('GET', 'templates/rank:*')).spec.policy, 'best');

  await row
    .getByRole('link', { name: 'Edit' })
    .or(row.getByRole('button', { name: 'Edit' }))
    .click();
  await page.getByRole('radio', { name: 'Sum of all scores (sum)' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await row.waitFor();
  await server.api('POST', 'boards/rank:7/entries', {
    member: 'ann',
    score: 3,
  });
  await server.api('POST', 'boards/rank:7/entries', {
    member: 'ann',
    score: 4,
  });
  assert.deepEqual((await server.api('GET', 'boards/rank:7/entries/ann')).score, ['7']);

  await row.getByRole('button', { name: 'Delete' }).click();
  await dialog(page, 'Delete the template rank:*?').getByRole('button', { name: 'Delete' }).click();
  await toast(page, 'The template rank:* is deleted.').waitFor();
  assert.deepEqual((await server.api('GET', 'templates')).templates, []);
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.waitFor();
  assert.equal((await server.api('GET', 'templates/rank:*')).spec.policy, 'sum');
});

test('a pattern that has a template already is an error at the input', async (t) => {
  await server.api('PUT', 'templates/twice*', { policy: 'best' });
  const page = await openPage(t, `${server.url}#/templates?new=1`);
  await page.getByRole('textbox', { name: 'Pattern' }).fill('twice*');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('There is a template of this pattern already.').waitFor();
  assert.equal((await server.api('GET', 'templates/twice*')).spec.policy, 'best');
});

test('a sorted set is adopted as a leaderboard and everybody keeps their place', async (t) => {
  const resp = await Resp.open(t, server);
  await resp.call('ZADD', 'old', '10', 'bob', '10', 'ann', '-3', 'cid', '900', 'zoe');
  const page = await openPage(t, pageAddress(server, 'boards'));
  await page.getByRole('link', { name: 'Sorted sets' }).click();
  const row = page.getByRole('row').filter({ hasText: 'old' });
  await row
    .getByRole('link', { name: 'Adopt' })
    .or(row.getByRole('button', { name: 'Adopt' }))
    .click();
  const words = wordsOf(await command(page)).map(String);
  assert.ok(words.includes('ADOPT'), words.join(' '));
  await page.getByRole('button', { name: 'Turn into a board' }).click();
  await page.getByRole('heading', { name: 'old', level: 1 }).waitFor();
  const table = page.getByRole('region', { name: 'Top' }).getByRole('table');
  await table.waitFor();
  const shown = await table.evaluate(cellsOfTable);
  // Redis shows equal scores by member; best first is the reverse of its order.
  const order = await resp.call('ZREVRANGE', 'old', '0', '-1');
  assert.deepEqual(order, ['zoe', 'bob', 'ann', 'cid']);
  assert.deepEqual(
    shown.map((cells) => cells[2]),
    order,
  );
  assert.equal((await server.api('GET', 'boards/old')).size, 4);
});

test('a sorted set with scores that no whole number holds is refused and stays as it is', async (t) => {
  const resp = await Resp.open(t, server);
  await resp.call('ZADD', 'odd', '1.5', 'ann');
  const page = await openPage(t, pageAddress(server, 'boards'));
  await page.getByRole('link', { name: 'Sorted sets' }).click();
  const row = page.getByRole('row').filter({ hasText: 'odd' });
  await row
    .getByRole('link', { name: 'Adopt' })
    .or(row.getByRole('button', { name: 'Adopt' }))
    .click();
  await page.getByRole('button', { name: 'Turn into a board' }).click();
  await page.getByText("'ann' has the score 1.5, which does not fit int").waitFor();
  assert.deepEqual(await resp.call('ZRANGE', 'odd', '0', '-1', 'WITHSCORES'), ['ann', '1.5']);
  await page.getByRole('combobox', { name: 'Numbers' }).selectOption({ label: '1 decimal' });
  await page.getByRole('button', { name: 'Turn into a board' }).click();
  await page.getByRole('heading', { name: 'odd', level: 1 }).waitFor();
  assert.deepEqual((await server.api('GET', 'boards/odd/entries/ann')).score, ['1.5']);
});
