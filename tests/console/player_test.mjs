// One player: found on a board and on all boards, and what writers do with an entry and with a board.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BoardPage, cellsOfTable, dialog, pageAddress, toast } from './pages.mjs';
import { Server, eventually, openPage } from './support.mjs';

let server;
before(async () => {
  server = await new Server().start();
});

const path = encodeURIComponent;
const entryOf = (board, member) =>
  server.api('GET', `boards/${path(board)}/entries/${path(member)}?meta=1`);
const membersOf = async (board) =>
  (await server.api('GET', `boards/${path(board)}/entries`)).entries.map(({ member }) => member);

/** A board with some entries, and its page. */
async function openBoard(test, board, entries, spec = {}, query = '') {
  await server.api('PUT', `boards/${path(board)}`, spec);
  await server.api('POST', `boards/${path(board)}/entries`, { entries });
  return new BoardPage(await openPage(test, pageAddress(server, 'board', board) + query));
}

const entriesOf = (...pairs) => pairs.map(([member, score]) => ({ member, score }));

test('a player is found by the exact name with ranks of all kinds, percentile, neighbours and changes', async (t) => {
  const entries = entriesOf(['a', 90], ['b', 80], ['c', 80], ['d', 80], ['e', 70], ['f', 60]);
  const view = await openBoard(t, 'found', entries);
  await server.api('POST', 'boards/found/entries', {
    member: 'e',
    score: 75,
    meta: 'Eve E.',
  });
  await view.find('e');
  const { player } = view;
  await player.getByText('ordinal', { exact: true }).waitFor();
  const shown = await player.innerText();
  assert.match(shown, /5\s*ordinal\s*5\s*competition\s*3\s*dense/);
  const fact = (name) =>
    player
      .getByRole('term')
      .filter({ hasText: name })
      .locator('xpath=following-sibling::dd[1]')
      .innerText();
  assert.equal(await fact('score'), '75');
  assert.match(await fact('Percentile'), /beats 20 % \(1 of 5 others\)/);
  assert.equal(await fact('Meta'), 'Eve E.');
  // When it was reached: the browser's time zone first, which is Berlin, then UTC.
  const reached = new Date((await entryOf('found', 'e')).reached);
  const inZone = (timeZone) =>
    reached.toLocaleTimeString('en-US', { timeZone }).replace(/\s/g, ' ');
  const told = (await fact('Reached')).replace(/\s/g, ' ');
  assert.ok(told.includes(inZone('Europe/Berlin')) && told.includes(`${inZone('UTC')} UTC`), told);
  const around = await player.getByRole('table', { name: 'Players around' }).evaluate(cellsOfTable);
  assert.deepEqual(
    around.map(([rank, member]) => `${rank} ${member}`),
    ['1 a', '2 b', '3 c', '4 d', '5 e', '6 f'],
  );
  const changes = player.getByRole('heading', {
    name: 'Recent changes of this player',
  });
  await changes.waitFor();
  const lines = await player.getByRole('listitem').allInnerTexts();
  assert.equal(lines.length, 2);
  assert.match(lines.join(' '), /75[^]*70/);
  assert.match(view.page.url(), /member=e$/);
});

test('a player that is not there is told so, and names are exact', async (t) => {
  const view = await openBoard(t, 'exact', entriesOf(['Ann', 1], ['ann ', 2]));
  for (const [name, isThere] of [
    ['ann', false],
    ['Ann', true],
    ['ann ', true],
  ]) {
    await view.find(name);
    const note = view.player.getByText('There is no such player here. Names are exact.');
    if (isThere) await view.player.getByText('ordinal', { exact: true }).waitFor();
    else await note.waitFor();
    assert.equal(await note.isVisible(), !isThere, JSON.stringify(name));
  }
});

test('the shown player stays up to date while others overtake', async (t) => {
  const view = await openBoard(
    t,
    'overtaken',
    entriesOf(['ann', 50], ['bob', 40]),
    {},
    '?member=ann',
  );
  await view.player.getByText('ordinal', { exact: true }).waitFor();
  await server.api('POST', 'boards/overtaken/entries', {
    member: 'bob',
    score: 60,
  });
  await eventually('the new rank of ann', async () =>
    /2\s*ordinal/.test(await view.player.innerText()),
  );
});

