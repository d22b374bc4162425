// A board: its live top, its periods, its players and its recent changes.
import { useEffect, useState } from 'preact/hooks';
import { connection, Lost, Problem, serverNow, type Entry } from '../lib/api';
import { t } from '../lib/i18n';
import { useLive } from '../lib/live_board';
import { useInterval, useLoad, useSeconds } from '../lib/load';
import { hasPath, nameOfKey, type Name } from '../lib/name';
import { usePage } from '../lib/page';
import { route } from '../lib/router';
import { Failure, Loading, Note } from '../ui/states';
import { BoardHead } from './board/head';
import { Changes } from './board/changes';
import { Histogram } from './board/histogram';
import { Periods } from './board/periods';
import { Player } from './board/player';
import { pageSizes, Top } from './board/top';
import { readInfo, viewOf, type BoardInfo } from './board/view';
import './board.css';

const infoMs = 15_000;

export default function BoardPage() {
  const name = nameOfKey(route.value.path[1] ?? '');
  usePage(name?.text ?? '');
  if (name === null || !hasPath(name)) {
    return (
      <Note title={t('noBrowserName')} isPage>
        <p>{t('noBrowserNameHelp')}</p>
      </Note>
    );
  }
  return <LoadedBoard key={name.key} name={name} />;
}

function LoadedBoard({ name }: { name: Name }) {
  const info = useLoad(name.key, (signal) => readInfo(name, signal));
  useInterval(infoMs, info.reload);
  if (info.error !== undefined && !(info.error instanceof Lost && info.value !== undefined)) {
    return <Failure isPage error={info.error} onRetry={info.reload} />;
  }
  if (info.value === undefined) return <Loading />;
  return <ShownBoard name={name} info={info.value} reload={info.reload} />;
}

interface ShownProps {
  name: Name;
  info: BoardInfo;
  reload: () => void;
}

function ShownBoard({ name, info, reload }: ShownProps) {
  const { query } = route.value;
  // The window opens and ends while the page is open.
  useSeconds(info.board.start !== null || info.board.end !== null);
  const view = viewOf(name, info, query.get('period'), serverNow(), reload);
  const member = query.name('member');
  const size = pageSizes.find((known) => String(known) === query.get('size')) ?? pageSizes[1]!;
  const rank = Number(query.get('rank') ?? '') || 1;
  const offset = Math.floor((Math.max(1, rank) - 1) / size) * size;
  const [followed, setFollowed] = useState<Entry[]>([]);
  // Beyond the first page the top is not shown, but the turn of a period still is noticed by it.
  const live = useLive(
    view.shown,
    offset === 0 ? size : 1,
    member === null ? [] : [member],
    setFollowed,
  );
  const liveBoard = live.top?.board.key;
  useEffect(() => {
    if (liveBoard !== undefined) reload();
  }, [liveBoard]);
  if (live.state instanceof Problem && live.top === undefined && connection.value === 'up') {
    return (
      <>
        <BoardHead view={view} count={undefined} />
        <Periods view={view} />
        <Failure error={live.state} onRetry={reload} />
      </>
    );
  }
  return (
    <>
      <BoardHead view={view} count={live.top?.count} />
      <Periods view={view} />
      <div class="board-columns">
        <Top view={view} live={live} size={size} rank={rank} offset={offset} member={member} />
        <div class="board-side">
          <Player view={view} member={member} pulse={followed} topVersion={live.top} />
          <Histogram view={view} member={member} pulse={live.top} />
          <Changes view={view} />
        </div>
      </div>
    </>
  );
}
