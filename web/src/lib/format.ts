// Numbers, times and sizes in the reader's language and zone. Scores stay text: a number of
// JavaScript cannot hold 64 bits.
import { language } from './i18n';

type Formats = {
  integer: Intl.NumberFormat;
  percent: Intl.NumberFormat;
  decimal: Intl.NumberFormat;
  time: Intl.DateTimeFormat;
  timeOfYear: Intl.DateTimeFormat;
  clock: Intl.DateTimeFormat;
  clockWithSeconds: Intl.DateTimeFormat;
  decimalMark: string;
};

const known = new Map<string, Formats>();

function formats(): Formats {
  // The browser's own locale if it is of the page's language: "en-GB" writes dates as in Britain.
  const own = navigator.languages.find((tag) => tag.split('-')[0] === language.value);
  const locale = own ?? (language.value === 'zh' ? 'zh-CN' : 'en');
  let found = known.get(locale);
  if (found === undefined) {
    const decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
    found = {
      integer: new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }),
      percent: new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }),
      decimal,
      time: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }),
      timeOfYear: new Intl.DateTimeFormat(locale, {
        month: 'short',
        day: 'numeric',
        hour: 'numeric',
        minute: '2-digit',
        second: '2-digit',
      }),
      clock: new Intl.DateTimeFormat(locale, { timeStyle: 'short' }),
      clockWithSeconds: new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }),
      decimalMark: decimal.formatToParts(1.5).find((part) => part.type === 'decimal')!.value,
    };
    known.set(locale, found);
  }
  return found;
}

export function integer(value: number): string {
  return formats().integer.format(value);
}

export function decimal(value: number): string {
  return formats().decimal.format(value);
}

/** A percentile, rounded down: somebody who does not beat all others must not read 100 %. */
export function percent(value: number): string {
  return `${formats().percent.format(Math.floor(value * 100) / 100)} %`;
}

/** One value of a score, exactly, with the reader's separators: "-1234.50" is "-1,234.50". */
export function scoreValue(text: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (parts === null) return text;
  const [, sign, whole, fraction] = parts;
  const { integer: format, decimalMark } = formats();
  return sign + format.format(BigInt(whole!)) + (fraction ? decimalMark + fraction : '');
}

/** The value as a scaled integer, for comparisons. */
export function scaled(text: string, decimals: number): bigint {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(whole! + fraction.padEnd(decimals, '0').slice(0, decimals));
}

/** A moment in the reader's zone. */
export function time(iso: string | number): string {
  return formats().time.format(new Date(iso));
}

/** The same without the date if it is today's, and without the year if it is this one. */
export function shortTime(iso: string): string {
  const date = new Date(iso);
  const today = new Date();
  const { clockWithSeconds, timeOfYear, time: whole } = formats();
  if (date.toDateString() === today.toDateString()) return clockWithSeconds.format(date);
  return (date.getFullYear() === today.getFullYear() ? timeOfYear : whole).format(date);
}

/** The time of day of a moment in the reader's zone, without or with seconds. */
export function clock(ms: number, seconds = false): string {
  return (seconds ? formats().clockWithSeconds : formats().clock).format(new Date(ms));
}

/** A moment in another zone, with the zone's name; empty if the browser does not know the zone. */
export function timeIn(iso: string | number, zone: string): string {
  try {
    const format = new Intl.DateTimeFormat(formats().time.resolvedOptions().locale, {
      dateStyle: 'medium',
      timeStyle: 'medium',
      timeZone: zone,
    });
    return `${format.format(new Date(iso))} ${zone}`;
  } catch {
    return '';
  }
}

/** A moment in the reader's zone, and in the board's beside it if that is another. */
export function timeInBoth(iso: string, zone: string): string {
  const zoned = zone === readersZone() ? '' : timeIn(iso, zone);
  return zoned === '' ? time(iso) : `${time(iso)} (${zoned})`;
}

/** The reader's zone: "Europe/Berlin". */
export function readersZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${formats().decimal.format(value)} ${units[unit]}`;
}

export function micros(us: number): string {
  if (us < 1000) return `${integer(us)} µs`;
  if (us < 1_000_000) return `${decimal(us / 1000)} ms`;
  return `${decimal(us / 1_000_000)} s`;
}

/** A length of time as a clock shows it: "2 d 03:04:05". */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const days = Math.floor(seconds / 86400);
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
  return (days > 0 ? `${integer(days)} d ` : '') + clock.map(two).join(':');
}

/** A length of time in its two largest units: "3 days 4 hr", "12 sec". */
export function duration(seconds: number): string {
  const units: [string, number][] = [
    ['day', 86400],
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ];
  const locale = formats().time.resolvedOptions().locale;
  const whole = Math.max(0, Math.floor(seconds));
  const largest = units.findIndex(([, size]) => whole >= size);
  const shown = largest < 0 ? units.slice(-1) : units.slice(largest, largest + 2);
  let rest = whole;
  const parts: string[] = [];
  for (const [unit, size] of shown) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' });
    if (count > 0 || whole === 0) parts.push(format.format(count));
  }
  return parts.join(' ');
}
