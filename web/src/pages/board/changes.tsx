// The recent changes of a board, newest first, as its log has them.
import { useEffect, useRef, useState } from 'preact/hooks';
import { hasLog, listChanges, Problem, returns, type Change } from '../../lib/api';
import { t } from '../../lib/i18n';
import { useInterval } from '../../lib/load';
import { Loading } from '../../ui/states';
import { ChangeLine } from './change_line';
import type { BoardView } from './view';

const shown = 30;
const mostAtOnce = 200;
const pollMs = 2000;
/** Events after which the description of the board is another. */
const ofTheBoard = ['altered', 'closed', 'dropped', 'expired', 'loaded', 'renamed'];

interface Recent {
  events: Change[];
  next: string;
}

export function Changes({ view }: { view: BoardView }) {
  const [recent, setRecent] = useState<Recent | 'none' | undefined>();
  const [isPaused, setPaused] = useState(false);
  const current = useRef(view.shown.key);
  /** Reads the newest events instead of those that are shown. */
  const begin = async () => {
    const board = view.shown.key;
    const show = (found: Recent | 'none') => {
      if (current.current === board) setRecent(found);
    };
    try {
      if (!(await hasLog())) return show('none');
      const page = await listChanges(view.shown, `-${shown}`);
      show({ events: page.events.reverse(), next: page.next });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      show('none'); // a user without a token learns here that there is no log
    }
  };
  /** Reads what has happened since `from`. */
  const goOn = async (from: string) => {
    const page = await listChanges(view.shown, from, { limit: mostAtOnce });
    if (page.events.some((event) => ofTheBoard.includes(event.cause))) view.reload();
    setRecent((old) => {
      // Another answer, or another board, may have come first.
      if (old === undefined || old === 'none' || old.next !== from) return old;
      const events = [...page.events.reverse(), ...(page.gap ? [] : old.events)];
      return { events: events.slice(0, shown), next: page.next };
    });
    // A board may change faster than it can be read: then only its newest events are shown.
    if (page.events.length === mostAtOnce) await begin();
  };
  // If the server is lost or the board is gone, the page says so elsewhere.
  const quietly = (reading: Promise<unknown>) => void reading.catch(() => {});
  useEffect(() => {
    current.current = view.shown.key;
    setRecent(undefined);
    quietly(begin());
  }, [view.shown.key, returns.value]);
  useInterval(pollMs, () => {
    if (recent !== undefined && recent !== 'none' && !isPaused) quietly(goOn(recent.next));
  });
  return (
    <section class="card" aria-labelledby="changes-heading">
      <div class="card-head">
        <h2 id="changes-heading">{t('recentChanges')}</h2>
        <span class="spread" />
        {recent !== undefined && recent !== 'none' && recent.events.length > 0 && (
          <button class="quiet small" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? t('goOn') : t('pause')}
          </button>
        )}
      </div>
      <ChangeList recent={recent} view={view} />
    </section>
  );
}

function ChangeList({ recent, view }: { recent: Recent | 'none' | undefined; view: BoardView }) {
  if (recent === undefined) return <Loading />;
  if (recent === 'none') return <p class="quiet-text">{t('noLog')}</p>;
  if (recent.events.length === 0) return <p class="quiet-text">{t('noChanges')}</p>;
  return (
    // The list scrolls, and so must be reachable by keyboard.
    <ul class="changes long" tabIndex={0} aria-label={t('recentChanges')}>
      {recent.events.map((change) => (
        <ChangeLine key={change.cursor} change={change} view={view} />
      ))}
    </ul>
  );
}
