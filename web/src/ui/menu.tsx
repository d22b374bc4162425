// A button that opens a list of actions.
import { useEffect, useId, useRef, useState } from 'preact/hooks';

export interface MenuItem {
  text: string;
  run: () => void;
  danger?: boolean;
}

interface MenuProps {
  label: string;
  title?: string;
  items: MenuItem[];
}

/** Arrow keys, Home, End and Escape work as in a menu of the system. */
export function Menu({ label, title, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const first = useRef<'top' | 'bottom'>('top'); // the item that gets the focus
  const id = useId();
  const close = (focus: boolean) => {
    setOpen(false);
    if (focus) box.current?.querySelector('button')?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const buttons = Array.from(list.current?.querySelectorAll('button') ?? []);
    buttons.at(first.current === 'top' ? 0 : -1)?.focus();
    first.current = 'top';
    const outside = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) close(false);
    };
    document.addEventListener('mousedown', outside);
    return () => document.removeEventListener('mousedown', outside);
  }, [isOpen]);
  const openByKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    first.current = event.key === 'ArrowDown' ? 'top' : 'bottom';
    setOpen(true);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || event.key === 'Tab') return close(event.key === 'Escape');
    const buttons = Array.from(list.current?.querySelectorAll('button') ?? []);
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[
      event.key
    ];
    if (next === undefined) return;
    event.preventDefault();
    buttons[(next + buttons.length) % buttons.length]?.focus();
  };
  return (
    <div class="menu" ref={box}>
      <button
        class="small"
        title={title}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={openByKey}
      >
        {label} <span aria-hidden="true">▾</span>
      </button>
      {isOpen && (
        <ul
          class="menu-list"
          id={id}
          role="menu"
          aria-label={title ?? label}
          ref={list}
          onKeyDown={onKey}
        >
          {items.map((item) => (
            <li key={item.text} role="none">
              <button
                role="menuitem"
                class={item.danger ? 'menu-item bad' : 'menu-item'}
                onClick={() => {
                  close(true);
                  item.run();
                }}
              >
                {item.text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