test('a player is found on all boards of a filter', async (t) => {
  for (const board of ['cup:1', 'cup:2', 'cup:3', 'league:1']) {
    await server.api('PUT', `boards/${board}`, {});
    if (board !== 'cup:2')
      await server.api('POST', `boards/${board}/entries`, {
        member: 'Zoë',
        score: 7,
      });
  }
  await server.api('POST', 'boards/cup:3/entries', {
    member: 'other',
    score: 9,
  });
  const page = await openPage(t, pageAddress(server, 'players'));
  await page.getByRole('textbox', { name: "Player's exact name" }).fill('Zoë');
  await page.getByRole('textbox', { name: 'On boards' }).fill('cup:*');
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  await page.getByText('Found on 2 of 3 boards').waitFor();
  const rows = await page.getByRole('table').evaluate(cellsOfTable);
  assert.deepEqual(rows.map((cells) => cells.slice(0, 3)).sort(), [
    ['cup:1', '1', '7'],
    ['cup:3', '2', '7'],
  ]);
  await page.reload(); // the search is in the address
  await page.getByText('Found on 2 of 3 boards').waitFor();
  await page.getByRole('link', { name: 'cup:3' }).click();
  await new BoardPage(page).player.getByText('ordinal', { exact: true }).waitFor();

  await page.goto(`${pageAddress(server, 'players')}?name=nobody`);
  await page.getByText('No board has this player').waitFor();
});

test('a cheater is hidden, and undo brings the entry back', async (t) => {
  const view = await openBoard(
    t,
    'cheat',
    entriesOf(['cheater', 99], ['ann', 50]),
    {},
    '?member=cheater',
  );
  const before = await entryOf('cheat', 'cheater');
  await view.player.getByRole('button', { name: 'Hide', exact: true }).click();
  const question = dialog(view.page, 'Hide cheater?');
  await question.getByText('You can undo this.').waitFor();
  await question.getByRole('button', { name: 'Hide', exact: true }).click();
  await toast(view.page, 'cheater is hidden.').waitFor();
  await view.membersAre(['ann']);
  assert.deepEqual(await membersOf('cheat'), ['ann']);
  await view.page.getByRole('button', { name: 'Undo' }).click();
  await view.membersAre(['cheater', 'ann']);
  assert.deepEqual(await entryOf('cheat', 'cheater'), before);
});

test('a hidden player is found by name and shown again', async (t) => {
  const view = await openBoard(t, 'shown', entriesOf(['ghost', 99], ['ann', 50]));
  await server.api('PUT', 'boards/shown/entries/ghost/hidden');
  await view.membersAre(['ann']);
  await view.find('ghost');
  await view.player.getByText('hidden', { exact: true }).first().waitFor();
  await view.player.getByRole('button', { name: 'Show again' }).click();
  await dialog(view.page, 'Show ghost again?').getByRole('button', { name: 'Show again' }).click();
  await view.membersAre(['ghost', 'ann']);
  await view.player.getByRole('button', { name: 'Hide', exact: true }).waitFor();
});

test('an entry is removed, and undo brings it back with score, stamp and meta', async (t) => {
  const fields = [{ name: 'points' }, { name: 'time', type: 'decimal3', direction: 'asc' }];
  await server.api('PUT', 'boards/removed', { fields, policy: 'sum' });
  const score = ['9007199254740993', '-0.125'];
  await server.api('POST', 'boards/removed/entries', {
    member: 'ann',
    score,
    meta: 'tab\t"quoted" ☃',
  });
  await server.api('POST', 'boards/removed/entries', {
    member: 'bob',
    score: [1, 1],
  });
  const before = await entryOf('removed', 'ann');
  const view = new BoardPage(
    await openPage(t, `${pageAddress(server, 'board', 'removed')}?member=ann`),
  );
  await view.player.getByRole('button', { name: 'Remove', exact: true }).click();
  const question = dialog(view.page, 'Remove ann?');
  await question
    .getByText('You can undo this: the entry is written again with its stamp.')
    .waitFor();
  await question.getByRole('button', { name: 'Remove', exact: true }).click();
  await toast(view.page, 'ann is removed.').waitFor();
  await view.membersAre(['bob']);
  assert.deepEqual(await membersOf('removed'), ['bob']);
  await view.page.getByRole('button', { name: 'Undo' }).click();
  await toast(view.page, 'ann is back.').waitFor();
  await view.membersAre(['ann', 'bob']);
  assert.deepEqual(await entryOf('removed', 'ann'), before);
});

