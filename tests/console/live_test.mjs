// The list of a board while the board changes: rows move by themselves, moves are marked and announced,
// and each visible tab has one stream.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BoardPage, dialog, pageAddress } from './pages.mjs';
import { Server, eventually, limitMs, openPage, openTab } from './support.mjs';

let server;
before(async () => {
  server = await new Server().start();
});

const submit = (board, member, score) =>
  server.api('POST', `boards/${board}/entries`, { member, score });

const streams = async () => (await server.api('GET', 'server')).connections.streams;

/** A board with members m1 (best) to mN. Returns them. */
async function makeBoard(board, count) {
  await server.api('PUT', `boards/${board}`, {});
  const entries = Array.from({ length: count }, (_, i) => ({
    member: `m${i + 1}`,
    score: 1000 - i,
  }));
  await server.api('POST', `boards/${board}/entries`, { entries });
  return entries.map(({ member }) => member);
}

/** A board with members m1 (best) to mN, and its page once the page is live. */
async function openBoard(test, board, count) {
  const members = await makeBoard(board, count);
  return showBoard(await openPage(test, 'about:blank'), board, members);
}

/** The same, but time stands still in the page and passes only in page.clock.runFor(). */
async function openBoardWithoutTime(test, board, count) {
  const members = await makeBoard(board, count);
  const page = await openPage(test, 'about:blank');
  await page.clock.install();
  const view = await showBoard(page, board, members);
  // Until now the clock of the page ran with the system's, so it has not reached this time.
  await page.clock.pauseAt(Date.now() + limitMs);
  return view;
}

async function showBoard(page, board, members) {
  await page.goto(pageAddress(server, 'board', board));
  const view = new BoardPage(page);
  await view.list.getByText('live', { exact: true }).waitFor();
  await view.membersAre(members);
  return view;
}

