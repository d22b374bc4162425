// Ending an event now, or moving its end.
import { useId, useState } from 'preact/hooks';
import { boardPath, call, serverNow } from '../../lib/api';
import { commandLine } from '../../lib/commands';
import { readersZone, time, timeIn, timeInBoth } from '../../lib/format';
import { t } from '../../lib/i18n';
import { localOf } from '../../lib/local_time';
import { ActionDialog } from '../../ui/dialog';
import type { BoardView } from './view';

const dayMs = 86_400_000;

type Choice = 'now' | 'at' | 'never';

export function EventDialog({ view, onClose }: { view: BoardView; onClose: () => void }) {
  const { board, name } = view;
  const isOpen = board.end === null || Date.parse(board.end) > serverNow();
  const [choice, setChoice] = useState<Choice>('at');
  const [text, setText] = useState(() =>
    localOf(
      new Date(Math.max(serverNow(), Date.parse(board.end ?? '') || 0) + dayMs).toISOString(),
    ),
  );
  const id = useId();
  const chosen = choice === 'now' ? serverNow() : Date.parse(text);
  const isTime = choice === 'never' || !Number.isNaN(chosen);
  const end = choice === 'never' || !isTime ? null : new Date(chosen).toISOString();
  const run = async () => {
    const moment = choice === 'now' ? new Date(serverNow()).toISOString() : end;
    await call('PATCH', boardPath(name), { body: { end: moment } });
    view.reload();
    return { done: moment === null ? t('endCleared') : t('endSet', { time: time(moment) }) };
  };
  const zone = board.tz ?? 'UTC';
  return (
    <ActionDialog
      title={t('eventTitle', { board: name.text })}
      command={commandLine('LB.ALTER', name, 'END', choice === 'never' ? 'none' : (end ?? '…'))}
      confirm={choice === 'now' ? t('endNow') : t('save')}
      danger={choice === 'now'}
      typed={name.text}
      isReady={isTime}
      run={run}
      onClose={onClose}
    >
      <p>{board.end === null ? t('noEnd') : t('endsAt', { time: timeInBoth(board.end, zone) })}</p>
      <fieldset class="choices">
        <legend class="visually-hidden">{t('endOrExtend')}</legend>
        <Radio choice="at" chosen={choice} onChoose={setChoice} text={t('endAt')} />
        {isOpen && <Radio choice="now" chosen={choice} onChoose={setChoice} text={t('endNow')} />}
        {board.end !== null && (
          <Radio choice="never" chosen={choice} onChoose={setChoice} text={t('endNever')} />
        )}
      </fieldset>
      {choice === 'at' && (
        <label class="field" for={id}>
          <span>{t('newEnd', { zone: readersZone() })}</span>
          <input
            id={id}
            type="datetime-local"
            step="1"
            value={text}
            aria-invalid={!isTime}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          {isTime && zone !== readersZone() && <span class="help">{timeIn(chosen, zone)}</span>}
        </label>
      )}
      <p>
        {choice === 'now'
          ? t(board.grace === '0s' ? 'endNowText' : 'endNowTextGrace', { grace: board.grace })
          : t('extendText')}
      </p>
      {board.expire !== null && <p>{t('expireNote', { expire: board.expire })}</p>}
    </ActionDialog>
  );
}

interface RadioProps {
  choice: Choice;
  chosen: Choice;
  onChoose: (choice: Choice) => void;
  text: string;
}

function Radio({ choice, chosen, onChoose, text }: RadioProps) {
  return (
    <label class="choice">
      <input
        type="radio"
        name="end"
        checked={choice === chosen}
        onChange={() => onChoose(choice)}
      />
      {text}
    </label>
  );
}
