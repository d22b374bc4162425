// What a board or a template is declared as: as the form holds it, and as the body of a request
// and the words of a command.
import type { Field, Policy, Spec } from './api';
import { durationParts, microsOf, type Unit } from './duration';
import { localOf, momentOf } from './local_time';

export const periodNames = ['hour', 'day', 'week', 'month', 'all'] as const;
export const fieldTypes = ['int', ...Array.from({ length: 9 }, (_, i) => `decimal${i + 1}`)];
export const maxFields = 8;

export const defaultSpec: Spec = {
  fields: [{ name: 'score', type: 'int', direction: 'desc', operator: 'set' }],
  policy: 'set',
  tie: 'first',
  cap: 0,
  start: null,
  end: null,
  grace: '0s',
  expire: null,
  dedup: 100_000,
  periods: [],
  tz: 'UTC',
  turn: '00:00',
  keep: 1,
};

// The form's side ----------------------------------------------------------------------------------

export interface FieldDraft extends Field {
  /** Stays with the field when it moves. */
  id: number;
}

export interface DurationDraft {
  amount: string;
  unit: Unit;
}

/**
 * The form's contents. What another choice excludes stays here, so that it is there again when the
 * choice is taken back; specOf() leaves it out.
 */
export interface Draft {
  /** The name of the board, or the template's pattern. */
  name: string;
  fields: FieldDraft[];
  /** 'operators': each field has its own, and there is no policy. */
  rule: Policy | 'operators';
  tie: Spec['tie'];
  cap: string;
  start: string;
  end: string;
  grace: DurationDraft;
  expire: DurationDraft;
  periods: string[];
  tz: string;
  turn: string;
  keep: string;
  dedup: string;
  /** What the server had when the form was opened; null if nothing. */
  original: Spec | null;
}

let lastFieldId = 0;

export function newField(name: string): FieldDraft {
  return { id: ++lastFieldId, name, type: 'int', direction: 'desc', operator: 'set' };
}

export function hasOperators(spec: Spec): boolean {
  return spec.fields.some((field) => field.operator !== 'set');
}

function durationDraft(text: string | null, unit: Unit): DurationDraft {
  const parts = durationParts(text ?? '');
  if (parts === null || parts.amount === 0) return { amount: '', unit };
  return { amount: String(parts.amount), unit: parts.unit };
}

export function newDraft(name: string): Draft {
  return { ...draftOf(defaultSpec, name), original: null };
}

export function draftOf(spec: Spec, name: string): Draft {
  const { tie, periods = [], tz = 'UTC', turn = '00:00', keep = 1 } = spec;
  return {
    name,
    fields: spec.fields.map((field) => ({ ...field, id: ++lastFieldId })),
    rule: hasOperators(spec) ? 'operators' : spec.policy,
    tie,
    cap: spec.cap === 0 ? '' : String(spec.cap),
    start: spec.start === null ? '' : localOf(spec.start),
    end: spec.end === null ? '' : localOf(spec.end),
    grace: durationDraft(spec.grace, 'm'),
    expire: durationDraft(spec.expire, 'd'),
    periods,
    tz,
    turn,
    keep: String(keep),
    dedup: String(spec.dedup),
    original: spec,
  };
}

/** A whole number; null if the text is none. */
export function wholeNumber(text: string): number | null {
  const digits = text.trim();
  if (!/^\d+$/.test(digits)) return null;
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : null;
}

function durationOf({ amount, unit }: DurationDraft): string | null {
  const count = wholeNumber(amount);
  return count === null || count === 0 ? null : `${count}${unit}`;
}

// Which options exclude which ----------------------------------------------------------------------

export function takesCap(draft: Draft): boolean {
  return draft.rule === 'set' || draft.rule === 'best';
}

export function takesGrace(draft: Draft): boolean {
  return draft.end !== '' || draft.periods.length > 0;
}

/** TIE on adoption: Redis orders equal scores by member, and everybody keeps the place. */
export function adoptsWithTie(draft: Draft, tie: Spec['tie']): boolean {
  return tie === 'first' || (tie === 'member' && draft.fields[0]!.direction === 'asc');
}

