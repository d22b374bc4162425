// Removing all but the best entries.
import { useId, useState } from 'preact/hooks';
import { boardPath, call } from '../../lib/api';
import { commandLine } from '../../lib/commands';
import { integer } from '../../lib/format';
import { t } from '../../lib/i18n';
import { ActionDialog } from '../../ui/dialog';
import type { BoardView } from './view';

export function TrimDialog({ view, onClose }: { view: BoardView; onClose: () => void }) {
  const [text, setText] = useState('1000');
  const id = useId();
  const isNumber = /^\d{1,15}$/.test(text);
  const size = view.instance?.size ?? view.board.size;
  const leaving = Math.max(0, size - Number(text));
  const run = async () => {
    const body = { n: Number(text) };
    const { removed } = await call<{ removed: number }>('POST', boardPath(view.shown, '/trim'), {
      body,
    });
    view.reload();
    return { done: t('removedCount', { n: removed, count: integer(removed) }) };
  };
  return (
    <ActionDialog
      title={t('trimTitle', { board: view.shown.text })}
      command={commandLine('LB.TRIM', view.shown, isNumber ? text : 'n')}
      confirm={t('trim')}
      danger
      typed={view.name.text}
      isReady={isNumber}
      run={run}
      onClose={onClose}
    >
      <label class="field" for={id}>
        <span>{t('trimKeep')}</span>
        <input
          id={id}
          inputMode="numeric"
          value={text}
          aria-invalid={!isNumber}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <p>{t('trimText', { n: leaving, count: integer(leaving) })}</p>
    </ActionDialog>
  );
}
