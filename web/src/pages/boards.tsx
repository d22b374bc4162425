// The list of boards: filter, sort, and the way to each of them.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { BoardLine } from '../lib/api';
import { maxSorted, useBoardList, type BoardKind, type BoardList } from '../lib/board_list';
import { bytes, integer, time } from '../lib/format';
import { t, type Key } from '../lib/i18n';
import { useInterval } from '../lib/load';
import { usePage } from '../lib/page';
import { addressOf, addressWith, route, setQuery } from '../lib/router';
import { may } from '../lib/session';
import { NameText } from '../ui/code';
import { Failure, Loading, Note } from '../ui/states';
import { VirtualRows } from '../ui/virtual';
import './boards.css';

type Column = 'name' | 'size' | 'policy' | 'periods' | 'window' | 'bytes';

const columns: [Column, Key][] = [
  ['name', 'board'],
  ['size', 'entries'],
  ['policy', 'policy'],
  ['periods', 'periods'],
  ['window', 'window'],
  ['bytes', 'memory'],
];
/** A sorted set has no policy, no periods and no window. */
const setColumns: Column[] = ['name', 'size', 'bytes'];
const rowHeight = 44;
const refreshMs = 10_000;

export default function Boards() {
  usePage(t('boards'));
  const { query } = route.value;
  const kind: BoardKind = query.get('kind') === 'sorted-set' ? 'sorted-set' : 'leaderboard';
  const filter = query.get('filter') ?? '';
  const list = useBoardList(filter, kind);
  const isSortable = list.isComplete && list.rows.length <= maxSorted;
  useInterval(refreshMs, () => {
    if (isSortable && list.error === undefined) list.reload();
  });
  return (
    <>
      <div class="page-head">
        <h1>{t('boards')}</h1>
        <span class="spread" />
        {may('admin') && (
          <a class="button primary" href="#/new">
            {t('newBoard')}
          </a>
        )}
      </div>
      <div class="row boards-tools">
        <nav class="segments" aria-label={t('kindOfBoard')}>
          <KindLink kind="leaderboard" shown={kind} text={t('leaderboards')} />
          <KindLink kind="sorted-set" shown={kind} text={t('sortedSets')} />
        </nav>
        <Filter value={filter} />
        <span class="quiet-text" role="status">
          {list.isComplete
            ? t('boardCount', { n: list.rows.length, count: integer(list.rows.length) })
            : list.rows.length > 0 && t('boardCountMore', { count: integer(list.rows.length) })}
        </span>
      </div>
      {kind === 'sorted-set' && <p class="quiet-text">{t('sortedSetsHelp')}</p>}
      <BoardTable list={list} kind={kind} isSortable={isSortable} filter={filter} />
    </>
  );
}

function KindLink({ kind, shown, text }: { kind: BoardKind; shown: BoardKind; text: string }) {
  const href = addressWith({ kind: kind === 'leaderboard' ? null : kind });
  return (
    <a href={href} aria-current={kind === shown ? 'page' : undefined}>
      {text}
    </a>
  );
}

function Filter({ value }: { value: string }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => setQuery({ filter: text }), 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      class="grow"
      type="search"
      aria-label={t('filter')}
      placeholder={t('filterHint')}
      value={text}
      spellcheck={false}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}

interface TableProps {
  list: BoardList;
  kind: BoardKind;
  isSortable: boolean;
  filter: string;
}

function BoardTable({ list, kind, isSortable, filter }: TableProps) {
  const { query } = route.value;
  const [sort, isDown] = sortOf(query.get('sort'));
  const rows = useMemo(
    () => (isSortable ? [...list.rows].sort(orderBy(sort, isDown)) : list.rows),
    [list.rows, isSortable, sort, isDown],
  );
  if (list.error !== undefined && rows.length === 0)
    return <Failure error={list.error} onRetry={list.reload} />;
  if (rows.length === 0)
    return list.isLoading ? <Loading /> : <NoBoards kind={kind} filter={filter} />;
  return (
    <div class={`card boards-table ${kind}s`}>
      {!isSortable && !list.isLoading && (
        <p class="help boards-note">{t('notSortable', { n: integer(maxSorted) })}</p>
      )}
      <div
        role="table"
        aria-label={t('boards')}
        aria-rowcount={list.isComplete ? rows.length + 1 : -1}
      >
        <div role="rowgroup">
          <div class="boards-row boards-header" role="row" aria-rowindex={1}>
            {columnsOf(kind).map(([column, text]) => (
              <SortHeader
                key={column}
                column={column}
                text={t(text)}
                isSortable={isSortable}
                direction={sort === column ? (isDown ? 'descending' : 'ascending') : 'none'}
              />
            ))}
            {kind === 'sorted-set' && (
              <span role="columnheader" class="c-action">
                <span class="visually-hidden">{t('actions')}</span>
              </span>
            )}
          </div>
        </div>
        <VirtualRows
          count={rows.length}
          rowHeight={rowHeight}
          row={(index) => <BoardRow line={rows[index]!} kind={kind} />}
          onEnd={list.more}
        />
      </div>
      {list.isLoading && !list.isComplete && <Loading />}
      {list.error !== undefined && <Failure error={list.error} onRetry={list.reload} />}
    </div>
  );
}