test('undo of a removal restores the entries of all periods, and a hidden player stays hidden', async (t) => {
  await server.api('PUT', 'boards/twofold', {
    periods: ['day', 'all'],
    policy: 'best',
  });
  for (const [member, score] of [
    ['ann', 50],
    ['bob', 40],
    ['ghost', 60],
  ]) {
    await server.api('POST', 'boards/twofold/entries', {
      member,
      score,
      meta: `meta of ${member}`,
    });
  }
  await server.api('PUT', 'boards/twofold/entries/ghost/hidden');
  for (const member of ['ann', 'ghost']) {
    const before = [await entryOf('twofold@day', member), await entryOf('twofold@all', member)];
    const view = new BoardPage(
      await openPage(t, `${pageAddress(server, 'board', 'twofold')}?member=${member}`),
    );
    await view.player.getByRole('button', { name: 'Remove', exact: true }).click();
    const question = dialog(view.page, `Remove ${member}?`);
    await question.getByText('You can undo this').waitFor();
    await question.getByRole('button', { name: 'Remove', exact: true }).click();
    await toast(view.page, `${member} is removed.`).waitFor();
    await assert.rejects(entryOf('twofold@all', member), /NOMEMBER/);
    await view.page.getByRole('button', { name: 'Undo' }).click();
    await toast(view.page, `${member} is back.`).waitFor();
    const after = [await entryOf('twofold@day', member), await entryOf('twofold@all', member)];
    assert.deepEqual(after, before, member);
  }
  assert.deepEqual(await membersOf('twofold'), ['ann', 'bob']);
});

test('undo of a removal does not overwrite a score that was submitted meanwhile', async (t) => {
  const view = await openBoard(t, 'meanwhile', entriesOf(['ann', 50]), {}, '?member=ann');
  await view.player.getByRole('button', { name: 'Remove', exact: true }).click();
  await dialog(view.page, 'Remove ann?')
    .getByRole('button', { name: 'Remove', exact: true })
    .click();
  await toast(view.page, 'ann is removed.').waitFor();
  await server.api('POST', 'boards/meanwhile/entries', {
    member: 'ann',
    score: 7,
  });
  await view.page.getByRole('button', { name: 'Undo' }).click();
  await toast(view.page, 'The entry could not be written again').waitFor();
  assert.deepEqual((await entryOf('meanwhile', 'ann')).score, ['7']);
});

test('undo of a removal restores the entry that was removed, not the one the dialog was opened for', async (t) => {
  const view = await openBoard(t, 'late', entriesOf(['ann', 50]), {}, '?member=ann');
  await view.player.getByRole('button', { name: 'Remove', exact: true }).click();
  const question = dialog(view.page, 'Remove ann?');
  await question.waitFor();
  await server.api('POST', 'boards/late/entries', {
    member: 'ann',
    score: 70,
    meta: 'newer',
  });
  const before = await entryOf('late', 'ann');
  await question.getByRole('button', { name: 'Remove', exact: true }).click();
  await toast(view.page, 'ann is removed.').waitFor();
  await view.page.getByRole('button', { name: 'Undo' }).click();
  await toast(view.page, 'ann is back.').waitFor();
  assert.deepEqual(await entryOf('late', 'ann'), before);
});

test('a submit whose answer is lost counts once when it is sent again', async (t) => {
  const view = await openBoard(t, 'once', entriesOf(['ann', 50]), {
    policy: 'sum',
  });
  let lost = 0;
  await view.page.route('**/v1/boards/once/entries', async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.continue();
    lost++;
    await route.fetch(); // the server carries it out
    return route.abort();
  });
  await view.page.getByRole('button', { name: 'Submit a score' }).click();
  const form = dialog(view.page, 'Submit to once');
  await form.getByRole('textbox', { name: 'Player' }).fill('ann');
  await form.getByRole('textbox', { name: 'score' }).fill('5');
  const submit = form.getByRole('button', { name: 'Submit', exact: true }).last();
  await submit.click();
  await form
    .getByText('it is not known whether this was carried out. Trying again is safe.')
    .waitFor();
  assert.equal(lost, 1);
  assert.deepEqual((await entryOf('once', 'ann')).score, ['55']);
  await submit.click();
  await eventually(
    'the answer',
    async () => !(await form.getByText('it is not known').isVisible()),
  );
  assert.deepEqual((await entryOf('once', 'ann')).score, ['55']);
});

