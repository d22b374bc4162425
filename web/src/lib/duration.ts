// Durations as the server writes them: "90s", "15m", "12h", "30d".
import { integer } from './format';
import { t, type Key } from './i18n';

export type Unit = 'us' | 'ms' | 's' | 'm' | 'h' | 'd';

const unitMicros: Record<Unit, number> = {
  us: 1,
  ms: 1000,
  s: 1_000_000,
  m: 60_000_000,
  h: 3_600_000_000,
  d: 86_400_000_000,
};

/** The units that people choose from. The server has ms and us too. */
export const plainUnits: Unit[] = ['s', 'm', 'h', 'd'];

export const maxDurationMicros = 1_000_000 * unitMicros.d;

/** The parts of a duration; null if the text is none. */
export function durationParts(text: string): { amount: number; unit: Unit } | null {
  const parts = /^(\d+)(us|ms|s|m|h|d)$/.exec(text);
  return parts === null ? null : { amount: Number(parts[1]), unit: parts[2] as Unit };
}

/** Its length in µs; 0 for no duration. */
export function microsOf(text: string | null): number {
  const parts = text === null ? null : durationParts(text);
  return parts === null ? 0 : parts.amount * unitMicros[parts.unit];
}

/** Its length in milliseconds. */
export function millisOf(text: string | null): number {
  return microsOf(text) / 1000;
}

/** "15m" as "15 minutes". */
export function durationText(text: string): string {
  const parts = durationParts(text);
  if (parts === null) return text;
  return t(`duration.${parts.unit}` as Key, { count: parts.amount, n: integer(parts.amount) });
}
