// Finding a player by name on all boards of a filter.
import { useEffect, useId, useState } from 'preact/hooks';
import { entryOf, listBoards, Problem, readTogether, returns, type Entry } from '../lib/api';
import { patternOf } from '../lib/board_list';
import { integer, time } from '../lib/format';
import { t } from '../lib/i18n';
import { nameOfText, type Name } from '../lib/name';
import { usePage } from '../lib/page';
import { addressOf, go, route } from '../lib/router';
import { ScoreText } from '../ui/score';
import { NameText } from '../ui/code';
import { Failure, Note } from '../ui/states';
import './players.css';

const readsTogether = 32;

interface Found {
  board: Name;
  entry: Entry;
}

interface Search {
  found: Found[];
  lookedAt: number;
  isOver: boolean;
  error?: unknown;
}

export default function Players() {
  usePage(t('players'));
  const { query } = route.value;
  const member = query.get('name') ?? '';
  const filter = query.get('filter') ?? '';
  return (
    <>
      <h1>{t('players')}</h1>
      <SearchForm key={`${member} ${filter}`} member={member} filter={filter} />
      {member === '' ? (
        <Note title={t('findAnybody')}>
          <p>{t('findAnybodyHelp')}</p>
        </Note>
      ) : (
        <Results key={`${member} ${filter}`} member={nameOfText(member)} filter={filter} />
      )}
    </>
  );
}

function SearchForm({ member, filter }: { member: string; filter: string }) {
  const [name, setName] = useState(member);
  const [boards, setBoards] = useState(filter);
  const [nameId, boardsId] = [useId(), useId()];
  const submit = (event: Event) => {
    event.preventDefault();
    go(addressOf(['players'], { name, filter: boards }));
  };
  return (
    <form class="card players-form" role="search" onSubmit={submit}>
      <label class="field grow" for={nameId}>
        <span>{t('exactName')}</span>
        <input
          id={nameId}
          value={name}
          required
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label class="field grow" for={boardsId}>
        <span>{t('onBoards')}</span>
        <input
          id={boardsId}
          value={boards}
          placeholder={t('allBoards')}
          spellcheck={false}
          onInput={(event) => setBoards(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        {t('find')}
      </button>
    </form>
  );
}

/** Looks for the member on all boards, and tells how far it is. Ends when it is aborted. */
async function search(
  member: Name,
  filter: string,
  signal: AbortSignal,
  tell: (search: Search) => void,
): Promise<void> {
  const state: Search = { found: [], lookedAt: 0, isOver: false };
  try {
    let cursor: string | null = null;
    do {
      const page = await listBoards(patternOf(filter), 'leaderboard', cursor, signal);
      cursor = page.cursor;
      for (let i = 0; i < page.boards.length; i += readsTogether) {
        const boards = page.boards.slice(i, i + readsTogether).map((line) => line.name);
        const results = await readTogether(
          boards.map((board) => ({ read: 'entry', board, member })),
          signal,
        );
        results.forEach((result, k) => {
          // A board may be gone since it was listed, or have no present instance.
          if (result instanceof Problem) return;
          state.found.push({ board: boards[k]!, entry: entryOf(result as object) });
        });
        state.lookedAt += boards.length;
        tell({ ...state });
      }
    } while (cursor !== null);
    tell({ ...state, isOver: true });
  } catch (error) {
    if (!signal.aborted) tell({ ...state, isOver: true, error });
  }
}

function Results({ member, filter }: { member: Name; filter: string }) {
  const [state, setState] = useState<Search>({ found: [], lookedAt: 0, isOver: false });
  const [controller, setController] = useState<AbortController | null>(null);
  useEffect(() => {
    const mine = new AbortController();
    setController(mine);
    void search(member, filter, mine.signal, setState);
    return () => mine.abort();
  }, [member.key, filter, returns.value]);
  const stop = () => {
    controller?.abort();
    setState((old) => ({ ...old, isOver: true }));
  };
  return (
    <section class="card">
      <div class="card-head">
        <h2>
          <NameText name={member} />
        </h2>
        <span class="spread" />
        <span class="quiet-text" role="status">
          {t(state.isOver ? 'searchOver' : 'searching', {
            found: integer(state.found.length),
            boards: integer(state.lookedAt),
          })}
        </span>
        {!state.isOver && (
          <button class="small" onClick={stop}>
            {t('stop')}
          </button>
        )}
      </div>
      {!state.isOver && <progress aria-label={t('players')} />}
      {state.error !== undefined && <Failure error={state.error} />}
      {state.found.length > 0 && <FoundTable found={state.found} member={member} />}
      {state.isOver && state.found.length === 0 && state.error === undefined && (
        <Note title={t('notFoundAnywhere')}>
          <p>{t('notFoundAnywhereHelp')}</p>
        </Note>
      )}
    </section>
  );
}

function FoundTable({ found, member }: { found: Found[]; member: Name }) {
  return (
    <div class="scroll-x">
      <table>
        <thead>
          <tr>
            <th>{t('board')}</th>
            <th class="number">{t('rank')}</th>
            <th class="number">{t('score')}</th>
            <th>{t('reached')}</th>
          </tr>
        </thead>
        <tbody>
          {found.map(({ board, entry }) => (
            <tr key={board.key}>
              <td class="players-board">
                <NameText name={board} href={addressOf(['board', board.key], { member })} />
              </td>
              <td class="number">
                {entry.rank === null ? (
                  <span class="tag bad">{t('hidden')}</span>
                ) : (
                  integer(entry.rank)
                )}
              </td>
              <td class="number">
                <ScoreText score={entry.score} />
              </td>
              <td>{entry.reached !== null && time(entry.reached)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
