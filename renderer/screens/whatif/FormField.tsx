import { useState } from 'react'
import { type Edited, editManifest } from '../../../core/manifest/edit.ts'
import { fieldOf, getIn, sameJson, type FieldPath, type Json } from '../../../core/manifest/json.ts'
import type { LocatedFinding } from '../../../core/manifest/manifest.ts'
import { Check } from '../../components/Button.tsx'
import { SelectField, TextField, type FieldProps } from '../../components/Field.tsx'
import { shownValue, typedValue, type FieldSpec, type ScenarioText } from './scenarioForm.logic.ts'
import styles from './scenarioEditor.module.css'

/** A form on the text of a scenario. */
export interface ScenarioForm {
  readonly scenario: ScenarioText
  /** By the place that shows them. */
  readonly findings: ReadonlyMap<string, readonly LocatedFinding[]>
  /** Names that a field can select: all groups of clients, and those that send on demand. */
  readonly names: Readonly<Record<'group' | 'job', readonly string[]>>
  /** Applies a change; quick successive changes with the same `step` are undone together. */
  readonly onChange: (edited: Edited, step: string) => void
}

/** The text below a field's control: errors and warnings. */
export function notesAt({ findings }: ScenarioForm, path: FieldPath): Pick<FieldProps, 'hint' | 'error'> {
  const here = findings.get(fieldOf(path)) ?? []
  const worst = here.find(({ severity }) => severity === 'error') ?? here[0]
  if (worst === undefined) return {}
  return worst.severity === 'error' ? { error: worst.message } : { hint: worst.message }
}

/** Fields of the scenario, of the entry at `path`. */
export const FormFields = ({ specs, ...of }: { form: ScenarioForm; path: FieldPath; specs: readonly FieldSpec[] }) =>
  specs.map((spec) => <FormField key={spec.label} spec={spec} {...of} />)

function FormField({ form, path, spec }: { form: ScenarioForm; path: FieldPath; spec: FieldSpec }) {
  const { scenario, onChange } = form
  const { label, kind, usual } = spec
  const at = [...path, ...spec.path]
  const value = getIn(scenario.value ?? null, at)
  const set = (next: Json | undefined): void => onChange(editManifest(scenario.text, at, next), fieldOf(at))
  const notes = notesAt(form, at)
  if (kind === 'flag') {
    return (
      <div className={styles['flag']}>
        <Check label={label} checked={value === true} onChange={(checked) => set(checked ? true : undefined)} />
        <FieldNotes notes={notes} />
      </div>
    )
  }
  if (kind === 'group' || kind === 'job') {
    const shown = shownValue(value)
    const names = form.names[kind]
    const known = shown === '' || names.includes(shown) ? names : [shown, ...names]
    return (
      <SelectField
        label={label}
        value={shown}
        options={[...(usual === undefined && shown !== '' ? [] : [['', usual ?? 'choose'] as const]), ...known]}
        onChange={(next) => set(next === '' ? undefined : next)}
        {...notes}
      />
    )
  }
  return <TypedField spec={spec} value={value} notes={notes} onChange={set} />
}

/** Findings about parts without a field of their own. */
function FieldNotes({ notes: { hint, error } }: { readonly notes: Pick<FieldProps, 'hint' | 'error'> }) {
  const text = error ?? hint
  return text === undefined ? null : <span className={error === undefined ? 'warn' : 'bad'}>{text}</span>
}

/**
 * Text as it is typed: `0.` and `a,` are incomplete, and stay on screen while the text already contains their meaning
 * so far.
 */
function TypedField(props: {
  readonly spec: FieldSpec
  readonly value: Json | undefined
  readonly notes: Pick<FieldProps, 'hint' | 'error'>
  readonly onChange: (value: Json | undefined) => void
}) {
  const { spec, value, notes, onChange } = props
  const { label, kind, usual } = spec
  const [typed, setTyped] = useState<string>()
  const isHeld = typed !== undefined && sameJson(typedValue(spec, typed) ?? null, value ?? null)
  return (
    <TextField
      label={label}
      kind={kind === 'number' ? 'number' : 'code'}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      placeholder={usual}
      value={isHeld ? typed : shownValue(value)}
      onChange={(next) => {
        setTyped(next)
        onChange(typedValue(spec, next))
      }}
      onBlur={() => setTyped(undefined)}
      {...notes}
    />
  )
}

/** Errors and warnings about an entry as a whole. */
export function FindingLines({ findings }: { readonly findings: readonly LocatedFinding[] | undefined }) {
  if (findings === undefined || findings.length === 0) return null
  return (
    <ul className="stack gap-4 breaks leading-145">
      {findings.map(({ field, line, severity, message }) => (
        <li key={`${field} ${line} ${message}`} className={severity === 'error' ? 'bad' : 'warn'}>
          {`Line ${line}: ${message}`}
        </li>
      ))}
    </ul>
  )
}
