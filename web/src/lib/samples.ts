// The figures of one moment as numbers for charts, and the columns that a chart draws.
import { grown, percentiles, type Figures } from './figures';

const metrics = [
  'requests', // a second
  'errors',
  'cpu', // percent of one core
  'engine50', // µs
  'engine99',
  'engine999',
  'fsync50',
  'fsync99',
  'boards', // bytes
  'buffers',
  'resident',
  'limit',
  'log',
  'pending',
  'resp', // connections
  'http',
  'streams',
  'blocked',
] as const;

export type Metric = (typeof metrics)[number];
export type Values = Record<Metric, number | null>;

export interface Sample extends Values {
  /** When it was read, by the browser's clock, in milliseconds. */
  at: number;
  /** Nothing is known about the time before it. */
  isFirst: boolean;
}

/** An answer, and when it came. */
export interface Reading {
  at: number;
  figures: Figures;
}

/** How long a pause between two answers may be until the charts show a gap. */
export const gapMs = 16_000;

/** Whether rates between the two mean something: same process, and no long pause. */
function isContinued(before: Reading | null, now: Reading): before is Reading {
  return (
    before !== null &&
    before.figures.run_id === now.figures.run_id &&
    now.at > before.at &&
    now.at - before.at <= gapMs
  );
}

/** The server's clock is exact; the browser's has the delay of the network in it. */
function secondsBetween(before: Reading, now: Reading): number {
  const own = Date.parse(now.figures.time ?? '') - Date.parse(before.figures.time ?? '');
  return (own > 0 ? own : now.at - before.at) / 1000;
}

export function sampleOf(before: Reading | null, now: Reading): Sample {
  const { memory, connections, disk } = now.figures;
  const continued = isContinued(before, now);
  return {
    at: now.at,
    isFirst: !continued,
    ...(continued ? ratesOf(before, now) : noRates(now.figures)),
    boards: memory.boards_bytes,
    buffers: memory.buffers_bytes,
    resident: memory.resident_bytes,
    limit: memory.max_bytes > 0 ? memory.max_bytes : null,
    log: disk.durable ? disk.log.bytes : null,
    pending: disk.durable ? disk.log.pending_bytes : null,
    resp: connections.resp,
    http: connections.http,
    streams: connections.streams,
    blocked: connections.blocked,
  };
}

type Rates = Pick<
  Values,
  'requests' | 'errors' | 'cpu' | 'engine50' | 'engine99' | 'engine999' | 'fsync50' | 'fsync99'
>;

function ratesOf(before: Reading, now: Reading): Rates {
  const [old, figures] = [before.figures, now.figures];
  const seconds = secondsBetween(before, now);
  const rate = (from?: number, to?: number) => {
    const more = grown(from, to);
    return more === null ? null : more / seconds;
  };
  const cpu = rate(old.cpu_us, figures.cpu_us);
  const engine = percentiles(old.engine_times, figures.engine_times);
  const fsync = percentiles(old.fsync_times, figures.fsync_times);
  return {
    requests:
      figures.commands_total === undefined
        ? figures.requests_per_second
        : rate(old.commands_total, figures.commands_total),
    errors: rate(old.errors_total, figures.errors_total),
    cpu: cpu === null ? null : cpu / 10_000,
    engine50: engine.p50,
    engine99: engine.p99,
    engine999: engine.p999,
    fsync50: fsync.p50,
    fsync99: fsync.p99,
  };
}

/** The first answer of a server says nothing about an interval, but how fast it is now. */
function noRates(figures: Figures): Rates {
  return {
    requests: figures.requests_per_second,
    errors: null,
    cpu: null,
    engine50: null,
    engine99: null,
    engine999: null,
    fsync50: null,
    fsync99: null,
  };
}

/** The times in seconds, then a column for each metric. Null is a gap. */
export type Columns = [number[], ...(number | null)[][]];

/** Whether points that are drawn as one become their highest value or their mean. */
export type Merge = 'highest' | 'mean';

/**
 * One row for each `stepSeconds`: more rows than pixels are only noise. The highest of several
 * percentiles bounds them together. A row of nulls, which is a gap, stays.
 */
export function thinned([times, ...lines]: Columns, stepSeconds: number, merge: Merge): Columns {
  const groups: number[][] = [];
  const isGap = (row: number) => lines.every((values) => values[row] === null);
  const groupOf = (row: number) => Math.floor(times[row]! / stepSeconds);
  for (let row = 0; row < times.length; row++) {
    const begins = row === 0 || isGap(row) || isGap(row - 1) || groupOf(row) !== groupOf(row - 1);
    if (begins) groups.push([]);
    groups.at(-1)!.push(row);
  }
  const merged = (values: (number | null)[]) =>
    groups.map((rows) =>
      mergedValue(
        rows.map((row) => values[row]!),
        merge,
      ),
    );
  return [groups.map((rows) => times[rows.at(-1)!]!), ...lines.map(merged)];
}

function mergedValue(values: (number | null)[], merge: Merge): number | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  if (merge === 'highest') return Math.max(...known);
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** The samples from `fromMs` on. A row of nulls keeps a chart from drawing over a gap. */
export function columnsOf(samples: readonly Sample[], wanted: Metric[], fromMs: number): Columns {
  const times: number[] = [];
  const columns: (number | null)[][] = wanted.map(() => []);
  for (const sample of samples) {
    if (sample.at < fromMs) continue;
    if (sample.isFirst && times.length > 0) {
      times.push(sample.at / 1000 - 0.001);
      for (const column of columns) column.push(null);
    }
    times.push(sample.at / 1000);
    for (const [i, metric] of wanted.entries()) columns[i]!.push(sample[metric]);
  }
  return [times, ...columns];
}
