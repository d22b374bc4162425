// The switch between periods and past seasons, and the time that is left.
import { serverNow, type Instance } from '../../lib/api';
import { countdown, integer, timeInBoth } from '../../lib/format';
import { t, type Key } from '../../lib/i18n';
import { useSeconds } from '../../lib/load';
import { addressWith, setQuery } from '../../lib/router';
import { millisOf } from '../../lib/duration';
import { labelOf, type BoardView } from './view';

const maxListed = 400; // a board may keep 10,000 instances

export function Periods({ view }: { view: BoardView }) {
  const kinds = view.board.periods ?? [];
  const shownKind = view.period?.split(':')[0];
  return (
    <div class="row periods">
      {kinds.length > 0 && (
        <nav class="segments" aria-label={t('periods')}>
          {kinds.map((kind) => (
            <a
              key={kind}
              href={addressWith({ period: kind === kinds[0] ? null : kind, rank: null })}
              aria-current={kind === shownKind ? 'true' : undefined}
            >
              {t(`tab.${kind}` as Key)}
            </a>
          ))}
        </nav>
      )}
      {shownKind !== undefined && shownKind !== 'all' && <Seasons view={view} kind={shownKind} />}
      <TimeLeft view={view} />
    </div>
  );
}

function Seasons({ view, kind }: { view: BoardView; kind: string }) {
  const past = view.instances
    .filter((one) => one.period === kind && !one.present)
    .sort((a, b) => Date.parse(b.begin ?? '') - Date.parse(a.begin ?? ''))
    .slice(0, maxListed);
  const isPast = view.period !== kind;
  if (past.length === 0 && !isPast) return <span class="quiet-text">{t('noPast')}</span>;
  return (
    <select
      aria-label={t('season')}
      value={view.period ?? ''}
      onChange={(event) => setQuery({ period: event.currentTarget.value, rank: null }, 'push')}
    >
      <option value={kind}>{t(`present.${kind}` as Key)}</option>
      {isPast && view.instance === undefined && <option value={view.period!}>{view.period}</option>}
      {past.map((one) => (
        <option key={one.name.key} value={labelOf(one)}>
          {labelOf(one).slice(kind.length + 1)} ·{' '}
          {t('entryCount', { n: one.size, count: integer(one.size) })}
        </option>
      ))}
    </select>
  );
}

/** The next moment at which something begins or ends, and what that is. */
function nextMoment(
  view: BoardView,
  now: number,
): { key: Key; at: string; isOver?: boolean } | null {
  const { board, instance } = view;
  const zone = instance as Instance | undefined;
  if (zone !== undefined && !zone.present) {
    return zone.end === null ? null : { key: 'seasonEnded', at: zone.end, isOver: true };
  }
  if (board.start !== null && now < Date.parse(board.start))
    return { key: 'opensIn', at: board.start };
  const turn = zone?.end ?? null;
  const { end } = board;
  if (end !== null && now >= Date.parse(end)) {
    const isLate = now < Date.parse(end) + millisOf(board.grace);
    return { key: isLate ? 'inGrace' : 'eventEnded', at: end, isOver: true };
  }
  if (end !== null && (turn === null || Date.parse(end) <= Date.parse(turn)))
    return { key: 'closesIn', at: end };
  return turn === null ? null : { key: 'turnsIn', at: turn };
}

function TimeLeft({ view }: { view: BoardView }) {
  useSeconds();
  const now = serverNow();
  const next = nextMoment(view, now);
  if (next === null) return null;
  const zone = view.board.tz ?? 'UTC';
  return (
    <span class="time-left">
      <span role="timer">
        {t(next.key)}
        {next.isOver !== true && <strong> {countdown(Date.parse(next.at) - now)}</strong>}
      </span>
      <span class="quiet-text">{timeInBoth(next.at, zone)}</span>
    </span>
  );
}
