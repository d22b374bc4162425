// Actions on one member of a board, and how they are undone.
import {
  boardPath,
  call,
  entryOf,
  memberResultOf,
  newRequestId,
  Problem,
  readTogether,
  type Entry,
  type Verdict,
} from '../../lib/api';
import { commandLine } from '../../lib/commands';
import { t } from '../../lib/i18n';
import { nameOut, type Name } from '../../lib/name';
import { ask } from '../../ui/dialog';
import { visible } from '../../ui/code';
import { notifyError } from '../../ui/toasts';
import type { BoardView } from './view';

const memberPath = (board: Name, member: Name, rest = '') =>
  boardPath(board, `/entries/${member.key}${rest}`);

async function setHidden(view: BoardView, member: Name, isHidden: boolean): Promise<void> {
  await call(isHidden ? 'PUT' : 'DELETE', memberPath(view.name, member, '/hidden'));
}

/** A name that fits into a sentence. */
function short(name: Name): string {
  const text = name.text === '' ? t('emptyName') : visible(name.text);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

export function askHide(view: BoardView, member: Name, onDone: () => void): void {
  ask({
    title: t('hideTitle', { member: short(member) }),
    text: t('hideText'),
    command: commandLine('LB.HIDE', view.name, member),
    confirm: t('hide'),
    run: async () => {
      await setHidden(view, member, true);
      onDone();
      const undo = async () => {
        await setHidden(view, member, false);
        onDone();
        return t('isShown', { member: short(member) });
      };
      return { done: t('isHidden', { member: short(member) }), undo };
    },
  });
}

export function askShow(view: BoardView, member: Name, onDone: () => void): void {
  ask({
    title: t('showTitle', { member: short(member) }),
    text: t(view.board.cap > 0 ? 'showTextCap' : 'showText'),
    command: commandLine('LB.SHOW', view.name, member),
    confirm: t('show'),
    run: async () => {
      await setHidden(view, member, false);
      onDone();
      return { done: t('isShown', { member: short(member) }) };
    },
  });
}

/** Why a removal cannot be undone; null if it can. */
type NoUndo = 'closed' | 'periods' | null;

/**
 * Undoing a removal writes the entry again, with its stamp. That works while the board takes writes.
 * A write goes to the present instances of all periods, so on a board with periods it restores the
 * entry only if these, and no other instance, had the same one.
 */
async function undoOf(view: BoardView, member: Name, entry: Entry): Promise<NoUndo> {
  if (!view.takesWrites) return 'closed';
  if (view.instances.length === 0) return null;
  if (view.instances.length > 32) return 'periods';
  const results = await readTogether(
    view.instances.map((instance) => ({ read: 'entry', board: instance.name, member })),
  );
  const isAlike = results.every((result, i) => {
    if (result instanceof Problem) return !view.instances[i]!.present;
    const other = entryOf(result as object);
    return (
      view.instances[i]!.present &&
      other.reached === entry.reached &&
      other.score!.join() === entry.score!.join()
    );
  });
  return isAlike ? null : 'periods';
}

/** The entry that a removal takes now and that can be written again; null if there is none. */
async function removableEntry(view: BoardView, member: Name): Promise<Entry | null> {
  const [result] = await readTogether([{ read: 'entry', board: view.name, member, meta: true }]);
  const wire = memberResultOf<object>(result);
  if (wire === null) return null;
  const entry = entryOf(wire);
  return (await undoOf(view, member, entry)) === null ? entry : null;
}

/** Writes a removed entry again, with its stamp and meta, unless there is a newer one. */
async function restore(view: BoardView, member: Name, entry: Entry, id: string): Promise<Verdict> {
  const meta =
    entry.metaBase64 === undefined ? { meta: entry.meta } : { meta_base64: entry.metaBase64 };
  return call<Verdict>('POST', boardPath(view.name, '/entries'), {
    body: {
      ...nameOut(member, 'member'),
      score: entry.score,
      op: 'set',
      if: 'absent',
      at: entry.reached,
      ...(entry.meta === undefined || entry.meta === null ? {} : meta),
    },
    id: view.board.dedup > 0 ? id : undefined,
  });
}

export async function askRemove(
  view: BoardView,
  member: Name,
  entry: Entry,
  onDone: () => void,
): Promise<void> {
  let noUndo: NoUndo;
  try {
    noUndo = await undoOf(view, member, entry);
  } catch (error) {
    return notifyError(error);
  }
  const undoText =
    noUndo === null ? 'removeUndo' : noUndo === 'closed' ? 'removeClosed' : 'removePeriods';
  ask({
    title: t('removeTitle', { member: short(member) }),
    text: (
      <>
        <p>{t(view.instances.length > 0 ? 'removeTextPeriods' : 'removeText')}</p>
        <p>{t(undoText)}</p>
      </>
    ),
    command: commandLine('LB.REMOVE', view.name, member),
    confirm: t('remove'),
    danger: true,
    run: async () => {
      // The entry may have changed while the question was open.
      const removed = noUndo === null ? await removableEntry(view, member) : null;
      await call('POST', boardPath(view.name, '/remove'), {
        body: { members: [member.base64 === undefined ? member.text : nameOut(member, 'member')] },
      });
      onDone();
      const done = t('isRemoved', { member: short(member) });
      if (removed === null) return { done };
      const id = newRequestId();
      const undo = async () => {
        const verdict = await restore(view, member, removed, id);
        onDone();
        if (verdict.status !== 'accepted')
          throw new Error(t('notRestored', { status: verdict.status }));
        return t('isRestored', { member: short(member) });
      };
      return { done, undo };
    },
  });
}
