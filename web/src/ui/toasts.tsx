// Short messages after an action, with a way to undo it.
import { signal } from '@preact/signals';
import { t } from '../lib/i18n';
import { messageOf } from './states';

interface Toast {
  id: number;
  text: string;
  isError: boolean;
  undo?: () => Promise<string>;
}

const shownMs = 8_000;
const undoMs = 60_000;
const toasts = signal<Toast[]>([]);
let lastId = 0;

function show(toast: Omit<Toast, 'id'>): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-3), { ...toast, id }];
  setTimeout(() => dismiss(id), toast.undo === undefined ? shownMs : undoMs);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Says that something is done. `undo` returns what to say when it is undone. */
export function notify(text: string, undo?: () => Promise<string>): void {
  show({ text, isError: false, undo });
}

export function notifyError(error: unknown): void {
  show({ text: messageOf(error), isError: true });
}

async function undoIt(toast: Toast): Promise<void> {
  dismiss(toast.id);
  try {
    notify(await toast.undo!());
  } catch (error) {
    notifyError(error);
  }
}

/** Shows the messages; once in the page. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={toast.isError ? 'toast bad' : 'toast'}>
          <span class="toast-text">{toast.text}</span>
          {toast.undo !== undefined && (
            <button class="quiet" onClick={() => void undoIt(toast)}>
              {t('undo')}
            </button>
          )}
          <button class="quiet icon" aria-label={t('dismiss')} onClick={() => dismiss(toast.id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