/** The spec that the draft means. Numbers that are none count as not given. */
export function specOf(draft: Draft): Spec {
  const { rule, periods, original } = draft;
  const isPeriodic = periods.length > 0;
  const cap = takesCap(draft) ? wholeNumber(draft.cap) : null;
  const fields: Field[] = draft.fields.map(({ name, type, direction, operator }) => ({
    name,
    type,
    direction,
    operator: rule === 'operators' ? operator : 'set',
  }));
  return {
    fields,
    policy: rule === 'operators' ? 'set' : rule,
    tie: draft.tie,
    cap: cap ?? 0,
    start: momentOf(draft.start, original?.start),
    end: momentOf(draft.end, original?.end),
    grace: (takesGrace(draft) ? durationOf(draft.grace) : null) ?? '0s',
    expire: durationOf(draft.expire),
    dedup: wholeNumber(draft.dedup) ?? defaultSpec.dedup,
    periods,
    tz: (isPeriodic && draft.tz.trim()) || 'UTC',
    turn: (isPeriodic && draft.turn) || '00:00',
    keep: (isPeriodic ? wholeNumber(draft.keep) : null) ?? 1,
  };
}

// The server's side --------------------------------------------------------------------------------

/** One option, as a key of the body and as words of the command. */
export interface Option {
  key: string;
  value: unknown;
  words: string[];
}

const optionWords = [
  ...['fields', 'tie', 'periods', 'turn', 'tz', 'partitions', 'policy', 'cap', 'dedup', 'start'],
  ...['end', 'grace', 'expire', 'keep', 'feed', 'adopt'],
];

/** "points:int:asc", without the parts at the end that are the default. */
function fieldWord({ name, type, direction, operator }: Field): string {
  const parts = [name, type, direction, operator];
  const defaults = ['', 'int', 'desc', 'set'];
  while (parts.length > 1 && parts.at(-1) === defaults[parts.length - 1]) parts.pop();
  // A bare word that is an option would not be taken for a field.
  if (parts.length === 1 && optionWords.includes(name.toLowerCase())) parts.push(type);
  return parts.join(':');
}

function fieldBody({ name, type, direction, operator }: Field): Partial<Field> {
  return {
    name,
    ...(type === 'int' ? {} : { type }),
    ...(direction === 'desc' ? {} : { direction }),
    ...(operator === 'set' ? {} : { operator }),
  };
}

function option(key: string, value: unknown, ...values: string[]): Option {
  return { key, value, words: [key.toUpperCase(), ...values] };
}

function plain(key: keyof Spec, value: string | number): Option {
  return option(key, value, String(value));
}

/** The options that declare the spec; what is the default is left out. */
export function declaration(spec: Spec): Option[] {
  const out: Option[] = [];
  const { fields, periods = [] } = spec;
  const words = fields.map(fieldWord);
  if (words.length > 1 || words[0] !== 'score') {
    out.push(option('fields', fields.map(fieldBody), String(words.length), ...words));
  }
  if (spec.policy !== 'set') out.push(plain('policy', spec.policy));
  if (spec.tie !== 'first') out.push(plain('tie', spec.tie));
  if (spec.cap !== 0) out.push(plain('cap', spec.cap));
  if (spec.start !== null) out.push(plain('start', spec.start));
  if (spec.end !== null) out.push(plain('end', spec.end));
  if (microsOf(spec.grace) !== 0) out.push(plain('grace', spec.grace));
  if (spec.expire !== null) out.push(plain('expire', spec.expire));
  if (periods.length > 0) {
    out.push(option('periods', periods, String(periods.length), ...periods));
  }
  for (const key of ['tz', 'turn', 'keep', 'dedup'] as const) {
    const value = spec[key] ?? defaultSpec[key]!;
    if (value !== defaultSpec[key]) out.push(plain(key, value));
  }
  return out;
}

export const adoptOption: Option = { key: 'adopt', value: true, words: ['ADOPT'] };

/** The options that turn one spec into another; null in a body clears. */
export function alteration(from: Spec, to: Spec): Option[] {
  const out: Option[] = [];
  if (to.policy !== from.policy) out.push(plain('policy', to.policy));
  if (to.cap !== from.cap) out.push(to.cap === 0 ? option('cap', null, '0') : plain('cap', to.cap));
  for (const key of ['start', 'end'] as const) {
    const value = to[key];
    if (value === from[key]) continue;
    out.push(value === null ? option(key, null, 'none') : plain(key, value));
  }
  for (const key of ['grace', 'expire'] as const) {
    const micros = microsOf(to[key]);
    if (micros === microsOf(from[key])) continue;
    out.push(micros === 0 ? option(key, null, '0') : plain(key, to[key]!));
  }
  const isPeriodic = (from.periods ?? []).length > 0;
  if (isPeriodic && to.keep !== from.keep) out.push(plain('keep', to.keep!));
  if (to.dedup !== from.dedup) out.push(plain('dedup', to.dedup));
  return out;
}

export function bodyOf(options: Option[]): Record<string, unknown> {
  return Object.fromEntries(options.map(({ key, value }) => [key, value]));
}

export function wordsOf(options: Option[]): string[] {
  return options.flatMap(({ words }) => words);
}
