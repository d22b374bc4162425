// How the scores are spread, with the selected player marked.
import { useEffect } from 'preact/hooks';
import { entryOf, memberResultOf, readTogether, resultOf } from '../../lib/api';
import { integer, scaled, scoreValue } from '../../lib/format';
import { t } from '../../lib/i18n';
import { useDebounced, useLoad } from '../../lib/load';
import type { Name } from '../../lib/name';
import type { LiveTop } from '../../lib/stream';
import type { BoardView } from './view';

const bucketCount = 40;
const width = 400;
const height = 110;

interface Bucket {
  from: string;
  to: string;
  count: number;
}

interface Spread {
  buckets: Bucket[];
  /** The player's value of field 1. */
  own: string | null;
}

async function readSpread(
  view: BoardView,
  member: Name | null,
  signal: AbortSignal,
): Promise<Spread> {
  const board = view.shown;
  const reads = [{ read: 'histogram', board, buckets: bucketCount }];
  const [spread, own] = await readTogether(
    member === null ? reads : [...reads, { read: 'entry', board, member }],
    signal,
  );
  const entry = own === undefined ? null : memberResultOf<object>(own);
  const found = entry === null ? null : entryOf(entry);
  return {
    buckets: resultOf<{ buckets: Bucket[] }>(spread).buckets,
    own: found === null || found.rank === null ? null : found.score![0]!,
  };
}

interface HistogramProps {
  view: BoardView;
  member: Name | null;
  pulse: LiveTop | undefined;
}

export function Histogram({ view, member, pulse }: HistogramProps) {
  const spread = useLoad(`${view.shown.key} ${member?.key ?? ''}`, (signal) =>
    readSpread(view, member, signal),
  );
  const refresh = useDebounced(spread.reload, 1500, 3000);
  useEffect(() => {
    if (spread.value !== undefined) refresh();
  }, [pulse]);
  const buckets = spread.value?.buckets ?? [];
  if (buckets.length === 0) return null;
  return (
    <section class="card" aria-labelledby="histogram-heading">
      <h2 id="histogram-heading">{t('histogram', { field: view.board.fields[0]!.name })}</h2>
      <Bars buckets={buckets} own={spread.value!.own} view={view} />
    </section>
  );
}

function Bars({ buckets, own, view }: { buckets: Bucket[]; own: string | null; view: BoardView }) {
  const decimals = Number(view.board.fields[0]!.type.replace(/\D/g, '')) || 0;
  const at = own === null ? -1 : bucketOf(buckets, own, decimals);
  const most = buckets.reduce((a, b) => (b.count > a.count ? b : a));
  const step = width / buckets.length;
  return (
    <figure class="histogram">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('histogramSummary', {
          count: integer(most.count),
          from: scoreValue(most.from),
          to: scoreValue(most.to),
        })}
      >
        {buckets.map((bucket, i) => {
          // A bucket that is not empty can be seen.
          const bar =
            bucket.count === 0 ? 0 : Math.max(2, (bucket.count / most.count) * (height - 4));
          return (
            <rect
              key={i}
              class={i === at ? 'bar own' : 'bar'}
              x={i * step + step * 0.08}
              y={height - bar}
              width={step * 0.84}
              height={bar}
            >
              <title>{`${scoreValue(bucket.from)} – ${scoreValue(bucket.to)}: ${integer(bucket.count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div class="histogram-axis">
        <span>{scoreValue(buckets[0]!.from)}</span>
        <span>{scoreValue(buckets.at(-1)!.to)}</span>
      </div>
      {own !== null && (
        <figcaption class="help own-note">
          {t('histogramOwn', { score: scoreValue(own) })}
        </figcaption>
      )}
    </figure>
  );
}

function bucketOf(buckets: Bucket[], own: string, decimals: number): number {
  const value = scaled(own, decimals);
  return buckets.findIndex(
    (bucket) => scaled(bucket.from, decimals) <= value && value < scaled(bucket.to, decimals),
  );
}
