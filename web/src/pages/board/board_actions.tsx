// Actions on a whole board. Each wants the board's name typed.
import { boardPath, call } from '../../lib/api';
import { commandLine } from '../../lib/commands';
import { integer } from '../../lib/format';
import { t } from '../../lib/i18n';
import { go } from '../../lib/router';
import { ask } from '../../ui/dialog';
import type { BoardView } from './view';

/** Removes all entries: of all instances on a board with periods. */
export function askClear(view: BoardView): void {
  const { name } = view;
  ask({
    title: t('clearTitle', { board: name.text }),
    text: t(view.instances.length > 0 ? 'clearTextPeriods' : 'clearText', {
      count: integer(view.board.size),
    }),
    command: commandLine('LB.CLEAR', name),
    confirm: t('clear'),
    danger: true,
    typed: name.text,
    run: async () => {
      const { removed } = await call<{ removed: number }>('POST', boardPath(name, '/clear'));
      view.reload();
      return { done: t('removedCount', { n: removed, count: integer(removed) }) };
    },
  });
}

export function askDrop(view: BoardView): void {
  const { name } = view;
  ask({
    title: t('dropTitle', { board: name.text }),
    text: t('dropText', { count: integer(view.board.size) }),
    command: commandLine('LB.DROP', name),
    confirm: t('drop'),
    danger: true,
    typed: name.text,
    run: async () => {
      await call('DELETE', boardPath(name));
      go('#/boards');
      return { done: t('dropped', { board: name.text }) };
    },
  });
}
