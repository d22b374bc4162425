// A long list of rows of equal height, of which only those in sight are in the page. It scrolls with
// the window.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualRowsProps {
  count: number;
  rowHeight: number;
  row: (index: number) => ComponentChildren;
  /** Called when the end of the list comes into sight. */
  onEnd: () => void;
}

const rowsAround = 12;

export function VirtualRows({ count, rowHeight, row, onEnd }: VirtualRowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ first: 0, last: 60 });
  const measure = () => {
    const top = -box.current!.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(top / rowHeight) - rowsAround);
    const last = Math.ceil((top + window.innerHeight) / rowHeight) + rowsAround;
    setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
  };
  useEffect(() => {
    window.addEventListener('scroll', measure, { passive: true });
    window.addEventListener('resize', measure);
    return () => {
      window.removeEventListener('scroll', measure);
      window.removeEventListener('resize', measure);
    };
  }, []);
  useLayoutEffect(measure, [count]);
  const last = Math.min(range.last, count);
  const atEnd = range.last + rowsAround >= count;
  useEffect(() => {
    if (atEnd) onEnd();
  }, [atEnd, count, range.last]);
  const rows: ComponentChildren[] = [];
  for (let i = Math.min(range.first, last); i < last; i++) {
    rows.push(
      <div
        key={i}
        class="virtual-row"
        role="row"
        aria-rowindex={i + 2}
        style={{ top: i * rowHeight, height: rowHeight }}
      >
        {row(i)}
      </div>,
    );
  }
  return (
    <div ref={box} class="virtual" role="rowgroup" style={{ height: count * rowHeight }}>
      {rows}
    </div>
  );
}
