// How uPlot draws a chart of the page: colours of the theme, axes with units, gaps as gaps.
import type uPlot from 'uplot';
import { clock } from '../lib/format';
import type { Columns } from '../lib/samples';
import type { ChartProps, Unit } from './chart';

const font = '12px system-ui, sans-serif';
/** Patterns beside colours: lines that lie on each other, and readers who see few colours. */
const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
/** A time beyond all bounds is drawn above the last one, 10 s. */
const beyondMicros = 20_000_000;

type Props = ChartProps & { onHover: (index: number | null) => void };

/** `props` returns the newest ones: data and range change while a plot stays. */
export function optionsOf(element: HTMLElement, props: () => Props): uPlot.Options {
  const colour = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
  const { unit, lines } = props();
  const isLog = unit === 'micros';
  const text = colour('--muted');
  const grid = { stroke: colour('--line'), width: 1 };
  return {
    width: Math.max(element.clientWidth, 120),
    height: Math.max(element.clientHeight, 100),
    padding: [10, 14, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      sync: { key: 'laurel', setSeries: false },
      points: { size: 7 },
    },
    hooks: { setCursor: [(plot) => props().onHover(plot.cursor.idx ?? null)] },
    scales: {
      x: { time: true, range: () => [props().from, props().to] },
      y: isLog
        ? { distr: 3, log: 10, range: (_, min, max) => logRange(min, max) }
        : { range: () => [0, topOf(props())] },
    },
    series: [
      {},
      ...lines.map((line, i) => ({
        label: line.label,
        stroke: colour(line.isLimit ? '--line-strong' : `--chart-${i + 1}`),
        width: line.isLimit ? 1 : 1.75,
        dash: dashes[line.isLimit ? 1 : i],
        points: { show: false, size: 4, filter: loneValues },
        ...(i === 0 && !isLog ? { fill: colour('--chart-fill') } : {}),
      })),
    ],
    axes: [
      {
        stroke: text,
        font,
        grid,
        ticks: { show: false },
        size: 26,
        gap: 6,
        space: 76,
        incrs: [60, 120, 300, 900, 1800],
        values: (_, splits) => splits.map((second) => clock(second * 1000)),
      },
      {
        stroke: text,
        font,
        grid,
        ticks: { show: false },
        gap: 6,
        space: 32,
        size: (_, values) => 14 + 6.6 * Math.max(3, ...(values ?? []).map((value) => value.length)),
        values: (_, splits) => splits.map((value) => props().format(value)),
        ...(isLog ? decadeAxis : { incrs: stepsOf(unit) }),
      },
    ],
  };
}

export function drawable([times, ...lines]: Columns): uPlot.AlignedData {
  const drawn = lines.map((values) => values.map((v) => (v === Infinity ? beyondMicros : v)));
  return [times, ...drawn];
}

/** Values between gaps are no line, so they are drawn as points. */
function loneValues(plot: uPlot, series: number): number[] | null {
  const values = plot.data[series]! as (number | null)[];
  const isValue = (i: number) => values[i] !== null && values[i] !== undefined;
  const found: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (isValue(i) && !isValue(i - 1) && !isValue(i + 1)) found.push(i);
  }
  return found;
}

/** The top of a linear axis, a little above the highest value. */
function topOf({ lines, columns, unit }: ChartProps): number {
  let highest = 0;
  let limit = 0;
  for (const [i, line] of lines.entries()) {
    for (const value of columns[i + 1]!) {
      if (line.isLimit) limit = Math.max(limit, value ?? 0);
      else highest = Math.max(highest, value ?? 0);
    }
  }
  if (limit > 0 && highest > limit / 4) highest = Math.max(highest, limit);
  const least: Record<Unit, number> = { count: 4, rate: 1, percent: 5, bytes: 4096, micros: 1 };
  return Math.max(highest * 1.12, least[unit]);
}

/** Whole decades around the values, at least two. */
function logRange(min: number, max: number): [number, number] {
  if (!(min > 0) || !(max > 0)) return [1, 1000];
  const low = Math.max(0, Math.floor(Math.log10(min) + 1e-9));
  const high = Math.ceil(Math.log10(Math.min(max, beyondMicros)) - 1e-9);
  return [10 ** low, 10 ** Math.max(high, low + 2)];
}

const decadeAxis: uPlot.Axis = {
  splits: (_, __, min, max) => decades(min, max),
  // uPlot would leave out labels that it takes for steps between decades.
  filter: (_, splits) => splits,
};

function decades(min: number, max: number): number[] {
  const all: number[] = [];
  for (let value = min; value <= max * 1.001; value *= 10) all.push(value);
  return all;
}

/** The steps that an axis may have: numbers that are round in its unit. */
function stepsOf(unit: Unit): number[] {
  if (unit === 'bytes') return Array.from({ length: 50 }, (_, power) => 2 ** power);
  const steps: number[] = [];
  for (let power = unit === 'count' ? 0 : -1; power < 12; power++) {
    steps.push(10 ** power, 2 * 10 ** power, 5 * 10 ** power);
  }
  return steps;
}
