// One player of a board: rank in all kinds, score, neighbours, recent changes, and actions.
import { useEffect, useId, useState } from 'preact/hooks';
import {
  entryOf,
  hasLog,
  listChanges,
  memberResultOf,
  pageOf,
  Problem,
  readTogether,
  type Change,
  type Entry,
} from '../../lib/api';
import { integer, percent, scoreValue, timeInBoth } from '../../lib/format';
import { t, type Key } from '../../lib/i18n';
import { useDebounced, useLoad } from '../../lib/load';
import { hasPath, nameOfText, type Name } from '../../lib/name';
import { addressOf, addressWith, setQuery } from '../../lib/router';
import { may } from '../../lib/session';
import { NameText, visible } from '../../ui/code';
import { ScoreText } from '../../ui/score';
import { Failure, Loading } from '../../ui/states';
import { ChangeLine } from './change_line';
import { askHide, askRemove, askShow } from './member_actions';
import { SubmitDialog } from './submit_dialog';
import type { BoardView } from './view';
import type { LiveTop } from '../../lib/stream';

const neighbours = 4;
const changesShown = 8;
/** Events of the board that say nothing about its members. */
const boardEvents = ['created', 'altered', 'loaded', 'renamed'];
const kinds = ['ordinal', 'competition', 'dense'] as const;

interface PlayerProps {
  view: BoardView;
  member: Name | null;
  /** Another one whenever the live stream tells of the member. */
  pulse: Entry[];
  topVersion: LiveTop | undefined;
}

export function Player({ view, member, pulse, topVersion }: PlayerProps) {
  return (
    <section class="card player" aria-labelledby="player-heading">
      <h2 id="player-heading">{t('player')}</h2>
      <FindForm key={member?.key} member={member} view={view} />
      {member !== null && (
        <Details
          key={member.key}
          view={view}
          member={member}
          pulse={pulse}
          topVersion={topVersion}
        />
      )}
    </section>
  );
}

function FindForm({ member, view }: { member: Name | null; view: BoardView }) {
  const [text, setText] = useState(member?.base64 === undefined ? (member?.text ?? '') : '');
  const id = useId();
  const find = (event: Event) => {
    event.preventDefault();
    setQuery({ member: nameOfText(text) }, 'push');
  };
  return (
    <form role="search" onSubmit={find}>
      <label class="visually-hidden" for={id}>
        {t('exactName')}
      </label>
      <div class="row">
        <input
          id={id}
          class="grow"
          type="search"
          placeholder={t('exactName')}
          value={text}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          {t('find')}
        </button>
      </div>
      {text !== '' && (
        <p class="help">
          <a href={addressOf(['players'], { name: text })}>{t('onAllBoards')}</a>
          {view.period !== null && ` · ${t('onlyThisPeriod')}`}
        </p>
      )}
    </form>
  );
}

interface Standing {
  entry: Entry;
  ranks: (number | null)[];
  percentile: { percentile: number; worse: number; count: number } | null;
  around: Entry[];
}

async function readStanding(
  view: BoardView,
  member: Name,
  signal: AbortSignal,
): Promise<Standing | null> {
  const board = view.shown;
  const results = await readTogether(
    [
      ...kinds.map((kind) => ({ read: 'entry', board, member, kind, meta: true })),
      { read: 'percentile', board, member },
      { read: 'around', board, member, radius: neighbours },
    ],
    signal,
  );
  const entries = results.slice(0, kinds.length).map((result) => memberResultOf<object>(result));
  if (entries[0] === null) return null;
  const around = results[4] instanceof Problem ? [] : pageOf(results[4]).entries;
  return {
    entry: entryOf(entries[0]!),
    ranks: entries.map((entry) => entryOf(entry!).rank),
    percentile: memberResultOf(results[3]),
    around,
  };
}

interface DetailsProps {
  view: BoardView;
  member: Name;
  pulse: Entry[];
  topVersion: LiveTop | undefined;
}

function Details({ view, member, pulse, topVersion }: DetailsProps) {
  const standing = useLoad(`${view.shown.key} ${member.key}`, (signal) =>
    readStanding(view, member, signal),
  );
  const refresh = useDebounced(standing.reload, 200, 1000);
  useEffect(() => {
    if (standing.value !== undefined) refresh();
  }, [pulse, topVersion]);
  if (standing.error !== undefined && standing.value === undefined) {
    return <Failure error={standing.error} onRetry={standing.reload} />;
  }
  if (standing.value === undefined) return <Loading />;
  return (
    <>
      <div class="player-name">
        <NameText name={member} />
        {standing.value !== null && standing.value.entry.rank === null && (
          <span class="tag bad">{t('hidden')}</span>
        )}
        <span class="spread" />
        <button class="quiet small" onClick={() => setQuery({ member: null })}>
          {t('close')}
        </button>
      </div>
      {standing.value === null ? (
        <p class="quiet-text" role="status">
          {t('noEntryHere')}
        </p>
      ) : (
        <Facts view={view} standing={standing.value} member={member} />
      )}
      <Actions view={view} member={member} standing={standing.value} reload={standing.reload} />
      <MemberChanges view={view} member={member} reached={standing.value?.entry.reached ?? null} />
    </>
  );
}