function columnsOf(kind: BoardKind): [Column, Key][] {
  return kind === 'leaderboard'
    ? columns
    : columns.filter(([column]) => setColumns.includes(column));
}

function sortOf(text: string | null): [Column, boolean] {
  const [name, direction] = (text ?? 'name').split('-');
  const column = columns.find(([known]) => known === name)?.[0] ?? 'name';
  return [column, direction === 'down'];
}

function orderBy(column: Column, isDown: boolean): (a: BoardLine, b: BoardLine) => number {
  const value = (line: BoardLine): string | number =>
    column === 'name'
      ? line.name.text
      : column === 'periods'
        ? (line.periods ?? []).join()
        : (line[column] ?? '');
  return (a, b) => {
    const [x, y] = [value(a), value(b)];
    const order =
      typeof x === 'number' && typeof y === 'number'
        ? x - y
        : String(x).localeCompare(String(y), undefined, { numeric: true });
    return (isDown ? -order : order) || (a.name.key < b.name.key ? -1 : 1);
  };
}

interface SortHeaderProps {
  column: Column;
  text: string;
  isSortable: boolean;
  direction: 'ascending' | 'descending' | 'none';
}

function SortHeader({ column, text, isSortable, direction }: SortHeaderProps) {
  // Numbers are most often wanted largest first.
  const isNumber = column === 'size' || column === 'bytes';
  const isDown = direction === 'none' ? isNumber : direction === 'ascending';
  return (
    <span role="columnheader" class={`c-${column}`} aria-sort={isSortable ? direction : undefined}>
      {isSortable ? (
        <button class="sort" onClick={() => setQuery({ sort: isDown ? `${column}-down` : column })}>
          {text}
          <span aria-hidden="true" class="sort-mark">
            {direction === 'ascending' ? '▲' : direction === 'descending' ? '▼' : ''}
          </span>
        </button>
      ) : (
        text
      )}
    </span>
  );
}

function BoardRow({ line, kind }: { line: BoardLine; kind: BoardKind }) {
  const isLeaderboard = kind === 'leaderboard';
  return (
    <div class="boards-row">
      <span role="cell" class="c-name">
        <NameText
          name={line.name}
          href={isLeaderboard ? addressOf(['board', line.name.key]) : undefined}
        />
      </span>
      <span role="cell" class="c-size number">
        {integer(line.size)}
      </span>
      {isLeaderboard && (
        <>
          <span role="cell" class="c-policy">
            {line.policy && t(`policy.${line.policy}`)}
          </span>
          <span role="cell" class="c-periods">
            {(line.periods ?? []).map((period) => t(`period.${period}` as Key)).join(', ')}
          </span>
          <span role="cell" class="c-window">
            <WindowTag line={line} />
          </span>
        </>
      )}
      <span role="cell" class="c-bytes number">
        {bytes(line.bytes)}
      </span>
      {!isLeaderboard && (
        <span role="cell" class="c-action">
          {may('admin', line.name) && (
            <a class="button small" href={addressOf(['new'], { adopt: line.name })}>
              {t('adopt')}
            </a>
          )}
        </span>
      )}
    </div>
  );
}

function WindowTag({ line }: { line: BoardLine }) {
  const looks = { open: 'good', upcoming: '', grace: 'warn', ended: '' };
  const until = line.window === 'upcoming' ? line.start : line.end;
  return (
    <span class={`tag ${looks[line.window]}`} title={until === null ? undefined : time(until)}>
      {t(`window.${line.window}`)}
    </span>
  );
}

function NoBoards({ kind, filter }: { kind: BoardKind; filter: string }) {
  if (filter !== '') {
    return (
      <Note title={t('noMatch')}>
        <p>{t('noMatchHelp')}</p>
        <p>
          <button onClick={() => setQuery({ filter: null })}>{t('clearFilter')}</button>
        </p>
      </Note>
    );
  }
  if (kind === 'sorted-set')
    return <Note title={t('noSortedSets')}>{<p>{t('noSortedSetsHelp')}</p>}</Note>;
  return (
    <Note title={t('noBoards')}>
      <p>{t('noBoardsHelp')}</p>
      {may('admin') && (
        <p>
          <a class="button primary" href="#/new">
            {t('newBoard')}
          </a>
        </p>
      )}
    </Note>
  );
}
