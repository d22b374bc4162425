// The figures of the server, and what two states of them say about the time between.

/** Times of many calls. Counts are since the start of the server. */
export interface Times {
  count: number;
  p50_us: number;
  p99_us: number;
  p999_us: number;
  /** Upper bounds of the buckets. Older servers send no buckets. */
  bounds_us?: number[];
  /** How many calls each bucket has; the last one has those beyond the bounds. */
  buckets?: number[];
}

/** What GET v1/server answers. */
export interface Figures {
  version: string;
  run_id: string;
  state: 'serving' | 'loading' | 'stopping';
  time?: string;
  /** How far stamps are ahead of the system clock. */
  stamp_lead_us?: number;
  uptime_seconds: number;
  requests_per_second: number;
  commands_total?: number;
  errors_total?: number;
  cpu_us?: number;
  connections: { resp: number; http: number; streams: number; blocked: number };
  // `boards` is missing if the token opens some boards only and there are too many to count.
  boards: { boards?: number; entries: number; request_ids: number; live_readers: number };
  memory: {
    boards_bytes: number;
    buffers_bytes: number;
    used_bytes: number;
    resident_bytes: number;
    /** 0: there is no limit. */
    max_bytes: number;
  };
  disk: {
    durable: boolean;
    fsync: string | null;
    writes: boolean;
    /** Why writes are refused. */
    trouble?: string | null;
    log: {
      bytes: number;
      segments: number;
      pending_bytes: number;
      records: number;
      durable_records: number;
    };
    snapshot: {
      count: number;
      running: number;
      failed: number;
      bytes: number;
      taken_unix_us: number;
      took_us: number;
    };
  };
  engine_times: Times;
  fsync_times: Times;
}

/** Null if a counter is not known, or went back: CONFIG RESETSTAT sets counters to 0. */
export function grown(before: number | undefined, after: number | undefined): number | null {
  if (before === undefined || after === undefined || after < before) return null;
  return after - before;
}

/** The calls of each bucket between two states. */
export function grownBuckets(before?: number[], after?: number[]): number[] | null {
  if (before === undefined || after === undefined || before.length !== after.length) return null;
  const counts = after.map((count, bucket) => count - before[bucket]!);
  return counts.some((count) => count < 0) ? null : counts;
}

/**
 * A time that `permille` thousandths of the calls did not exceed: the bound of a bucket, or Infinity
 * beyond the bounds. Null if there were no calls.
 */
export function boundAt(bounds: number[], counts: number[], permille: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let sum = 0;
  for (const [bucket, bound] of bounds.entries()) {
    sum += counts[bucket]!;
    if (sum * 1000 >= all * permille) return bound;
  }
  return Infinity;
}

export interface Percentiles {
  p50: number | null;
  p99: number | null;
  p999: number | null;
}

const none: Percentiles = { p50: null, p99: null, p999: null };

/** Of the calls between two states; of all calls since the start if there are no buckets. */
export function percentiles(before: Times, after: Times): Percentiles {
  const bounds = after.bounds_us;
  if (bounds === undefined) return percentilesSinceStart(after);
  const counts = grownBuckets(before.buckets, after.buckets);
  if (counts === null) return none;
  const at = (permille: number) => boundAt(bounds, counts, permille);
  return { p50: at(500), p99: at(990), p999: at(999) };
}

function percentilesSinceStart(times: Times): Percentiles {
  if (times.count === 0) return none;
  // The server sends the largest integer for a time beyond its buckets.
  const known = (us: number) => (us > Number.MAX_SAFE_INTEGER ? Infinity : us);
  return { p50: known(times.p50_us), p99: known(times.p99_us), p999: known(times.p999_us) };
}
