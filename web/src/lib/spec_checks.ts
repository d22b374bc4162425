// Mistakes in a draft that need no server to be found.
import { maxDurationMicros, microsOf } from './duration';
import { readersZone } from './format';
import type { Key } from './i18n';
import { hasPath, nameOfText } from './name';
import { may, who } from './session';
import { takesCap, takesGrace, wholeNumber, type Draft, type DurationDraft } from './spec';
import type { Spec } from './api';

export interface Mistake {
  /** The input, named as the server names it: "fields.0.name". */
  path: string;
  text: Key;
  values?: Record<string, string | number>;
  /** Something is missing: said only when the form is sent, as it may still come. */
  isLate?: boolean;
}

const maxKeep = 10_000;
const maxDedup = 10_000_000;

function byteCount(text: string): number {
  return new TextEncoder().encode(text).length;
}

function nameMistakes(text: string, isPattern: boolean): Mistake[] {
  const path = 'name';
  const missing = isPattern ? 'form.noPattern' : 'form.noName';
  if (text === '') return [{ path, text: missing, isLate: true }];
  if (!isPattern && text.includes('@')) return [{ path, text: 'form.nameHasAt' }];
  if (byteCount(text) > 512) return [{ path, text: 'form.nameTooLong', values: { n: 512 } }];
  const name = nameOfText(text);
  if (!hasPath(name)) return [{ path, text: 'form.nameHasNoPath' }];
  if (isPattern || may('admin', name) || who.value === null || who.value === 'stranger') return [];
  return [{ path, text: 'form.nameOutside', values: { boards: who.value.boards } }];
}

function fieldMistakes(draft: Draft): Mistake[] {
  const out: Mistake[] = [];
  draft.fields.forEach(({ name }, index) => {
    const path = `fields.${index}.name`;
    const isDouble = draft.fields.findIndex((other) => other.name === name) < index;
    if (name === '') out.push({ path, text: 'form.noFieldName', isLate: true });
    else if (/[\x00-\x20:\x7f]/.test(name)) out.push({ path, text: 'form.fieldNameSigns' });
    else if (byteCount(name) > 64) out.push({ path, text: 'form.nameTooLong', values: { n: 64 } });
    else if (isDouble) out.push({ path, text: 'form.fieldNameTwice', values: { name } });
  });
  return out;
}

function countMistakes(path: string, text: string, most: number): Mistake[] {
  if (text.trim() === '') return [];
  const value = wholeNumber(text);
  if (value === null) return [{ path, text: 'form.notWhole' }];
  return value > most ? [{ path, text: 'form.tooMany', values: { most } }] : [];
}

function durationMistakes(path: string, { amount, unit }: DurationDraft): Mistake[] {
  if (amount.trim() === '') return [];
  const value = wholeNumber(amount);
  if (value === null) return [{ path, text: 'form.notWhole' }];
  return microsOf(`${value}${unit}`) > maxDurationMicros ? [{ path, text: 'form.tooLong' }] : [];
}

function windowMistakes({ start, end }: Spec): Mistake[] {
  if (start === null || end === null || Date.parse(start) < Date.parse(end)) return [];
  return [{ path: 'end', text: 'form.endBeforeStart', values: { zone: readersZone() } }];
}

/** `isPattern`: the draft is a template's. `spec` is what the draft means. */
export function mistakesOf(draft: Draft, spec: Spec, isPattern: boolean): Mistake[] {
  return [
    ...nameMistakes(draft.name, isPattern),
    ...fieldMistakes(draft),
    ...(takesCap(draft) ? countMistakes('cap', draft.cap, Number.MAX_SAFE_INTEGER) : []),
    ...windowMistakes(spec),
    ...(takesGrace(draft) ? durationMistakes('grace', draft.grace) : []),
    ...durationMistakes('expire', draft.expire),
    ...(draft.periods.length > 0 ? countMistakes('keep', draft.keep, maxKeep) : []),
    ...countMistakes('dedup', draft.dedup, maxDedup),
  ];
}
