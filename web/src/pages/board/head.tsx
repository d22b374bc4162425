// The head of a board's page: what it is, and the actions on it as a whole.
import { useState } from 'preact/hooks';
import { bytes, integer } from '../../lib/format';
import { t } from '../../lib/i18n';
import { addressOf, go } from '../../lib/router';
import { may } from '../../lib/session';
import { specSummary } from '../../lib/spec_summary';
import { NameText } from '../../ui/code';
import { Menu, type MenuItem } from '../../ui/menu';
import { askClear, askDrop } from './board_actions';
import { EventDialog } from './event_dialog';
import { SubmitDialog } from './submit_dialog';
import { TrimDialog } from './trim_dialog';
import type { BoardView } from './view';

type DialogName = 'submit' | 'event' | 'trim';

interface HeadProps {
  view: BoardView;
  /** Visible entries, of the live stream. */
  count: number | undefined;
}

export function BoardHead({ view, count }: HeadProps) {
  const { board, name } = view;
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const close = () => setDialog(null);
  return (
    <div class="board-head">
      <div class="board-title">
        <h1>
          <NameText name={name} />
        </h1>
        <div class="row board-facts">
          <span>
            {t('entryCount', {
              n: count ?? view.instance?.size ?? board.size,
              count: integer(count ?? view.instance?.size ?? board.size),
            })}
          </span>
          {board.hidden > 0 && <span>{t('hiddenCount', { count: integer(board.hidden) })}</span>}
          <span>{bytes(board.bytes)}</span>
          {specSummary(board).map((phrase) => (
            <span key={phrase} class="tag">
              {phrase}
            </span>
          ))}
        </div>
      </div>
      <div class="row board-actions">
        {may('submit', name) && view.takesWrites && (
          <button class="primary" onClick={() => setDialog('submit')}>
            {t('submitScore')}
          </button>
        )}
        <a
          class="button"
          href={addressOf(['board', name.key], { period: view.period, view: 'wall' })}
        >
          {t('wallView')}
        </a>
        <Manage view={view} open={setDialog} />
      </div>
      {dialog === 'submit' && <SubmitDialog view={view} onClose={close} />}
      {dialog === 'event' && <EventDialog view={view} onClose={close} />}
      {dialog === 'trim' && <TrimDialog view={view} onClose={close} />}
    </div>
  );
}

function Manage({ view, open }: { view: BoardView; open: (dialog: DialogName) => void }) {
  const { name } = view;
  const items: MenuItem[] = [];
  if (may('admin', name)) {
    items.push({ text: t('edit'), run: () => go(addressOf(['board', name.key, 'edit'])) });
    items.push({ text: t('endOrExtend'), run: () => open('event') });
  }
  if (may('write', name)) {
    items.push({ text: t('trim'), run: () => open('trim'), danger: true });
    items.push({ text: t('clear'), run: () => askClear(view), danger: true });
  }
  if (may('admin', name)) items.push({ text: t('drop'), run: () => askDrop(view), danger: true });
  return items.length === 0 ? null : <Menu label={t('manage')} items={items} />;
}