/** Notes in the page when the list shows a text such as "1 m7 2,001" for the first time. */
async function watchRows(view) {
  await view.list.evaluate((list) => {
    window.firstSeen = {};
    const look = () => {
      const now = performance.timeOrigin + performance.now();
      for (const row of list.querySelectorAll('tbody tr')) {
        const cells = Array.from(row.cells, (cell) => cell.innerText.trim());
        window.firstSeen[`${cells[0]} ${cells[2]} ${cells[3]}`] ??= now;
      }
    };
    new MutationObserver(look).observe(list, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
}

test('each of 100 submits from outside moves its row without a reload', async (t) => {
  const view = await openBoard(t, 'race', 20);
  await view.page.evaluate(() => (window.notReloaded = true));
  await watchRows(view);
  const times = [];
  for (let i = 0; i < 100; i++) {
    const member = `m${(i % 20) + 1}`;
    const score = 2001 + i;
    const { rank } = await submit('race', member, score);
    const answered = performance.timeOrigin + performance.now();
    const text = `${rank} ${member} ${score.toLocaleString('en-US')}`;
    const seen = await eventually(`the row "${text}"`, () =>
      view.page.evaluate((key) => window.firstSeen[key], text),
    );
    times.push(Math.max(0, seen - answered));
    await sleep((i * 37) % 30); // no fixed distance to the ticks of the server
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.ceil(share * times.length) - 1].toFixed(0);
  console.log(
    `# submit answered until the row shows: n=${times.length} p50=${at(0.5)} ms p95=${at(0.95)} ms max=${at(1)} ms`,
  );
  assert.ok(await view.page.evaluate(() => window.notReloaded));
});

test('rows that move up, move down and are new are marked for some seconds', async (t) => {
  const view = await openBoardWithoutTime(t, 'marks', 6);
  const { clock } = view.page;
  await submit('marks', 'm5', 5000);
  await view.membersAre(['m5', 'm1', 'm2', 'm3', 'm4', 'm6']);
  await clock.runFor(100); // a row gets its mark a frame after it has moved
  const moveOf = async (member) => (await view.rows()).find((row) => row[2] === member)[1];
  assert.equal(await moveOf('m5'), '▲4');
  assert.equal(await moveOf('m1'), '▼1');
  assert.equal(await moveOf('m6'), '', 'm6 stays where it is');
  await submit('marks', 'newcomer', 4000);
  await view.membersAre(['m5', 'newcomer', 'm1', 'm2', 'm3', 'm4', 'm6']);
  await clock.runFor(100);
  assert.equal(await moveOf('newcomer'), 'new');
  assert.equal(await moveOf('m5'), '▲4', 'the change of another row takes no mark away');
  await clock.runFor(2000);
  assert.equal(await moveOf('newcomer'), 'new', 'a mark can be seen for two seconds');
  assert.equal(await moveOf('m5'), '▲4');
  await clock.runFor(8000);
  for (const row of await view.rows()) assert.equal(row[1], '', `the mark of ${row[2]} goes`);
});

test('for screen readers each cell of the list stands under its own column', async (t) => {
  const view = await openBoard(t, 'columns', 3);
  await submit('columns', 'm3', 5000);
  await view.membersAre(['m3', 'm1', 'm2']);
  const headers = await view.list.getByRole('columnheader').count();
  for (const member of ['m3', 'm1']) {
    assert.equal(await view.row(member).getByRole('cell').count(), headers, member);
  }
});

test('screen readers hear of moves at a pace, not of every change', async (t) => {
  const view = await openBoardWithoutTime(t, 'spoken', 10);
  const { page } = view;
  const regions = page.locator('main [aria-live="polite"]');
  assert.equal(await regions.count(), 1);
  await regions.evaluate((region) => {
    window.said = [];
    const listen = () => {
      if (region.textContent !== (window.said.at(-1) ?? '')) window.said.push(region.textContent);
    };
    const all = { subtree: true, childList: true, characterData: true };
    new MutationObserver(listen).observe(region, all);
  });
  const said = () => page.evaluate(() => window.said);
  for (let sentences = 1; sentences <= 2; sentences++) {
    for (let i = 0; i < 20; i++) {
      await submit('spoken', `m${(i % 10) + 1}`, sentences * 2000 + i);
      await sleep(50);
    }
    await view
      .row('m10')
      .getByText((sentences * 2000 + 19).toLocaleString('en-US'))
      .waitFor();
    assert.equal((await said()).length, sentences - 1, 'a change is not spoken at once');
    await page.clock.runFor(10_000);
    assert.equal((await said()).length, sentences, 'twenty changes are one sentence');
  }
  for (const sentence of await said()) {
    assert.match(sentence, /^(m\d+ leads with [\d,]+\. )?\d+ players moved up\.$/);
  }
});

test('a change made in one tab is seen in the other, and each tab has one stream', async (t) => {
  const view = await openBoard(t, 'tabs', 3);
  await eventually('one stream', async () => (await streams()) === 1);
  const other = new BoardPage(
    await openTab(view.page.context(), pageAddress(server, 'board', 'tabs')),
  );
  await other.membersAre(['m1', 'm2', 'm3']);
  await eventually('two streams', async () => (await streams()) === 2);
  await other.page.getByRole('button', { name: 'Submit a score' }).click();
  const form = dialog(other.page, 'Submit to tabs');
  await form.getByRole('textbox', { name: 'Player' }).fill('m3');
  await form.getByRole('textbox', { name: 'score' }).fill('7777');
  await form.getByRole('button', { name: 'Submit', exact: true }).last().click();
  await view.membersAre(['m3', 'm1', 'm2']);
  await other.membersAre(['m3', 'm1', 'm2']);

  // Another page of the same tab replaces its stream; a page without a board has none.
  await other.page.goto(pageAddress(server, 'templates'));
  await eventually('one stream', async () => (await streams()) === 1);
  const answered = view.page.waitForResponse((answer) => /\/live\?.*member=m1/.test(answer.url()));
  await view.page.goto(`${pageAddress(server, 'board', 'tabs')}?member=m1`);
  await view.player.getByText('ordinal').waitFor();
  await answered; // the server counts the new stream from here on
  await eventually('one stream', async () => (await streams()) === 1);
});

/** What the browser does when another tab covers this one, or no longer does. */
async function setHidden(page, hidden) {
  await page.evaluate((isHidden) => {
    Object.defineProperty(document, 'hidden', {
      configurable: true,
      get: () => isHidden,
    });
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (isHidden ? 'hidden' : 'visible'),
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}

test('a hidden tab has no stream, and catches up when it is shown again', async (t) => {
  const view = await openBoard(t, 'covered', 3);
  await eventually('one stream', async () => (await streams()) === 1);
  await setHidden(view.page, true);
  await eventually('the stream of the hidden tab ends', async () => (await streams()) === 0);
  await submit('covered', 'm3', 5000);
  await sleep(500);
  assert.equal(await streams(), 0);
  await setHidden(view.page, false);
  await view.membersAre(['m3', 'm1', 'm2']);
  await eventually('one stream', async () => (await streams()) === 1);
  await submit('covered', 'm2', 6000);
  await view.membersAre(['m2', 'm3', 'm1']);
});

for (const how of ['stop', 'kill']) {
  test(`after ${how === 'stop' ? 'a restart' : 'kill -9'} the page says so and goes on by itself`, async (t) => {
    const board = `restart-${how}`;
    const view = await openBoard(t, board, 3);
    await view.page.evaluate(() => (window.notReloaded = true));
    await server[how]();
    await view.page
      .getByText('The server does not answer. The page asks again by itself.')
      .waitFor();
    await view.membersAre(['m1', 'm2', 'm3']); // what was shown stays readable
    await sleep(1500);
    await server.start();
    await submit(board, 'm3', 9000); // before the page is back
    await view.membersAre(['m3', 'm1', 'm2']);
    await view.page.getByText('The server does not answer').waitFor({ state: 'hidden' });
    await view.list.getByText('live', { exact: true }).waitFor();
    await submit(board, 'm2', 9500);
    await view.membersAre(['m2', 'm3', 'm1']);
    await eventually('one stream', async () => (await streams()) === 1);
    assert.ok(await view.page.evaluate(() => window.notReloaded));
  });
}

test('a restart while a dialog is open loses nothing that was typed in it', async (t) => {
  const view = await openBoard(t, 'typing', 3);
  await view.page.getByRole('button', { name: 'Submit a score' }).click();
  const form = dialog(view.page, 'Submit to typing');
  await form.getByRole('textbox', { name: 'Player' }).fill('late');
  await form.getByRole('textbox', { name: 'score' }).fill('4321');
  await form.getByRole('textbox', { name: 'Meta (optional)' }).fill('typed before');
  await server.stop();
  await form.getByRole('button', { name: 'Submit', exact: true }).last().click();
  await form.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
  await server.start();
  await view.list.getByText('live', { exact: true }).waitFor();
  assert.equal(await form.getByRole('textbox', { name: 'Player' }).inputValue(), 'late');
  assert.equal(await form.getByRole('textbox', { name: 'score' }).inputValue(), '4321');
  await form.getByRole('button', { name: 'Submit', exact: true }).last().click();
  await view.membersAre(['late', 'm1', 'm2', 'm3']);
  const entry = await server.api('GET', 'boards/typing/entries/late?meta=1');
  assert.deepEqual([entry.score, entry.meta], [['4321'], 'typed before']);
});

test('a restart while the form of a new board is open loses nothing that was typed in it', async (t) => {
  const page = await openPage(t, pageAddress(server, 'new'));
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('patient');
  await page.getByRole('radio', { name: 'Best score (best)' }).check();
  await server.stop();
  await page.getByRole('button', { name: 'Create the board' }).click();
  await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
  await server.start();
  await page.getByText('The server does not answer. The page asks').waitFor({ state: 'hidden' });
  assert.equal(
    await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue(),
    'patient',
  );
  await page.getByRole('button', { name: 'Create the board' }).click();
  await page.getByRole('heading', { name: 'patient', level: 1 }).waitFor();
  assert.equal((await server.api('GET', 'boards/patient')).policy, 'best');
});
