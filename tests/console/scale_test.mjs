// A board of 1,000,000 entries, a server of 100,000 boards, and the bytes of a first visit.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BoardPage, cellsOfTable, pageAddress } from './pages.mjs';
import { Resp, Server, eventually, openPage, textOf } from './support.mjs';

const entryCount = 1_000_000;
const boardCount = 100_000;
let server;

before(async () => {
  server = await new Server([], { inMemory: true }).start();
  await server.api('PUT', 'boards/million', { dedup: 0 });
  const chunk = 10_000;
  for (let first = 0; first < entryCount; first += chunk) {
    const ranks = Array.from({ length: chunk }, (_, i) => first + i + 1);
    const entries = ranks.map((rank) => ({
      member: `p${rank}`,
      score: entryCount + 1 - rank,
    }));
    await server.api('POST', 'boards/million/entries', { entries });
  }
  const resp = await Resp.open({ after: () => {} }, server);
  for (let first = 0; first < boardCount; first += chunk) {
    const numbers = Array.from({ length: chunk }, (_, i) => String(first + i).padStart(6, '0'));
    await resp.pipeline(numbers.map((number) => ['LB.CREATE', `game:${number}`]));
  }
  const sizes = [5, 3, 9];
  for (const [i, size] of sizes.entries()) {
    const pairs = Array.from({ length: size }, (_, j) => [`m${j}`, j]);
    await resp.call('LB.MSUBMIT', `game:09999${i}`, size, ...pairs.flat());
  }
  resp.close();
});

test('a rank of a board of 1,000,000 entries is jumped to', async (t) => {
  const page = await openPage(t, pageAddress(server, 'board', 'million'));
  const view = new BoardPage(page);
  await view.row('p1').waitFor();
  await page.getByText('1,000,000 entries').waitFor();
  const jump = async (rank) => {
    await page.getByRole('spinbutton', { name: 'Jump to rank' }).fill(String(rank));
    await page.getByRole('button', { name: 'Go', exact: true }).click();
  };
  for (const rank of [654_321, 26, 1, 999_999, 500_000]) {
    await jump(rank);
    await view.row(`p${rank}`).waitFor();
    const [shown] = (await view.rows()).filter((cells) => cells[2] === `p${rank}`);
    assert.equal(shown[0], rank.toLocaleString('en-US'));
    assert.equal(shown[3], (entryCount + 1 - rank).toLocaleString('en-US'));
    assert.ok(await view.row(`p${rank}`).isVisible());
  }
  await page.reload();
  await view.row('p500000').waitFor();
});

test('the pages at the end of a board, and ranks beyond it', async (t) => {
  const page = await openPage(t, pageAddress(server, 'board', 'million'));
  const view = new BoardPage(page);
  const pager = page.getByRole('navigation', { name: 'Pages of the board' });
  await pager.getByRole('link', { name: 'End' }).click();
  await view.row('p1000000').waitFor();
  await pager.getByText('999,976 – 1,000,000 of 1,000,000').waitFor();
  assert.equal(await pager.getByRole('link', { name: 'Next' }).count(), 0);
  await pager.getByRole('link', { name: 'Previous' }).click();
  await view.row('p999951').waitFor();
  await pager.getByRole('link', { name: 'Next' }).click();
  await view.row('p1000000').waitFor();
  await pager.getByRole('link', { name: 'Top' }).click();
  await view.row('p1').waitFor();
  await page.goto(`${pageAddress(server, 'board', 'million')}?rank=1000001`);
  await page.getByText('There is no such rank').waitFor();
  await page.getByText('The board has 1,000,000 visible entries.').waitFor();
  await page.getByRole('link', { name: 'Top', exact: true }).click();
  await view.row('p1').waitFor();
});

test('the top 10,000 of a large board are downloaded', async (t) => {
  const page = await openPage(t, pageAddress(server, 'board', 'million'));
  await new BoardPage(page).row('p1').waitFor();
  await page.getByRole('button', { name: 'CSV' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Top 10,000' }).click(),
  ]);
  const lines = (await textOf(download)).trimEnd().split('\r\n');
  assert.equal(lines.length, 10_001);
  assert.match(lines[10_000], /^10000,p10000,/);
});

/** Scrolls what holds the rows of the list of boards to a share of its height. */
async function scrollTo(page, share) {
  await page.getByRole('table', { name: 'Boards' }).evaluate((table, part) => {
    let scroller = table;
    const scrolls = (element) =>
      element.scrollHeight > element.clientHeight + 1 &&
      /auto|scroll/.test(getComputedStyle(element).overflowY);
    while (scroller !== document.documentElement && !scrolls(scroller))
      scroller = scroller.parentElement;
    scroller.scrollTop = part * (scroller.scrollHeight - scroller.clientHeight);
  }, share);
}

const boardNames = async (page) =>
  (await page.getByRole('table', { name: 'Boards' }).evaluate(cellsOfTable))
    .map((cells) => cells[0])
    .filter((name) => name !== '' && name !== undefined);

