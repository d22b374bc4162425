// Parts of forms: inputs with their label, explanation and error.
import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useContext, useId, useState } from 'preact/hooks';
import { t } from '../lib/i18n';

/** The error of an input by its path: "fields.0.name". Undefined if there is none. */
export type ErrorOf = (path: string) => ComponentChildren;
export const Errors = createContext<ErrorOf>(() => undefined);

function ErrorText({ id, children }: { id: string; children: ComponentChildren }) {
  return (
    <span id={id} class="error field-error">
      {children}
    </span>
  );
}

/** What an input must have. */
export interface InputProps {
  id: string;
  'data-path': string;
  'aria-describedby'?: string;
  'aria-invalid'?: 'true';
  disabled?: boolean;
}

interface LabelledProps {
  path: string;
  label: string;
  help?: ComponentChildren;
  /** Why the input cannot be used now. */
  reason?: string | false;
  children: (input: InputProps) => ComponentChildren;
}

/** A label above an input, with the explanation and the error below. */
export function Labelled({ path, label, help, reason, children }: LabelledProps) {
  const id = useId();
  const error = useContext(Errors)(path);
  const notes = [help && `${id}-help`, reason && `${id}-reason`, error && `${id}-error`];
  const input: InputProps = {
    id,
    'data-path': path,
    'aria-describedby': notes.filter(Boolean).join(' ') || undefined,
    'aria-invalid': error ? 'true' : undefined,
    disabled: Boolean(reason),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(input)}
      {error && <ErrorText id={`${id}-error`}>{error}</ErrorText>}
      {reason && (
        <span id={`${id}-reason`} class="help reason">
          {reason}
        </span>
      )}
      {help && (
        <span id={`${id}-help`} class="help">
          {help}
        </span>
      )}
    </div>
  );
}

type TextInputProps = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'value' | 'onInput'> & {
  value: string;
  onText: (text: string) => void;
};

/** An input of names and numbers: nothing is completed or corrected. */
export function TextInput({ onText, ...rest }: TextInputProps) {
  return (
    <input
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      onInput={(event) => onText(event.currentTarget.value)}
      {...rest}
    />
  );
}

interface GroupProps {
  path: string;
  label: string;
  help?: ComponentChildren;
  reason?: string | false;
  children: ComponentChildren;
  class?: string;
}

/** Several inputs under one heading. A reason disables them all. */
export function Group({ path, label, help, reason, children, class: kind = '' }: GroupProps) {
  const id = useId();
  const error = useContext(Errors)(path);
  return (
    <fieldset
      class={`group ${kind}`}
      data-path={path}
      data-invalid={error ? '' : undefined}
      disabled={Boolean(reason)}
      aria-describedby={error ? `${id}-error` : undefined}
    >
      <legend>{label}</legend>
      {help && <p class="help">{help}</p>}
      {reason && <p class="help reason">{reason}</p>}
      {error && <ErrorText id={`${id}-error`}>{error}</ErrorText>}
      {children}
    </fieldset>
  );
}

export interface Choice<T> {
  value: T;
  label: string;
  help: string;
  /** Why it cannot be chosen now. */
  reason?: string | false;
}

interface ChoicesProps<T> {
  path: string;
  label: string;
  help?: ComponentChildren;
  value: T;
  choices: Choice<T>[];
  onChoose: (value: T) => void;
}

/** One of a few choices, each with its explanation. */
export function Choices<T extends string>({ choices, value, onChoose, ...group }: ChoicesProps<T>) {
  const id = useId();
  return (
    <Group {...group} class="choices">
      {choices.map((choice) => (
        <div key={choice.value} class={choice.reason ? 'choice off' : 'choice'}>
          <input
            type="radio"
            id={`${id}-${choice.value}`}
            name={id}
            checked={choice.value === value}
            disabled={Boolean(choice.reason)}
            aria-describedby={`${id}-${choice.value}-help`}
            onChange={() => onChoose(choice.value)}
          />
          <label for={`${id}-${choice.value}`}>{choice.label}</label>
          <span id={`${id}-${choice.value}-help`} class="help">
            {choice.help}
            {choice.reason && <span class="reason"> {choice.reason}</span>}
          </span>
        </div>
      ))}
    </Group>
  );
}

interface SectionProps {
  title: string;
  /** What it is about, in a few words. */
  hint: string;
  startsOpen: boolean;
  children: ComponentChildren;
}

/** A part of the form that most boards do not need. */
export function Section({ title, hint, startsOpen, children }: SectionProps) {
  // Only the first value counts: from then on the reader opens and closes it.
  const [open] = useState(startsOpen);
  return (
    <details class="card section" open={open}>
      <summary>
        <h2>{title}</h2>
        <span class="help">{hint}</span>
      </summary>
      {children}
    </details>
  );
}

interface OrderButtonsProps {
  index: number;
  count: number;
  /** What is moved, for screen readers. */
  what: string;
  onMove: (to: number) => void;
  onRemove?: () => void;
}

/** Moves a line of a list up or down, or removes it. The focus goes with it. */
export function OrderButtons({ index, count, what, onMove, onRemove }: OrderButtonsProps) {
  const move = (button: HTMLButtonElement, to: number) => {
    const buttons = button.parentElement!;
    onMove(to);
    // Moving the elements takes the focus away, and at the end of the list a button is disabled.
    requestAnimationFrame(() => {
      const next = button.disabled ? buttons.querySelector<HTMLElement>('button:enabled') : button;
      next?.focus();
    });
  };
  return (
    <span class="order-buttons">
      {count > 1 && (
        <>
          <button
            type="button"
            class="small icon"
            disabled={index === 0}
            aria-label={t('form.moveUp', { what })}
            title={t('form.moveUp', { what })}
            onClick={(event) => move(event.currentTarget, index - 1)}
          >
            ↑
          </button>
          <button
            type="button"
            class="small icon"
            disabled={index === count - 1}
            aria-label={t('form.moveDown', { what })}
            title={t('form.moveDown', { what })}
            onClick={(event) => move(event.currentTarget, index + 1)}
          >
            ↓
          </button>
        </>
      )}
      {onRemove && (
        <button
          type="button"
          class="small icon"
          aria-label={t('form.remove', { what })}
          title={t('form.remove', { what })}
          onClick={onRemove}
        >
          ×
        </button>
      )}
    </span>
  );
}

/** The list with one element at another place. */
export function moved<T>(list: T[], from: number, to: number): T[] {
  const out = list.slice();
  out.splice(to, 0, ...out.splice(from, 1));
  return out;
}