test('on a board with periods Trim empties the shown period and Clear empties all', async (t) => {
  await server.api('PUT', 'boards/periodic', { periods: ['day', 'all'] });
  const entries = Array.from({ length: 5 }, (_, i) => ({
    member: `m${i}`,
    score: i,
  }));
  await server.api('POST', 'boards/periodic/entries', { entries });
  const view = new BoardPage(await openPage(t, pageAddress(server, 'board', 'periodic')));
  await view.membersAre(['m4', 'm3', 'm2', 'm1', 'm0']);
  const sizes = async () =>
    Promise.all(
      ['day', 'all'].map(async (period) => (await membersOf(`periodic@${period}`)).length),
    );
  const confirm = async (item, fill) => {
    await view.manage(item);
    const question = view.page.getByRole('dialog');
    if (fill !== undefined) await question.getByRole('textbox', { name: /How many/ }).fill(fill);
    const name = question.getByRole('textbox', { name: /^Type / });
    const label = await question.getByText(/^Type .* to go on$/).innerText();
    await name.fill(/^Type (.*) to go on$/.exec(label)[1]);
    await question.getByRole('button', { name: item, exact: true }).click();
    await question.waitFor({ state: 'hidden' });
  };
  await confirm('Trim', '2');
  await view.membersAre(['m4', 'm3']);
  assert.deepEqual(await sizes(), [2, 5]);
  await confirm('Clear');
  assert.deepEqual(await sizes(), [0, 0]);
});

test('before an entry of a closed board is removed, the dialog says that there is no undo', async (t) => {
  const view = await openBoard(t, 'closed', entriesOf(['ann', 5], ['bob', 4]), {}, '?member=ann');
  await server.api('PATCH', 'boards/closed', {
    end: Math.floor(Date.now() / 1000) - 1,
  });
  await view.page.reload();
  await view.player.getByRole('button', { name: 'Remove', exact: true }).click();
  const question = dialog(view.page, 'Remove ann?');
  await question.getByText('This cannot be undone: the window is closed').waitFor();
  assert.equal(await question.getByText('You can undo this').count(), 0);
  await question.getByRole('button', { name: 'Remove', exact: true }).click();
  await toast(view.page, 'ann is removed.').waitFor();
  assert.equal(await view.page.getByRole('button', { name: 'Undo' }).count(), 0);
  assert.deepEqual(await membersOf('closed'), ['bob']);
});

test('with different entries in several periods the dialog says that a removal has no undo', async (t) => {
  await server.api('PUT', 'boards/many', {
    policy: 'sum',
    periods: ['day', 'all'],
  });
  const yesterday = Math.floor(Date.now() / 1000) - 90_000;
  await server.api('PATCH', 'boards/many', { grace: '30d' });
  await server.api('POST', 'boards/many/entries', {
    member: 'ann',
    score: 5,
    at: yesterday,
  });
  await server.api('POST', 'boards/many/entries', { member: 'ann', score: 6 });
  const view = new BoardPage(
    await openPage(t, `${pageAddress(server, 'board', 'many')}?member=ann`),
  );
  await view.player.getByRole('button', { name: 'Remove', exact: true }).click();
  const question = dialog(view.page, 'Remove ann?');
  await question.getByText('This cannot be undone: the player has different entries').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  assert.deepEqual(await membersOf('many'), ['ann']);
});

test('a score is corrected against the policy, and a wrong number is an error at the input', async (t) => {
  const view = await openBoard(
    t,
    'wrong',
    entriesOf(['ann', 999], ['bob', 40]),
    { policy: 'best' },
    '?member=ann',
  );
  await view.player.getByRole('button', { name: 'Correct', exact: true }).click();
  const form = dialog(view.page, 'Correct a score');
  const value = form.getByRole('textbox', { name: 'score' });
  assert.equal(await value.inputValue(), '999');
  await value.fill('9,5');
  await form.getByRole('button', { name: 'Correct', exact: true }).click();
  await form
    .getByRole('alert')
    .or(form.getByText(/whole number/))
    .first()
    .waitFor();
  assert.equal(await value.inputValue(), '9,5');
  assert.deepEqual((await entryOf('wrong', 'ann')).score, ['999']);
  await value.fill('30');
  await form.getByText('LB.SET wrong ann 30').waitFor();
  await form.getByRole('button', { name: 'Correct', exact: true }).click();
  await view.membersAre(['bob', 'ann']);
  assert.deepEqual((await entryOf('wrong', 'ann')).score, ['30']);
});