test('100,000 boards are listed, and far rows come by scrolling', async (t) => {
  const begin = Date.now();
  const page = await openPage(t, pageAddress(server, 'boards'));
  await page
    .getByRole('link', { name: /^game:/ })
    .first()
    .waitFor();
  console.log(`# first rows of ${boardCount} boards after ${Date.now() - begin} ms`);
  const first = await boardNames(page);
  assert.ok(first.length < 500, `${first.length} rows are in the page`);
  // The list grows as one scrolls; the rows that are out of sight are not in the page.
  const status = page.getByRole('status').first();
  await eventually('all boards are listed', async () => {
    await scrollTo(page, 1);
    return (await status.innerText()) === '100,001 boards';
  });
  console.log(`# last rows of ${boardCount} boards after ${Date.now() - begin} ms`);
  await scrollTo(page, 1);
  const last = await eventually('the last rows', async () => {
    const names = await boardNames(page);
    return names.length > 5 && !names.some((name) => first.includes(name)) && names;
  });
  assert.ok(last.length < 500, `${last.length} rows are in the page`);
  await scrollTo(page, 0);
  await page.getByRole('link', { name: first[0], exact: true }).waitFor();
  await page.getByText('Lists of more than 1,000 boards cannot be sorted.').first().waitFor();
});

test('a filter narrows 100,000 boards, makes them sortable, and lives in the address', async (t) => {
  const page = await openPage(t, pageAddress(server, 'boards'));
  const filter = page.getByRole('searchbox', { name: 'Filter by name' });
  await filter.fill('game:09999?');
  await page.getByText('10 boards', { exact: true }).waitFor();
  const sort = page.getByRole('columnheader', { name: 'Entries' }).getByRole('button');
  await sort.click();
  await eventually('a sort by entries', async () =>
    ['ascending', 'descending'].includes(
      await page.getByRole('columnheader', { name: 'Entries' }).getAttribute('aria-sort'),
    ),
  );
  const sizes = async () =>
    (await page.getByRole('table', { name: 'Boards' }).evaluate(cellsOfTable)).map((cells) =>
      Number(cells[1]),
    );
  const sorted = (numbers, sign) => [...numbers].sort((a, b) => sign * (a - b));
  const once = await sizes();
  assert.ok(
    [1, -1].some((sign) => String(sorted(once, sign)) === String(once)),
    String(once),
  );
  await sort.click();
  const reverse = sorted(once, once[0] > once[9] ? 1 : -1);
  await eventually('the other direction', async () => String(await sizes()) === String(reverse));
  const twice = await sizes();
  const address = page.url();
  assert.match(address, /game/);
  await page.reload();
  await eventually(
    'the same list after a reload',
    async () => String(await sizes()) === String(twice),
  );
  assert.equal(await filter.inputValue(), 'game:09999?');
  assert.equal(page.url(), address);

  // A part of a name is a filter too. 1,000 boards can still be sorted, more cannot.
  await filter.fill('game:042');
  await page.getByText('1,000 boards', { exact: true }).waitFor();
  await page.getByRole('columnheader', { name: 'Board' }).getByRole('button').click();
  await eventually('names in order', async () => {
    const names = await boardNames(page);
    const isUp = String([...names].sort()) === String(names);
    return names.length > 1 && (isUp || String([...names].sort().reverse()) === String(names));
  });
  await filter.fill('nothing like this');
  await page.getByText('No board matches the filter').waitFor();
});

test('until the top of a board is shown the browser receives at most 100 KB', async (t) => {
  const page = await openPage(t, 'about:blank');
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  // Streams do not finish, so what arrives is counted as it does: headers, then data as transferred.
  let bytes = 0;
  const sizes = new Map();
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    bytes += response.encodedDataLength;
    sizes.set(requestId, {
      url: response.url,
      bytes: response.encodedDataLength,
    });
  });
  cdp.on('Network.dataReceived', ({ requestId, encodedDataLength, dataLength }) => {
    const added = encodedDataLength > 0 ? encodedDataLength : 0;
    bytes += added;
    const size = sizes.get(requestId);
    if (size !== undefined) {
      size.bytes += added;
      size.decoded = (size.decoded ?? 0) + dataLength;
    }
  });
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const size = sizes.get(requestId);
    if (size === undefined) return;
    bytes += encodedDataLength - size.bytes;
    size.bytes = encodedDataLength;
  });
  await page.goto(pageAddress(server, 'board', 'million'));
  await new BoardPage(page).row('p25').waitFor();
  const untilTop = bytes;
  await page.waitForTimeout(1000);
  console.log(
    `# received until the top is shown: ${untilTop} bytes, a second later ${bytes} bytes`,
  );
  for (const { url, bytes: size } of sizes.values()) console.log(`#   ${size} ${url}`);
  assert.ok(untilTop > 10_000, 'something was counted');
  assert.ok(bytes <= 102_400, `${bytes} bytes`);
});
