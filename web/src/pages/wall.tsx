// The wall view: one board in large type, live, without controls; for a screen in a hall, or as an
// overlay of a stream (?background=none).
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Problem, serverNow } from '../lib/api';
import { countdown, integer, scoreValue } from '../lib/format';
import { t } from '../lib/i18n';
import { useLive } from '../lib/live_board';
import { useInterval, useLoad, useSeconds } from '../lib/load';
import { hasPath, nameOfKey, type Name } from '../lib/name';
import { usePage } from '../lib/page';
import { route } from '../lib/router';
import { NameText } from '../ui/code';
import { Failure, Loading, Note } from '../ui/states';
import { slideRows } from './board/slide';
import { readInfo, viewOf, type BoardInfo, type BoardView } from './board/view';
import './wall.css';

const infoMs = 30_000;
const defaultRows = 10;
const maxRows = 50;

export default function Wall() {
  const name = nameOfKey(route.value.path[1] ?? '');
  usePage(name?.text ?? '');
  const isClear = route.value.query.get('background') === 'none';
  useEffect(() => {
    document.documentElement.classList.toggle('clear', isClear);
    return () => document.documentElement.classList.remove('clear');
  }, [isClear]);
  if (name === null || !hasPath(name)) return <Note title={t('noBoard')} isPage />;
  return <LoadedWall key={name.key} name={name} />;
}

function LoadedWall({ name }: { name: Name }) {
  const info = useLoad(name.key, (signal) => readInfo(name, signal));
  useInterval(infoMs, info.reload);
  if (info.value !== undefined)
    return <ShownWall name={name} info={info.value} reload={info.reload} />;
  return info.error === undefined ? (
    <Loading />
  ) : (
    <Failure isPage error={info.error} onRetry={info.reload} />
  );
}

function ShownWall({ name, info, reload }: { name: Name; info: BoardInfo; reload: () => void }) {
  const { query } = route.value;
  const view = viewOf(name, info, query.get('period'), serverNow(), reload);
  const rows = Math.min(maxRows, Math.max(1, Number(query.get('top')) || defaultRows));
  const live = useLive(view.shown, rows, [], () => {});
  const liveBoard = live.top?.board.key;
  useEffect(() => {
    if (liveBoard !== undefined) reload();
  }, [liveBoard]);
  const body = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    if (body.current !== null) slideRows(body.current);
  }, [live.top]);
  if (live.state instanceof Problem && live.top === undefined)
    return <Failure isPage error={live.state} onRetry={reload} />;
  if (live.top === undefined) return <Loading />;
  return (
    // The size of the type follows from the number of rows.
    <section class="wall" style={{ '--rows': String(rows) }}>
      <header class="wall-head">
        <h1>
          <NameText name={query.get('title') ? { ...name, text: query.get('title')! } : name} />
        </h1>
        <span class="wall-facts">
          {t('entryCount', { n: live.top.count, count: integer(live.top.count) })}
          <WallClock view={view} />
          {live.state !== 'open' && <span class="tag warn">{t('interrupted')}</span>}
        </span>
      </header>
      {live.top.entries.length === 0 && <p class="wall-empty">{t('noEntries')}</p>}
      <ol class="wall-rows" ref={body}>
        {live.top.entries.map((entry) => {
          const move = live.moves.get(entry.name.key);
          return (
            <li
              key={entry.name.key}
              data-key={entry.name.key}
              class={move ? `moved-${move.kind}` : undefined}
            >
              <span class={`wall-rank place-${entry.rank}`}>{integer(entry.rank!)}</span>
              <NameText name={entry.name} />
              <span class="wall-score">{entry.score!.map(scoreValue).join(' · ')}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** The time until the period turns or the event ends. */
function WallClock({ view }: { view: BoardView }) {
  useSeconds();
  const ends = [view.board.end, view.instance?.present ? view.instance.end : null]
    .filter((end) => end !== null && end !== undefined)
    .map((end) => Date.parse(end))
    .filter((end) => end > serverNow());
  if (ends.length === 0) return null;
  return (
    <span class="wall-clock" role="timer">
      {countdown(Math.min(...ends) - serverNow())}
    </span>
  );
}
