// A spec in a few short phrases, for lists and as a preview of the form.
import type { Field, Spec } from './api';
import { durationText, microsOf } from './duration';
import { integer, time } from './format';
import { language, t, type Key } from './i18n';
import { defaultSpec, hasOperators } from './spec';

function listOf(words: string[]): string {
  return new Intl.ListFormat(language.value, { type: 'conjunction' }).format(words);
}

function fieldPhrase({ name, type, direction }: Field): string {
  const decimals = type === 'int' ? 0 : Number(type.replace('decimal', ''));
  const key = decimals === 0 ? 'sum.field' : 'sum.fieldDecimals';
  return t(key, {
    name: name === '' ? '?' : name,
    count: decimals,
    direction: t(`sum.${direction}` as Key),
  });
}

function rulePhrase(spec: Spec): string {
  if (!hasOperators(spec)) return t(`sum.policy.${spec.policy}` as Key);
  const parts = spec.fields.map(({ name, operator }) =>
    t(`sum.operator.${operator}` as Key, { name: name === '' ? '?' : name }),
  );
  return parts.join(t('sum.comma'));
}

function windowPhrases({ start, end, grace, expire }: Spec): string[] {
  const out: string[] = [];
  if (start !== null && end !== null) {
    out.push(t('sum.window', { start: time(start), end: time(end) }));
  } else if (start !== null) out.push(t('sum.start', { start: time(start) }));
  else if (end !== null) out.push(t('sum.end', { end: time(end) }));
  if (microsOf(grace) > 0) out.push(t('sum.grace', { duration: durationText(grace) }));
  if (expire !== null) {
    const key = end === null ? 'sum.expireAfterWrite' : 'sum.expireAfterEnd';
    out.push(t(key, { duration: durationText(expire) }));
  }
  return out;
}

function periodPhrases({ periods = [], tz = 'UTC', turn = '00:00', keep = 1 }: Spec): string[] {
  if (periods.length === 0) return [];
  const names = listOf(periods.map((period) => t(`period.${period}` as Key)));
  const zoned = [names, tz];
  if (turn !== '00:00') zoned.push(t('sum.turn', { turn }));
  const out = [zoned.join(t('sum.comma'))];
  // The instance `all` has none before it.
  if (periods.some((period) => period !== 'all')) {
    out.push(t('sum.keep', { count: keep, n: integer(keep) }));
  }
  return out;
}

/** "best score counts", "top 1,000 kept", … Ties and request ids only if not the default. */
export function specSummary(spec: Spec): string[] {
  const out = [spec.fields.map(fieldPhrase).join(t('sum.then')), rulePhrase(spec)];
  if (spec.tie !== defaultSpec.tie) out.push(t(`sum.tie.${spec.tie}` as Key));
  if (spec.cap > 0) out.push(t('sum.cap', { count: spec.cap, n: integer(spec.cap) }));
  out.push(...periodPhrases(spec), ...windowPhrases(spec));
  if (spec.dedup !== defaultSpec.dedup) {
    const key = spec.dedup === 0 ? 'sum.noIds' : 'sum.ids';
    out.push(t(key, { count: spec.dedup, n: integer(spec.dedup) }));
  }
  return out;
}
