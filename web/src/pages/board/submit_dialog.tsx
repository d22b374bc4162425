// Writing one entry: a submit by the board's policy, or a correction.
import { useId, useRef, useState } from 'preact/hooks';
import { boardPath, call, newRequestId, Problem, type Entry, type Verdict } from '../../lib/api';
import { commandLine } from '../../lib/commands';
import { integer, scoreValue } from '../../lib/format';
import { t, type Key } from '../../lib/i18n';
import { nameOfText, nameOut } from '../../lib/name';
import { may } from '../../lib/session';
import { NameText, visible } from '../../ui/code';
import { ActionDialog } from '../../ui/dialog';
import type { BoardView } from './view';

type Operation = 'submit' | 'set' | 'incr';

interface SubmitProps {
  view: BoardView;
  /** The entry to correct; without it the member is asked for. */
  entry?: Entry;
  onClose: () => void;
  onDone?: () => void;
}

export function SubmitDialog({ view, entry, onClose, onDone }: SubmitProps) {
  const { board, name } = view;
  const isCorrection = entry !== undefined;
  const [member, setMember] = useState('');
  const [values, setValues] = useState(entry?.score ?? board.fields.map(() => ''));
  const [operation, setOperation] = useState<Operation>(isCorrection ? 'set' : 'submit');
  const [meta, setMeta] = useState('');
  /** The part of the request that the server has refused. */
  const [wrong, setWrong] = useState<string | null>(null);
  const who = entry?.name ?? nameOfText(member);
  const body = {
    ...nameOut(who, 'member'),
    score: values.map((value) => value.trim()),
    op: operation,
    ...(meta === '' ? {} : { meta }),
  };
  const id = useRequestId(JSON.stringify(body));
  const isReady = (isCorrection || member !== '') && values.every((value) => value.trim() !== '');
  const words = meta === '' ? [] : ['META', meta];
  const run = async () => {
    setWrong(null);
    const written = call<Verdict>('POST', boardPath(name, '/entries'), {
      body,
      id: board.dedup > 0 ? id : undefined,
    });
    const verdict = await written.catch((error: unknown) => {
      setWrong(error instanceof Problem ? (error.field ?? null) : null);
      throw error;
    });
    onDone?.();
    view.reload();
    return { done: sentenceOf(verdict, visible(who.text)) };
  };
  return (
    <ActionDialog
      title={isCorrection ? t('correctTitle') : t('submitTitle', { board: name.text })}
      command={commandLine(`LB.${operation.toUpperCase()}`, name, who, ...body.score, ...words)}
      confirm={isCorrection ? t('correct') : t(`op.${operation}` as Key)}
      isReady={isReady}
      run={run}
      onClose={onClose}
    >
      {isCorrection ? (
        <p class="player-name">
          <NameText name={who} />
        </p>
      ) : (
        <TextField
          label={t('member')}
          value={member}
          onInput={setMember}
          isWrong={wrong === 'member'}
        />
      )}
      {!isCorrection && may('write', name) && (
        <Operations board={view} operation={operation} onChoose={setOperation} />
      )}
      {board.fields.map((field, i) => (
        <TextField
          key={field.name}
          label={field.name}
          help={fieldHelp(field.type, field.direction)}
          value={values[i]!}
          onInput={(text) => setValues(values.map((old, k) => (k === i ? text : old)))}
          isNumber
          isWrong={wrong === 'score'}
        />
      ))}
      {!isCorrection && (
        <TextField
          label={t('metaOptional')}
          value={meta}
          onInput={setMeta}
          isWrong={wrong === 'meta'}
        />
      )}
      <p class="help">{isCorrection ? t('correctText') : t(`opHelp.${operation}` as Key)}</p>
    </ActionDialog>
  );
}

/** A request id that stays while the request is the same, so that a retry counts once. */
function useRequestId(request: string): string {
  const known = useRef({ request, id: newRequestId() });
  if (known.current.request !== request) known.current = { request, id: newRequestId() };
  return known.current.id;
}

function fieldHelp(type: string, direction: 'asc' | 'desc'): string {
  const kind = type === 'int' ? t('typeInt') : t('typeDecimal', { n: type.replace('decimal', '') });
  return `${kind} ${t(direction === 'desc' ? 'moreIsBetter' : 'lessIsBetter')}`;
}

interface TextFieldProps {
  label: string;
  help?: string;
  value: string;
  onInput: (text: string) => void;
  isNumber?: boolean;
  isWrong: boolean;
}

function TextField({ label, help, value, onInput, isNumber, isWrong }: TextFieldProps) {
  const [id, helpId] = [useId(), useId()];
  return (
    <div class="field">
      <label for={id}>
        <bdi>{label}</bdi>
      </label>
      <input
        id={id}
        value={value}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={isWrong}
        inputMode={isNumber ? 'decimal' : undefined}
        aria-describedby={help === undefined ? undefined : helpId}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {help !== undefined && (
        <span class="help" id={helpId}>
          {help}
        </span>
      )}
    </div>
  );
}

interface OperationsProps {
  board: BoardView;
  operation: Operation;
  onChoose: (operation: Operation) => void;
}

function Operations({ board, operation, onChoose }: OperationsProps) {
  // A capped board forgets totals, so it takes no INCR.
  const all: Operation[] = board.board.cap > 0 ? ['submit', 'set'] : ['submit', 'set', 'incr'];
  return (
    <div class="segments" role="group" aria-label={t('operation')}>
      {all.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === operation}
          onClick={() => onChoose(one)}
        >
          {t(`op.${one}` as Key)}
        </button>
      ))}
    </div>
  );
}

/** The verdict in words. */
function sentenceOf(verdict: Verdict, member: string): string {
  const rank = verdict.rank === null ? '–' : integer(verdict.rank);
  const said = t(`verdict.${verdict.status}` as Key, { member: member.slice(0, 60), rank });
  const needs = verdict.needs
    ? ' ' + t('needs', { score: verdict.needs.map(scoreValue).join(' · ') })
    : '';
  const hidden = verdict.hidden ? ' ' + t('verdictHidden') : '';
  const before =
    verdict.previous_rank !== null && verdict.previous_rank !== verdict.rank
      ? ' ' + t('rankBefore', { rank: integer(verdict.previous_rank) })
      : '';
  return said + before + needs + hidden;
}