test('Submit, Set and Add do what they say, and the verdict is shown', async (t) => {
  const view = await openBoard(t, 'ops', entriesOf(['ann', 50], ['bob', 40]), {
    policy: 'best',
  });
  for (const [operation, value, score, verdict] of [
    ['Submit', '45', '50', /ann: not the best, nothing changed; rank 1/],
    ['Set', '30', '30', /ann: accepted, rank 2.*Rank before: 1/],
    ['Add', '11', '41', /ann: accepted, rank 1.*Rank before: 2/],
  ]) {
    await view.page.getByRole('button', { name: 'Submit a score' }).click();
    const form = dialog(view.page, 'Submit to ops');
    await form.getByRole('textbox', { name: 'Player' }).fill('ann');
    await form.getByRole('button', { name: operation, exact: true }).first().click();
    await form.getByRole('textbox', { name: 'score' }).fill(value);
    await form.getByRole('button', { name: operation, exact: true }).last().click();
    await eventually(`the verdict of ${operation}`, async () =>
      verdict.test((await view.page.locator('body').innerText()).replace(/\s+/g, ' ')),
    );
    assert.deepEqual((await entryOf('ops', 'ann')).score, [score]);
    if (await form.isVisible()) await view.page.keyboard.press('Escape');
  }
});

test('clear, trim and drop want the name of the board, exactly', async (t) => {
  const entries = Array.from({ length: 10 }, (_, i) => ({
    member: `m${i}`,
    score: i,
  }));
  const view = await openBoard(t, 'Final Cup', entries);
  const confirm = async (item, title, typed) => {
    await view.manage(item);
    const question = dialog(view.page, title);
    const name = question.getByRole('textbox', {
      name: 'Type Final Cup to go on',
    });
    const act = question.getByRole('button', { name: item, exact: true });
    if (item === 'Trim') await question.getByRole('textbox', { name: /How many/ }).fill('3');
    for (const wrong of ['', 'final cup', 'Final Cup ']) {
      await name.fill(wrong);
      assert.ok(await act.isDisabled(), `${item} after ${JSON.stringify(wrong)}`);
    }
    await name.fill('Final Cup');
    await question.getByText(typed).waitFor();
    await act.click();
    await question.waitFor({ state: 'hidden' });
  };
  await confirm('Trim', 'Trim Final Cup?', '7 entries are deleted. This cannot be undone.');
  await view.membersAre(['m9', 'm8', 'm7']);
  assert.equal((await server.api('GET', 'boards/Final%20Cup')).size, 3);
  await confirm('Clear', 'Clear Final Cup?', 'All 3 entries are deleted.');
  await view.page.getByText('There is no entry yet').waitFor();
  assert.equal((await server.api('GET', 'boards/Final%20Cup')).size, 0);
  await confirm('Drop', 'Drop Final Cup?', 'The board is deleted');
  await toast(view.page, 'Final Cup was dropped.').waitFor();
  await assert.rejects(server.api('GET', 'boards/Final%20Cup'), /NOBOARD/);
});

test('an event is ended now, extended, and its end is removed', async (t) => {
  const view = await openBoard(t, 'event', entriesOf(['ann', 5]));
  const save = async (choice, button, fill) => {
    await view.manage('End or extend the event');
    const form = dialog(view.page, 'End or extend event');
    await form.getByRole('radio', { name: choice, exact: true }).check();
    if (fill !== undefined) await form.getByRole('textbox', { name: /^New end/ }).fill(fill);
    await form.getByRole('textbox', { name: 'Type event to go on' }).fill('event');
    await form.getByRole('button', { name: button, exact: true }).click();
    await form.waitFor({ state: 'hidden' });
  };
  await save('End now', 'End now');
  await eventually('the board ends', async () => {
    const { end } = await server.api('GET', 'boards/event');
    return end !== null && new Date(end) <= new Date();
  });
  await assert.rejects(
    server.api('POST', 'boards/event/entries', { member: 'bob', score: 1 }),
    /CLOSED/,
  );
  await view.page.getByText('Ended', { exact: true }).first().waitFor();

  await save('Set the end', 'Save', '2031-03-04T05:06');
  assert.equal((await server.api('GET', 'boards/event')).end, '2031-03-04T04:06:00.000000Z');
  await server.api('POST', 'boards/event/entries', { member: 'bob', score: 9 });
  await view.membersAre(['bob', 'ann']);
  await view.page.getByText('Ends in').waitFor();

  await save('Remove the end', 'Save');
  assert.equal((await server.api('GET', 'boards/event')).end, null);
});
