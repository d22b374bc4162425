// A line chart over time, with its numbers as a table: a canvas says nothing to a screen reader.
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { clock } from '../lib/format';
import { language, t } from '../lib/i18n';
import type { Columns } from '../lib/samples';
import { theme } from '../lib/theme';
import { drawable, optionsOf } from './chart_options';
import './chart.css';

export interface Line {
  label: string;
  /** A bound that the others should stay below. The axis reaches it only when they come near. */
  isLimit?: boolean;
}

export type Unit = 'count' | 'rate' | 'percent' | 'bytes' | 'micros';

export interface ChartProps {
  title: string;
  help?: string;
  unit: Unit;
  format: Format;
  lines: Line[];
  /** The times in seconds, then the values of each line. */
  columns: Columns;
  /** The same with no more points than a drawing can show. */
  drawn: Columns;
  /** First and last moment of the axis, in seconds. */
  from: number;
  to: number;
}

/** The place of a value that has none: no sample, or no call in the interval. */
const nothing = '–';

export function Chart(props: ChartProps) {
  const { title, help, lines, columns, drawn } = props;
  const [hovered, setHovered] = useState<number | null>(null);
  const heading = useId();
  const hoveredAt = hovered === null ? undefined : drawn[0][hovered];
  const rows = lines.map((line, i) => {
    const row = rowOf(line, columns[i + 1]!, props.format);
    const value = hoveredAt === undefined ? undefined : drawn[i + 1]![hovered!];
    return { ...row, shown: hoveredAt === undefined ? row.now : textOf(value, props.format) };
  });
  return (
    <section class="card chart" aria-labelledby={heading}>
      <div class="chart-head">
        <h3 id={heading}>{title}</h3>
        <span class="chart-now">
          {rows.length > 1 && <span class="chart-now-label">{rows[0]!.label}</span>} {rows[0]!.now}
        </span>
      </div>
      {help !== undefined && <p class="help">{help}</p>}
      <Canvas {...props} label={summaryOf(title, rows)} onHover={setHovered} />
      <table class="chart-table">
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">{t('chart.line')}</span>
            </th>
            <th scope="col" class="number">
              {hoveredAt === undefined ? t('chart.now') : clock(hoveredAt * 1000, true)}
            </th>
            <th scope="col" class="number">
              {t('chart.least')}
            </th>
            <th scope="col" class="number">
              {t('chart.most')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={row.label}>
              <th scope="row">
                <span
                  class={`swatch swatch-${lines[i]!.isLimit ? 'limit' : i + 1}`}
                  aria-hidden="true"
                />
                {row.label}
              </th>
              <td class="number">{row.shown}</td>
              <td class="number">{row.least}</td>
              <td class="number">{row.most}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface Row {
  label: string;
  now: string;
  /** At the moment under the pointer; now, if there is none. */
  shown: string;
  least: string;
  most: string;
}

type Format = (value: number) => string;

function textOf(value: number | null | undefined, format: Format): string {
  return value === null || value === undefined ? nothing : format(value);
}

function rowOf(line: Line, values: (number | null)[], format: Format): Omit<Row, 'shown'> {
  const known = values.filter((value) => value !== null);
  return {
    label: line.label,
    now: textOf(values.at(-1), format),
    least: textOf(known.length === 0 ? null : Math.min(...known), format),
    most: textOf(known.length === 0 ? null : Math.max(...known), format),
  };
}

function summaryOf(title: string, rows: Row[]): string {
  const parts = rows.map((row) => t('chart.summary', { ...row }));
  return t('chart.label', { title, lines: parts.join(' ') });
}

interface CanvasProps extends ChartProps {
  label: string;
  onHover: (index: number | null) => void;
}

/** The drawing. A new theme, language or set of lines makes a new one; new data does not. */
function Canvas(props: CanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const kind = [theme.value, language.value, props.unit, ...props.lines.map((l) => l.label)].join();
  useEffect(() => {
    const element = box.current!;
    const made = new uPlot(
      optionsOf(element, () => latest.current),
      drawable(latest.current.drawn),
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width > 0 && height > 0) made.setSize({ width, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
      latest.current.onHover(null);
    };
  }, [kind]);
  useEffect(() => {
    plot.current?.setData(drawable(props.drawn));
  }, [props.drawn, props.from, props.to]);
  return <div ref={box} class="chart-canvas" role="img" aria-label={props.label} />;
}