function Facts({ view, standing, member }: { view: BoardView; standing: Standing; member: Name }) {
  const { entry, ranks, percentile } = standing;
  const { fields } = view.board;
  const zone = view.board.tz ?? 'UTC';
  return (
    <>
      {entry.rank !== null && (
        <div class="ranks">
          {kinds.map((kind, i) => (
            <div key={kind} class="rank-kind" title={t(`kindHelp.${kind}` as Key)}>
              <span class="rank-number">{integer(ranks[i]!)}</span>
              <span class="rank-name">{t(`kind.${kind}` as Key)}</span>
            </div>
          ))}
        </div>
      )}
      <dl class="facts">
        {entry.score!.map((value, i) => (
          <>
            <dt>
              <bdi>{fields[i]!.name}</bdi>
            </dt>
            <dd class="exact">{scoreValue(value)}</dd>
          </>
        ))}
        {percentile !== null && entry.rank !== null && (
          <>
            <dt>{t('percentile')}</dt>
            <dd>
              {t('beats', {
                share: percent(percentile.percentile),
                worse: integer(percentile.worse),
                others: integer(percentile.count - 1),
              })}
            </dd>
          </>
        )}
        <dt>{t('reached')}</dt>
        <dd title={entry.reached!}>{timeInBoth(entry.reached!, zone)}</dd>
        {entry.meta !== undefined && entry.meta !== null && (
          <>
            <dt>{t('meta')}</dt>
            <dd>
              <Meta entry={entry} />
            </dd>
          </>
        )}
      </dl>
      {standing.around.length > 0 && <Around entries={standing.around} member={member} />}
    </>
  );
}

function Meta({ entry }: { entry: Entry }) {
  if (entry.metaBase64 !== undefined)
    return <span class="exact">{t('metaBytes', { base64: entry.metaBase64 })}</span>;
  return (
    <pre class="meta" tabIndex={0}>
      {visible(entry.meta!)}
    </pre>
  );
}

function Around({ entries, member }: { entries: Entry[]; member: Name }) {
  return (
    <table class="around" aria-label={t('around')}>
      <tbody>
        {entries.map((entry) => (
          <tr
            key={entry.name.key}
            class={entry.name.key === member.key ? 'selected' : undefined}
            aria-current={entry.name.key === member.key ? 'true' : undefined}
          >
            <td class="number">{integer(entry.rank!)}</td>
            <td class="c-member">
              <NameText name={entry.name} href={addressWith({ member: entry.name })} />
            </td>
            <td class="number">
              <ScoreText score={entry.score} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ActionsProps {
  view: BoardView;
  member: Name;
  standing: Standing | null;
  reload: () => void;
}

function Actions({ view, member, standing, reload }: ActionsProps) {
  const [isCorrecting, setCorrecting] = useState(false);
  const rank = standing?.entry.rank ?? null;
  if (!may('write', view.name)) return null;
  const isHidden = standing !== null && rank === null;
  return (
    <div class="row player-actions">
      {view.takesWrites && standing !== null && (
        <button class="small" onClick={() => setCorrecting(true)}>
          {t('correct')}
        </button>
      )}
      {rank !== null && (
        <a class="button small" href={addressWith({ rank: String(rank) })}>
          {t('showInList')}
        </a>
      )}
      {!hasPath(member) ? (
        <span class="help">{t('noBrowserMember')}</span>
      ) : isHidden ? (
        <button class="small" onClick={() => askShow(view, member, reload)}>
          {t('show')}
        </button>
      ) : (
        <button class="small" onClick={() => askHide(view, member, reload)}>
          {t('hide')}
        </button>
      )}
      {standing !== null && (
        <button class="small" onClick={() => void askRemove(view, member, standing.entry, reload)}>
          {t('remove')}
        </button>
      )}
      {isCorrecting && (
        <SubmitDialog
          view={view}
          entry={standing!.entry}
          onClose={() => setCorrecting(false)}
          onDone={reload}
        />
      )}
    </div>
  );
}

function MemberChanges({
  view,
  member,
  reached,
}: {
  view: BoardView;
  member: Name;
  reached: string | null;
}) {
  const changes = useLoad<Change[] | null>(
    `${view.shown.key} ${member.key} ${reached}`,
    async (signal) => {
      if (!(await hasLog(signal))) return null;
      const read = await listChanges(view.shown, `-${changesShown}`, { member, signal });
      return read.events.filter((event) => !boardEvents.includes(event.cause)).reverse();
    },
  );
  if (changes.value === undefined || changes.value === null || changes.value.length === 0)
    return null;
  return (
    <>
      <h3>{t('playersChanges')}</h3>
      <ul class="changes">
        {changes.value.map((change) => (
          <ChangeLine key={change.cursor} change={change} view={view} isOwn />
        ))}
      </ul>
    </>
  );
}
