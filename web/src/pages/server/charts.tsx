// The charts of the server's page.
import { computed } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import type { Figures } from '../../lib/figures';
import { bytes, decimal, integer, micros } from '../../lib/format';
import { everyMs, hourMs, samples } from '../../lib/history';
import { t, type Key } from '../../lib/i18n';
import { useInterval } from '../../lib/load';
import { addressOf, route } from '../../lib/router';
import { columnsOf, thinned, type Metric, type Sample } from '../../lib/samples';
import { Chart, type Unit } from '../../ui/chart';

/** Name, length, and the seconds that a point of a chart stands for. */
const ranges = [
  ['5m', 300_000, 5],
  ['15m', 900_000, 5],
  ['1h', hourMs, 20],
] as const;

type Range = (typeof ranges)[number];

const chosenRange = computed(() => route.value.query.get('range'));

/** The range of the address, or else the shortest that has all samples: no chart begins empty. */
function shownRange(all: readonly Sample[], nowMs: number): Range {
  const chosen = ranges.find(([name]) => name === chosenRange.value);
  const ageMs = all.length === 0 ? 0 : nowMs - all[0]!.at;
  return chosen ?? ranges.find(([, lengthMs]) => ageMs <= lengthMs) ?? ranges[2];
}

interface Definition {
  title: Key;
  help?: Key;
  unit: Unit;
  lines: LineDefinition[];
}

type LineDefinition = [Metric, Key];

function lineIf(isKnown: boolean, line: LineDefinition): LineDefinition[] {
  return isKnown ? [line] : [];
}

/** The charts that this server has figures for. */
function definitionsOf(figures: Figures): Definition[] {
  const { engine_times: engine, disk, memory } = figures;
  const timesHelp: Key = engine.buckets === undefined ? 'server.atMostSinceStart' : 'server.atMost';
  const all: (Definition | false)[] = [
    {
      title: 'server.requests',
      unit: 'rate',
      lines: [
        ['requests', 'server.requests.all'],
        ...lineIf(figures.errors_total !== undefined, ['errors', 'server.requests.errors']),
      ],
    },
    {
      title: 'server.commandTimes',
      help: timesHelp,
      unit: 'micros',
      lines: [
        ['engine50', 'server.p50'],
        ['engine99', 'server.p99'],
        ['engine999', 'server.p999'],
      ],
    },
    disk.durable && {
      title: 'server.fsyncTimes',
      help: timesHelp,
      unit: 'micros',
      lines: [
        ['fsync50', 'server.p50'],
        ['fsync99', 'server.p99'],
      ],
    },
    {
      title: 'server.memory',
      help: memory.max_bytes > 0 ? 'server.memory.limitHelp' : undefined,
      unit: 'bytes',
      lines: [
        ['resident', 'server.memory.resident'],
        ['boards', 'server.memory.boards'],
        ['buffers', 'server.memory.buffers'],
        ...lineIf(memory.max_bytes > 0, ['limit', 'server.memory.limit']),
      ],
    },
    {
      title: 'server.connections',
      unit: 'count',
      lines: [
        ['resp', 'server.connections.resp'],
        ['http', 'server.connections.http'],
        ['streams', 'server.connections.streams'],
        ['blocked', 'server.connections.blocked'],
      ],
    },
    figures.cpu_us !== undefined && {
      title: 'server.cpu',
      unit: 'percent',
      lines: [['cpu', 'server.cpu.core']],
    },
    disk.durable && {
      title: 'server.logChart',
      unit: 'bytes',
      lines: [['log', 'server.logChart.bytes']],
    },
    disk.durable && {
      title: 'server.pendingChart',
      unit: 'bytes',
      lines: [['pending', 'server.pendingChart.bytes']],
    },
  ];
  return all.filter((definition) => definition !== false);
}

const formats: Record<Unit, (value: number) => string> = {
  rate: (value) => t('server.perSecond', { n: value < 100 ? decimal(value) : integer(value) }),
  count: integer,
  percent: (value) => `${decimal(value)} %`,
  bytes,
  micros: (value) => (value === Infinity ? t('server.beyond') : micros(value)),
};

export function ServerCharts({ figures }: { figures: Figures }) {
  const all = samples.value;
  // The axis goes on while no samples come, so that a lost server is seen as a gap.
  const [, setTick] = useState(0);
  useInterval(everyMs, () => setTick((tick) => tick + 1));
  const nowMs = Math.max(Date.now(), all.at(-1)?.at ?? 0);
  const range = shownRange(all, nowMs);
  return (
    <section class="server-charts-section" aria-labelledby="server-charts">
      <div class="server-head">
        <h2 id="server-charts">{t('server.charts')}</h2>
        <RangeSwitch range={range} />
      </div>
      <p class="help">{t('server.collected')}</p>
      <div class="server-charts">
        {definitionsOf(figures).map((definition) => (
          <MetricChart
            key={definition.title}
            definition={definition}
            all={all}
            range={range}
            nowMs={nowMs}
          />
        ))}
      </div>
    </section>
  );
}

function RangeSwitch({ range }: { range: Range }) {
  return (
    <nav class="segments" aria-label={t('server.range')}>
      {ranges.map(([name]) => (
        <a
          key={name}
          href={addressOf(['server'], { range: name })}
          aria-current={name === range[0] ? 'true' : undefined}
        >
          {t(`server.range.${name}`)}
        </a>
      ))}
    </nav>
  );
}

interface MetricChartProps {
  definition: Definition;
  all: readonly Sample[];
  range: Range;
  nowMs: number;
}

function MetricChart({ definition, all, range, nowMs }: MetricChartProps) {
  const { title, help, unit, lines } = definition;
  const metrics = lines.map(([metric]) => metric);
  const [, lengthMs, stepSeconds] = range;
  const fromMs = nowMs - lengthMs;
  const columns = useMemo(() => columnsOf(all, metrics, fromMs), [all, fromMs, metrics.join()]);
  const drawn = useMemo(() => {
    const merge = unit === 'rate' || unit === 'percent' ? 'mean' : 'highest';
    return stepSeconds * 1000 <= everyMs ? columns : thinned(columns, stepSeconds, merge);
  }, [columns, stepSeconds]);
  return (
    <Chart
      title={t(title)}
      help={help && t(help)}
      unit={unit}
      format={formats[unit]}
      lines={lines.map(([metric, label]) => ({
        label: t(label),
        isLimit: metric === 'limit',
      }))}
      columns={columns}
      drawn={drawn}
      from={fromMs / 1000}
      to={nowMs / 1000}
    />
  );
}
