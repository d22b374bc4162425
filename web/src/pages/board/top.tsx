// The list of a board: its top, live, or another page of it.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { boardPath, call, Problem, type Entry, type Page, entryOf } from '../../lib/api';
import { integer, scoreValue, shortTime } from '../../lib/format';
import { t } from '../../lib/i18n';
import type { Live } from '../../lib/live_board';
import type { Move } from '../../lib/moves';
import { useInterval, useLoad } from '../../lib/load';
import type { Name } from '../../lib/name';
import { addressWith, route, setQuery } from '../../lib/router';
import { NameText } from '../../ui/code';
import { Failure, Loading, Note } from '../../ui/states';
import { Announcer } from './announcer';
import { Downloads } from './downloads';
import { slideRows } from './slide';
import type { BoardView } from './view';

export const pageSizes = [10, 25, 50, 100];
const refreshMs = 3000;

interface TopProps {
  view: BoardView;
  live: Live;
  size: number;
  /** The rank that was jumped to; 1: none. */
  rank: number;
  offset: number;
  member: Name | null;
}

export function Top(props: TopProps) {
  const { view, live, size, offset } = props;
  const count = live.top?.count;
  return (
    <section class="card top" aria-labelledby="top-heading">
      <div class="card-head">
        <h2 id="top-heading">
          {offset === 0 ? t('top') : t('ranksFrom', { first: integer(offset + 1) })}
        </h2>
        {offset === 0 && <LiveTag state={live.state} />}
        <span class="spread" />
        <Jump view={view} count={count} />
        <Sizes size={size} />
        <Downloads view={view} offset={offset} size={size} />
      </div>
      {offset === 0 ? <LiveRows {...props} /> : <StillRows {...props} />}
      <Pager offset={offset} size={size} count={count} />
    </section>
  );
}

function LiveTag({ state }: { state: Live['state'] }) {
  if (state === 'open') return <span class="tag good live-tag">{t('live')}</span>;
  return (
    <span class="tag warn">{state === 'connecting' ? t('connecting') : t('interrupted')}</span>
  );
}

function LiveRows({ view, live, member, rank }: TopProps) {
  if (live.top === undefined) return <Loading />;
  if (live.top.entries.length === 0) return <NoEntries view={view} />;
  return (
    <>
      <Rows view={view} entries={live.top.entries} moves={live.moves} member={member} rank={rank} />
      <Announcer top={live.top} moves={live.moves} />
    </>
  );
}

function NoEntries({ view }: { view: BoardView }) {
  const isPast = view.period?.includes(':') ?? false;
  return (
    <Note title={t('noEntries')}>
      <p>
        {isPast ? t('noEntriesPast') : view.takesWrites ? t('noEntriesHelp') : t('noEntriesClosed')}
      </p>
    </Note>
  );
}

