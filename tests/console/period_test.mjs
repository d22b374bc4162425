// Periods: the switch between them, past seasons, the countdown, and a turn while the page is open.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BoardPage, pageAddress } from './pages.mjs';
import { Clock, Server, eventually, openPage } from './support.mjs';

const dayMs = 86_400_000;
// A zone in which it is about noon, so that no day ends while the test runs.
const hoursToNoon = 12 - new Date().getUTCHours();
const zone = `Etc/GMT${hoursToNoon > 0 ? '-' : '+'}${Math.abs(hoursToNoon)}`;
let clock;
let server;

before(async () => {
  clock = new Clock(Date.now() - 2 * dayMs);
  server = await new Server([], { clock }).start();
});

const submit = (board, member, score) =>
  server.api('POST', `boards/${board}/entries`, { member, score });

const presentDay = async (board) =>
  (await server.api('GET', `boards/${board}/periods`)).periods.find(
    ({ period, present }) => period === 'day' && present,
  );

/** "1 d 02:03:04", "23:59:58" as seconds. */
function secondsOf(text) {
  const [, days = 0, hours, minutes, seconds] = /(?:(\d+)\D+)?(\d+):(\d+):(\d+)/.exec(text);
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

/** A board with an entry of the day before yesterday and one of today; the clock shows now. */
async function makeSeasons(board) {
  clock.set(Date.now() - 2 * dayMs);
  await server.api('PUT', `boards/${board}`, {
    periods: ['day', 'all'],
    tz: zone,
    keep: 5,
  });
  await submit(board, 'early', 10);
  clock.set(Date.now());
  await submit(board, 'ann', 20);
}

test('periods and past seasons are switched, and the choice is in the address', async (t) => {
  await makeSeasons('seasons');
  const page = await openPage(t, pageAddress(server, 'board', 'seasons'));
  const view = new BoardPage(page);
  await view.membersAre(['ann']);
  const periods = page.getByRole('navigation', { name: 'Periods' });
  await periods.getByRole('link', { name: 'All time' }).click();
  await view.membersAre(['ann', 'early']);
  await page.reload();
  await view.membersAre(['ann', 'early']);
  await periods.getByRole('link', { name: 'Day' }).click();
  await view.membersAre(['ann']);
  const season = page.getByRole('combobox', { name: 'Season' });
  const labels = await season.getByRole('option').allInnerTexts();
  assert.equal(labels[0], 'Today');
  const past = labels.find((label) => label.endsWith('· 1 entry'));
  await season.selectOption({ label: past });
  await view.membersAre(['early']);
  await page.getByText('Ended', { exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Submit a score' }).count(), 0);
  await page.goBack();
  await view.membersAre(['ann']);
});

test('the countdown to the next period goes down and is right', async (t) => {
  await makeSeasons('counted');
  // The clock of the file stands still, and the page follows it with every answer.
  const ticking = setInterval(() => clock.set(Date.now()), 50);
  t.after(() => clearInterval(ticking));
  const page = await openPage(t, pageAddress(server, 'board', 'counted'));
  const timer = page.getByRole('timer');
  await timer.getByText('Next period in').waitFor();
  const { end } = await presentDay('counted');
  let last = Infinity;
  // A busy machine may leave out a second, or show it late.
  for (let change = 0; change < 4; change++) {
    last = await eventually(`a right countdown below ${last} s`, async () => {
      const left = secondsOf(await timer.innerText());
      const expected = (Date.parse(end) - Date.now()) / 1000;
      return left < last && Math.abs(left - expected) < 3 && left;
    });
  }
});

test('the countdown follows the clock of the server, also if that is set ahead', async (t) => {
  const ahead = await new Server(['--clock-offset', '100d'], {
    inMemory: true,
  }).start();
  await ahead.api('PUT', 'boards/ahead', { periods: ['month'] });
  const end = Date.parse((await ahead.api('GET', 'boards/ahead/periods')).periods[0].end);
  const page = await openPage(t, pageAddress(ahead, 'board', 'ahead'));
  const timer = page.getByRole('timer');
  await timer.getByText('Next period in').waitFor();
  const expected = (end - Date.parse((await ahead.api('GET', 'server')).time)) / 1000;
  await eventually(`a countdown of ${expected} s`, async () => {
    const left = secondsOf(await timer.innerText());
    return Math.abs(left - expected) < 35;
  });
});

for (const view of ['page', 'wall']) {
  test(`when a period turns, the ${view} that is open shows the new one by itself`, async (t) => {
    const board = `turning-${view}`;
    await makeSeasons(board);
    const query = view === 'wall' ? '?period=day&view=wall' : '';
    const page = await openPage(t, pageAddress(server, 'board', board) + query);
    await page.evaluate(() => (window.notReloaded = true));
    const place = (member) =>
      page.getByRole(view === 'wall' ? 'listitem' : 'row').filter({ hasText: member });
    const inList = (member) =>
      view === 'wall' ? place(member) : page.getByRole('region', { name: 'Top' }).getByText(member);
    await inList('ann').first().waitFor();
    const { end } = await presentDay(board);
    clock.set(Date.parse(end) + 1000);
    await inList('ann').first().waitFor({ state: 'hidden' });
    await submit(board, 'next', 5);
    await inList('next').first().waitFor();
    if (view === 'page') {
      const labels = await page
        .getByRole('combobox', { name: 'Season' })
        .getByRole('option')
        .allInnerTexts();
      assert.equal(labels.filter((label) => label.endsWith('· 1 entry')).length, 2, labels.join());
      await page.getByRole('combobox', { name: 'Season' }).selectOption({ index: 1 });
      await new BoardPage(page).membersAre(['ann']);
    }
    assert.ok(await page.evaluate(() => window.notReloaded));
  });
}

test('an upcoming event counts down to its start, opens and ends while the page is open', async (t) => {
  const now = Date.now();
  const at = (ms) => new Date(ms).toISOString();
  const tenMinutes = 600_000;
  const [start, end] = [now + tenMinutes, now + 2 * tenMinutes];
  clock.set(now);
  await server.api('PUT', 'boards/event', { start: at(start), end: at(end) });
  const page = await openPage(t, 'about:blank');
  await page.clock.install();
  await page.goto(pageAddress(server, 'board', 'event'));
  const timer = page.getByRole('timer');
  await timer.getByText('Opens in').waitFor();
  assert.ok(secondsOf(await timer.innerText()) <= tenMinutes / 1000);
  await page.getByText('The board takes no writes now.').waitFor();
  clock.set(start);
  await page.clock.fastForward(tenMinutes);
  await timer.getByText('Ends in').waitFor();
  await submit('event', 'ann', 5);
  await new BoardPage(page).membersAre(['ann']);
  await page.getByRole('button', { name: 'Submit a score' }).waitFor();
  clock.set(end);
  await page.clock.fastForward(tenMinutes);
  await timer.getByText('Ended').waitFor();
  await page.getByRole('button', { name: 'Submit a score' }).waitFor({ state: 'hidden' });
});
