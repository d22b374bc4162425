// One event of a board, in words.
import type { Change } from '../../lib/api';
import { integer, scoreValue, shortTime } from '../../lib/format';
import { t, type Key } from '../../lib/i18n';
import { addressWith } from '../../lib/router';
import { NameText } from '../../ui/code';
import type { BoardView } from './view';

const looks: Record<string, string> = {
  put: 'good',
  shown: 'good',
  hidden: 'bad',
  removed: 'bad',
  'removed-range': 'bad',
  cleared: 'bad',
  evicted: 'warn',
  'evicted-range': 'warn',
  closed: 'warn',
};

interface ChangeLineProps {
  change: Change;
  view: BoardView;
  /** The list is of one member, who need not be named. */
  isOwn?: boolean;
}

export function ChangeLine({ change, view, isOwn }: ChangeLineProps) {
  const { cause, member, score, reached, count, newName } = change;
  const instance =
    change.board === null || change.board.key === view.name.key ? null : change.board;
  const isOther =
    instance !== null && view.instance !== undefined && instance.key !== view.instance.name.key;
  return (
    <li class="change">
      <span class={`tag ${looks[cause] ?? ''}`} title={t(`causeHelp.${cause}` as Key)}>
        {t(`cause.${cause}` as Key)}
      </span>
      <span class="change-text">
        {member !== null && !isOwn && <NameText name={member} href={addressWith({ member })} />}
        {score !== undefined && <span class="exact">{score.map(scoreValue).join(' · ')}</span>}
        {count !== undefined && t('entryCount', { n: count, count: integer(count) })}
        {newName !== null && <NameText name={newName} />}
        {isOther && (
          <span class="quiet-text">{instance.text.slice(instance.text.lastIndexOf('@') + 1)}</span>
        )}
      </span>
      {reached !== undefined && (
        <time dateTime={reached} title={reached}>
          {shortTime(reached)}
        </time>
      )}
    </li>
  );
}