async function readPage(
  shown: Name,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<Page> {
  // The answer has an ETag, so an unchanged page costs the server no read of entries.
  const page = await call<{ count: number; entries: object[] }>(
    'GET',
    boardPath(shown, '/entries'),
    {
      query: { offset, limit },
      signal,
    },
  );
  return { count: page.count, entries: page.entries.map(entryOf) };
}

function StillRows({ view, offset, size, member, rank }: TopProps) {
  const page = useLoad(`${view.shown.key} ${offset} ${size}`, (signal) =>
    readPage(view.shown, offset, size, signal),
  );
  useInterval(refreshMs, page.reload);
  if (page.error instanceof Problem) return <Failure error={page.error} onRetry={page.reload} />;
  if (page.value === undefined) return <Loading />;
  if (page.value.entries.length === 0) {
    return (
      <Note title={t('beyondEnd')}>
        <p>{t('beyondEndHelp', { count: integer(page.value.count) })}</p>
      </Note>
    );
  }
  return (
    <Rows view={view} entries={page.value.entries} moves={noMoves} member={member} rank={rank} />
  );
}

const noMoves = new Map<string, Move>();

interface RowsProps {
  view: BoardView;
  entries: Entry[];
  moves: Map<string, Move>;
  member: Name | null;
  rank: number;
}

function Rows({ view, entries, moves, member, rank }: RowsProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const marks = useMarks(moves);
  const { fields } = view.board;
  const wanted = Number(route.value.query.get('rank')) || null;
  useLayoutEffect(() => slideRows(body.current!), [entries]);
  useEffect(() => {
    if (wanted === null) return;
    body.current?.querySelector('.wanted')?.scrollIntoView({ block: 'center' });
  }, [wanted]);
  return (
    <div class="scroll-x">
      <table class="entries">
        <thead>
          <tr>
            <th class="number c-rank">{t('rank')}</th>
            <th class="c-move">
              <span class="visually-hidden">{t('move')}</span>
            </th>
            <th class="c-member">{t('member')}</th>
            {fields.map((field) => (
              <th
                key={field.name}
                class="number"
                title={t(field.direction === 'desc' ? 'moreIsBetter' : 'lessIsBetter')}
              >
                <bdi>{field.name}</bdi>{' '}
                <span aria-hidden="true">{field.direction === 'desc' ? '↓' : '↑'}</span>
              </th>
            ))}
            <th class="c-reached">{t('reached')}</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {entries.map((entry) => (
            <Row
              key={entry.name.key}
              entry={entry}
              mark={marks.get(entry.name.key)}
              isSelected={entry.name.key === member?.key}
              isWanted={wanted !== null && entry.rank === rank}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const markMs = 4000;

/** Moves are shown for some seconds after they happened. */
function useMarks(moves: Map<string, Move>): Map<string, Move> {
  const [marks, setMarks] = useState(new Map<string, Move>());
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  useEffect(() => {
    if (moves.size === 0) return;
    setMarks((old) => new Map([...old, ...moves]));
    // A newer mark of the same member stays.
    const timer = setTimeout(() => {
      timers.current.delete(timer);
      setMarks((old) => new Map([...old].filter(([key, move]) => moves.get(key) !== move)));
    }, markMs);
    timers.current.add(timer);
  }, [moves]);
  useEffect(() => () => timers.current.forEach(clearTimeout), []);
  return marks;
}

interface RowProps {
  entry: Entry;
  mark: Move | undefined;
  isSelected: boolean;
  isWanted: boolean;
}

function Row({ entry, mark, isSelected, isWanted }: RowProps) {
  const address = addressWith({ member: entry.name });
  const look = [
    isSelected ? 'selected' : '',
    isWanted ? 'wanted' : '',
    mark ? `moved-${mark.kind}` : '',
  ];
  return (
    <tr
      data-key={entry.name.key}
      class={look.join(' ').trim() || undefined}
      aria-current={isSelected ? 'true' : undefined}
    >
      <td class={`number c-rank place-${entry.rank}`}>{integer(entry.rank!)}</td>
      <td class="c-move">
        <MoveMark mark={mark} />
      </td>
      <td class="c-member">
        <NameText name={entry.name} href={address} />
      </td>
      {entry.score!.map((value, i) => (
        <td key={i} class="number c-score">
          {scoreValue(value)}
        </td>
      ))}
      <td class="c-reached" title={entry.reached!}>
        {shortTime(entry.reached!)}
      </td>
    </tr>
  );
}

function MoveMark({ mark }: { mark: Move | undefined }) {
  switch (mark?.kind) {
    case 'up':
      return <Places kind="up" sign="▲" places={mark.places} />;
    case 'down':
      return <Places kind="down" sign="▼" places={mark.places} />;
    case 'new':
      return <span class="move new">{t('newMark')}</span>;
    default:
      return null;
  }
}

/** How many places a row moved: as a sign for eyes, in words for screen readers. */
function Places({ kind, sign, places }: { kind: 'up' | 'down'; sign: string; places: number }) {
  return (
    <span
      class={`move ${kind}`}
      role="img"
      aria-label={t(`places.${kind}`, { places: integer(places) })}
    >
      {sign}
      {integer(places)}
    </span>
  );
}

function Jump({ view, count }: { view: BoardView; count: number | undefined }) {
  const [text, setText] = useState('');
  const jump = (event: Event) => {
    event.preventDefault();
    const rank = Math.trunc(Number(text));
    if (rank >= 1) setQuery({ rank: String(rank), period: view.period ?? null }, 'push');
  };
  return (
    <form class="row jump" onSubmit={jump}>
      <input
        type="number"
        min="1"
        max={count === undefined ? undefined : Math.max(1, count)}
        class="jump-rank"
        aria-label={t('jumpToRank')}
        placeholder={t('jumpToRank')}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class="small">
        {t('go')}
      </button>
    </form>
  );
}

function Sizes({ size }: { size: number }) {
  return (
    <select
      aria-label={t('pageSize')}
      value={String(size)}
      onChange={(event) => setQuery({ size: event.currentTarget.value })}
    >
      {pageSizes.map((known) => (
        <option key={known} value={String(known)}>
          {t('rows', { n: known, count: known })}
        </option>
      ))}
    </select>
  );
}

function Pager({
  offset,
  size,
  count,
}: {
  offset: number;
  size: number;
  count: number | undefined;
}) {
  if (count === undefined || (count <= size && offset === 0)) return null;
  const last = Math.max(0, Math.ceil(count / size) - 1) * size;
  const to = (next: number) => addressWith({ rank: next === 0 ? null : String(next + 1) });
  const shownEnd = Math.min(offset + size, count);
  return (
    <nav class="row pager" aria-label={t('pagesOfBoard')}>
      {offset > 0 && (
        <>
          <a class="button small" href={to(0)}>
            {t('toTop')}
          </a>
          <a class="button small" href={to(Math.min(last, Math.max(0, offset - size)))}>
            {t('previous')}
          </a>
        </>
      )}
      <span class="quiet-text">
        {offset < count &&
          t('ofCount', {
            first: integer(offset + 1),
            last: integer(shownEnd),
            count: integer(count),
          })}
      </span>
      {offset < last && (
        <>
          <a class="button small" href={to(offset + size)}>
            {t('next')}
          </a>
          <a class="button small" href={to(last)}>
            {t('toEnd')}
          </a>
        </>
      )}
    </nav>
  );
}
