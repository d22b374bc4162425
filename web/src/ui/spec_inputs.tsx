// The inputs of a spec, shared by the forms of boards and templates.
import { useRef } from 'preact/hooks';
import { plainUnits, type Unit } from '../lib/duration';
import { readersZone, timeIn } from '../lib/format';
import { t, type Key } from '../lib/i18n';
import { hiddenFraction, momentOf, showsMoment } from '../lib/local_time';
import {
  fieldTypes,
  maxFields,
  newField,
  periodNames,
  type Draft,
  type DurationDraft,
  type FieldDraft,
} from '../lib/spec';
import { Group, Labelled, moved, OrderButtons, TextInput } from './form_parts';

/** What each part of the form gets. */
export interface SpecInputProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
}

// Fields -------------------------------------------------------------------------------------------

interface SelectProps {
  path: string;
  label: string;
  value: string;
  values: readonly string[];
  /** The texts of the values are under `text` + value. */
  text: string;
  onChoose: (value: string) => void;
}

function Select({ path, label, value, values, text, onChoose }: SelectProps) {
  return (
    <Labelled path={path} label={label}>
      {(input) => (
        <select {...input} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
          {values.map((choice) => (
            <option key={choice} value={choice}>
              {t((text + choice) as Key)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

interface FieldInputsProps {
  field: FieldDraft;
  index: number;
  count: number;
  withOperator: boolean;
  onChange: (changes: Partial<FieldDraft>) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
}

function FieldInputs(props: FieldInputsProps) {
  const { field, index, count, withOperator, onChange } = props;
  const path = `fields.${index}`;
  const n = index + 1;
  const what = field.name === '' ? t('form.fieldNumber', { n }) : field.name;
  return (
    <li class="field-row">
      {count > 1 && (
        <div class="field-row-head">
          <span class="help">{t(index === 0 ? 'form.fieldFirst' : 'form.fieldNext', { n })}</span>
          <OrderButtons
            index={index}
            count={count}
            what={what}
            onMove={props.onMove}
            onRemove={props.onRemove}
          />
        </div>
      )}
      <div class={withOperator ? 'field-inputs with-operator' : 'field-inputs'}>
        <Labelled path={`${path}.name`} label={t('form.fieldName')}>
          {(input) => (
            <TextInput {...input} value={field.name} onText={(name) => onChange({ name })} />
          )}
        </Labelled>
        <Select
          path={`${path}.type`}
          label={t('form.fieldType')}
          value={field.type}
          values={fieldTypes}
          text="type."
          onChoose={(type) => onChange({ type })}
        />
        <Select
          path={`${path}.direction`}
          label={t('form.fieldDirection')}
          value={field.direction}
          values={['desc', 'asc']}
          text="direction."
          onChoose={(direction) => onChange({ direction: direction as FieldDraft['direction'] })}
        />
        {withOperator && (
          <Select
            path={`${path}.operator`}
            label={t('form.fieldOperator')}
            value={field.operator}
            values={['set', 'sum', 'max', 'min']}
            text="operator."
            onChoose={(operator) => onChange({ operator: operator as FieldDraft['operator'] })}
          />
        )}
      </div>
    </li>
  );
}

/** A name that no field has yet. */
function freeName(fields: FieldDraft[]): string {
  const taken = new Set(fields.map(({ name }) => name));
  let number = fields.length + 1;
  while (taken.has(`field${number}`)) number += 1;
  return `field${number}`;
}

interface FieldsInputProps extends SpecInputProps {
  isAdoption: boolean;
}

export function FieldsInput({ draft, change, isAdoption }: FieldsInputProps) {
  const { fields } = draft;
  const group = useRef<HTMLUListElement>(null);
  const set = (index: number, changes: Partial<FieldDraft>) =>
    change({ fields: fields.map((field, i) => (i === index ? { ...field, ...changes } : field)) });
  /** Puts the focus into the name of a field, after the list is drawn. */
  const focusName = (index: number) =>
    requestAnimationFrame(() => {
      const name = group.current?.children[index]?.querySelector('input');
      name?.focus();
      name?.select();
    });
  const add = () => {
    change({ fields: [...fields, newField(freeName(fields))] });
    focusName(fields.length);
  };
  const remove = (index: number) => {
    change({ fields: fields.filter((_, i) => i !== index) });
    focusName(Math.max(0, index - 1));
  };
  return (
    <Group path="fields" label={t('form.fields')} help={t('form.fieldsHelp')}>
      <ul class="plain-list" ref={group}>
        {fields.map((field, index) => (
          <FieldInputs
            key={field.id}
            field={field}
            index={index}
            count={fields.length}
            withOperator={draft.rule === 'operators'}
            onChange={(changes) => set(index, changes)}
            onMove={(to) => change({ fields: moved(fields, index, to) })}
            onRemove={() => remove(index)}
          />
        ))}
      </ul>
      <div class="row">
        <button
          type="button"
          class="small"
          disabled={isAdoption || fields.length >= maxFields}
          onClick={add}
        >
          {t('form.addField')}
        </button>
        <span class="help">
          {isAdoption
            ? t('form.adoptOneField')
            : t('form.fieldCount', { count: fields.length, most: maxFields })}
        </span>
      </div>
    </Group>
  );
}

// Times and durations ------------------------------------------------------------------------------

/** A moment in the reader's zone, with the same moment in the board's. */
export function TimeInput({ draft, change, path }: SpecInputProps & { path: 'start' | 'end' }) {
  const value = draft[path];
  const original = draft.original?.[path] ?? null;
  const moment = momentOf(value, original);
  const zone = draft.periods.length > 0 && draft.tz.trim() !== '' ? draft.tz.trim() : 'UTC';
  const there = moment === null ? '' : timeIn(moment, zone);
  const here = moment === null ? '' : timeIn(moment, readersZone());
  const isElsewhere = there !== '' && there.replace(zone, '') !== here.replace(readersZone(), '');
  const fraction = showsMoment(value, original) ? hiddenFraction(original) : '';
  const help = (
    <>
      {t(`form.${path}Help`)}
      <span class="same-moment">{t('form.inYourZone', { zone: readersZone() })}</span>
      {isElsewhere && <span class="same-moment">{t('form.sameMoment', { time: there })}</span>}
      {fraction !== '' && <span class="same-moment">{t('form.fractionKept', { fraction })}</span>}
    </>
  );
  return (
    <Labelled path={path} label={t(`form.${path}`)} help={help}>
      {(input) => (
        <div class="row">
          <input
            {...input}
            type="datetime-local"
            step="1"
            min="1970-01-02T00:00"
            max="9999-12-30T00:00"
            value={value}
            onInput={(event) => change({ [path]: event.currentTarget.value })}
          />
          {value !== '' && (
            <button type="button" class="quiet small" onClick={() => change({ [path]: '' })}>
              {t('form.clear')}
              <span class="visually-hidden"> {t(`form.${path}`)}</span>
            </button>
          )}
        </div>
      )}
    </Labelled>
  );
}

interface DurationInputProps extends SpecInputProps {
  path: 'grace' | 'expire';
  reason?: string | false;
}

export function DurationInput({ draft, change, path, reason }: DurationInputProps) {
  const value = draft[path];
  const set = (changes: Partial<DurationDraft>) => change({ [path]: { ...value, ...changes } });
  const units = plainUnits.includes(value.unit) ? plainUnits : [value.unit, ...plainUnits];
  return (
    <Labelled path={path} label={t(`form.${path}`)} help={t(`form.${path}Help`)} reason={reason}>
      {(input) => (
        <div class="row">
          <TextInput
            {...input}
            class="short"
            inputMode="numeric"
            placeholder={t('form.none')}
            value={value.amount}
            onText={(amount) => set({ amount })}
          />
          <select
            aria-label={t('form.unit', { what: t(`form.${path}`) })}
            disabled={input.disabled}
            value={value.unit}
            onChange={(event) => set({ unit: event.currentTarget.value as Unit })}
          >
            {units.map((unit) => (
              <option key={unit} value={unit}>
                {t(`unit.${unit}` as Key)}
              </option>
            ))}
          </select>
        </div>
      )}
    </Labelled>
  );
}

// Numbers ------------------------------------------------------------------------------------------

interface CountInputProps extends SpecInputProps {
  path: 'cap' | 'keep' | 'dedup';
  reason?: string | false;
}

/** What an empty input means. */
const emptyCounts = { cap: null, keep: '1', dedup: '100000' };

export function CountInput({ draft, change, path, reason }: CountInputProps) {
  return (
    <Labelled path={path} label={t(`form.${path}`)} help={t(`form.${path}Help`)} reason={reason}>
      {(input) => (
        <TextInput
          {...input}
          class="short"
          inputMode="numeric"
          placeholder={emptyCounts[path] ?? t('form.noCap')}
          value={draft[path]}
          onText={(text) => change({ [path]: text })}
        />
      )}
    </Labelled>
  );
}

// Periods ------------------------------------------------------------------------------------------

interface PeriodInputProps extends SpecInputProps {
  /** Why the input cannot be used now. */
  reason?: string | false;
}

/** The chosen periods in their order, and buttons that add the others. */
export function PeriodsInput({ draft, change, reason }: PeriodInputProps) {
  const { periods } = draft;
  const others = useRef<HTMLDivElement>(null);
  const focusFirst = () =>
    requestAnimationFrame(() => others.current?.querySelector<HTMLElement>('button')?.focus());
  const remove = (period: string) => {
    change({ periods: periods.filter((other) => other !== period) });
    focusFirst();
  };
  const add = (period: string) => {
    change({ periods: [...periods, period] });
    focusFirst();
  };
  return (
    <Group
      path="periods"
      label={t('form.whichPeriods')}
      help={t('form.periodsHelp')}
      reason={reason}
    >
      {periods.length > 0 && (
        <ol class="plain-list chosen-periods">
          {periods.map((period, index) => (
            <li key={period} class="row">
              <span class="period-name">{t(`period.${period}` as Key)}</span>
              <OrderButtons
                index={index}
                count={periods.length}
                what={t(`period.${period}` as Key)}
                onMove={(to) => change({ periods: moved(periods, index, to) })}
                onRemove={() => remove(period)}
              />
              {index === 0 && <span class="help">{t('form.firstPeriod')}</span>}
            </li>
          ))}
        </ol>
      )}
      <div class="row" ref={others}>
        {periodNames
          .filter((period) => !periods.includes(period))
          .map((period) => (
            <button key={period} type="button" class="small" onClick={() => add(period)}>
              + {t(`period.${period}` as Key)}
            </button>
          ))}
      </div>
    </Group>
  );
}

function knownZones(): string[] {
  // Not in browsers from before 2022; any zone can be typed there too.
  return typeof Intl.supportedValuesOf === 'function' ? Intl.supportedValuesOf('timeZone') : [];
}

export function ZoneInput({ draft, change, reason }: PeriodInputProps) {
  const zone = readersZone();
  return (
    <Labelled path="tz" label={t('form.tz')} help={t('form.tzHelp')} reason={reason}>
      {(input) => (
        <div class="row">
          <TextInput
            {...input}
            list={`${input.id}-zones`}
            placeholder="UTC"
            value={draft.tz}
            onText={(tz) => change({ tz })}
          />
          <datalist id={`${input.id}-zones`}>
            {['UTC', ...knownZones()].map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          {!reason && draft.tz !== zone && (
            <button type="button" class="quiet small" onClick={() => change({ tz: zone })}>
              {t('form.useZone', { zone })}
            </button>
          )}
        </div>
      )}
    </Labelled>
  );
}

export function TurnInput({ draft, change, reason }: PeriodInputProps) {
  return (
    <Labelled path="turn" label={t('form.turn')} help={t('form.turnHelp')} reason={reason}>
      {(input) => (
        <input
          {...input}
          class="short"
          type="time"
          value={draft.turn}
          onInput={(event) => change({ turn: event.currentTarget.value })}
        />
      )}
    </Labelled>
  );
}
