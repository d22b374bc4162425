// Dialogs, and the questions before an action.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Lost } from '../lib/api';
import { t } from '../lib/i18n';
import { messageOf } from './states';
import { notify } from './toasts';
import { CodeLine } from './code';

interface DialogProps {
  title: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
}

/** A modal dialog. The browser keeps the focus inside and gives it back. */
export function Dialog({ title, onClose, children, wide }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-body">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/** What to say when an action is done, and how to undo it. */
export interface Outcome {
  done: string;
  /** Returns what to say when it is undone. */
  undo?: () => Promise<string>;
}

interface ActionProps {
  title: ComponentChildren;
  /** The command that it stands for. */
  command: string;
  /** The text of the button. */
  confirm: string;
  danger?: boolean;
  /** What must be typed first: the name of the board. */
  typed?: string;
  run: () => Promise<Outcome>;
}

interface ActionDialogProps extends ActionProps {
  /** What will happen, and the inputs that it needs. */
  children: ComponentChildren;
  isReady?: boolean;
  /** It has no inputs: the focus is on the button that does the least harm. */
  isQuestion?: boolean;
  onClose: () => void;
}

/** A dialog that carries an action out. It stays open, with all inputs, if that fails. */
export function ActionDialog({
  title,
  children,
  isReady = true,
  isQuestion,
  onClose,
  ...action
}: ActionDialogProps) {
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const input = useId();
  const first = !isQuestion
    ? 'none'
    : action.typed !== undefined
      ? 'typed'
      : action.danger
        ? 'cancel'
        : 'confirm';
  const close = () => {
    if (!busy) onClose();
  };
  const run = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { done, undo } = await action.run();
      onClose();
      notify(done, undo);
    } catch (failure) {
      setBusy(false);
      setError(failure);
    }
  };
  return (
    <Dialog title={title} onClose={close}>
      <form onSubmit={run}>
        <div class="prose">{children}</div>
        <CodeLine label={t('command')} text={action.command} />
        {action.typed !== undefined && (
          <label class="field" for={input}>
            <span>{t('typeName', { name: action.typed })}</span>
            <input
              id={input}
              value={typed}
              autofocus={first === 'typed'}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
        )}
        {error !== undefined && (
          <p class="error" role="alert">
            {error instanceof Lost ? t('unknownOutcome') : messageOf(error)}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" autofocus={first === 'cancel'} onClick={close} disabled={busy}>
            {t('cancel')}
          </button>
          <button
            type="submit"
            autofocus={first === 'confirm'}
            class={action.danger ? 'danger' : 'primary'}
            disabled={busy || !isReady || (action.typed !== undefined && typed !== action.typed)}
          >
            {busy ? t('working') : action.confirm}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** An action that wants nothing but a confirmation. */
export interface Action extends ActionProps {
  /** What will happen, and whether it can be undone. */
  text: ComponentChildren;
}

const asked = signal<Action | null>(null);

/** Asks the user, and carries the action out. */
export function ask(action: Action): void {
  asked.value = action;
}

/** Shows the question that is asked; once in the page. */
export function Questions() {
  const action = asked.value;
  if (action === null) return null;
  const { text, ...rest } = action;
  return (
    <ActionDialog {...rest} isQuestion onClose={() => (asked.value = null)}>
      {text}
    </ActionDialog>
  );
}
