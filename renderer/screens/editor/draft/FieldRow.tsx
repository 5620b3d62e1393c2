import { useId, type KeyboardEvent, type ReactNode, type ButtonHTMLAttributes } from 'react'
import type { LocatedFinding } from '../../../../core/manifest/manifest.ts'
import type { TermId } from '../../../../core/glossary/glossary.ts'
import { inputClass, monoInputClass, Select } from '../../../components/Field.tsx'
import { Term } from '../../../components/Term.tsx'
import { classes } from '../../../components/classes.ts'
import { Icon, type IconName } from '../../../components/Icon.tsx'
import styles from './object.module.css'

interface RowProps {
  readonly label: string
  /** The term behind the label, explained on focus. */
  readonly term?: TermId
  /** The meaning of the value, in a few words. */
  readonly consequence?: ReactNode
  /** Errors and warnings about it; shown in place of the consequence. */
  readonly findings: readonly LocatedFinding[]
  readonly wide?: boolean
}

/** One line of a form: label, control, and the meaning of the value or why it is invalid. */
export function FieldRow(
  props: RowProps & {
    /** The value as text, where it cannot be changed. */
    readonly fixed?: string | undefined
    readonly children: (attributes: {
      id: string
      'aria-labelledby': string
      'aria-describedby': string
      'aria-invalid': true | undefined
      'data-fields': string
    }) => ReactNode
  },
) {
  const { label, term, consequence, findings, wide = false, fixed, children } = props
  const id = useId()
  const about = `${id}-about`
  const worst = findings.find(({ severity }) => severity === 'error') ?? findings[0]
  const invalid = worst?.severity === 'error'
  return (
    <div className={classes(styles['row'], wide && styles['wide'], worst !== undefined && styles['told'])}>
      {term === undefined ? (
        <label id={`${id}-label`} htmlFor={id} className="muted">
          {label}
        </label>
      ) : (
        <span id={`${id}-label`} className="muted">
          <Term id={term}>{label}</Term>
        </span>
      )}
      {fixed === undefined ? (
        children({
          id,
          'aria-labelledby': `${id}-label`,
          'aria-describedby': about,
          'aria-invalid': invalid ? true : undefined,
          'data-fields': findings.map(({ field }) => field).join(' '),
        })
      ) : (
        <output id={id} aria-labelledby={`${id}-label`} className={styles['output']}>
          {fixed}
        </output>
      )}
      <span
        id={about}
        className={classes(
          styles['consequence'],
          invalid && styles['wrong'],
          worst?.severity === 'warning' && styles['doubtful'],
        )}
      >
        {worst?.message ?? consequence}
      </span>
    </div>
  )
}

/** A row of one field, editable unless `readOnly` is set. */
interface ControlProps<V, C> extends RowProps {
  readonly value: V
  readonly readOnly: boolean
  readonly onChange: (value: C) => void
}

/** A whole number. Up and Down change it by one, with Shift by ten; empty leaves the field out. */
export function NumberRow(
  props: ControlProps<unknown, number | string | undefined> & {
    /** The server's default when the field is absent. */
    readonly usual: string
    readonly unit?: string
  },
) {
  const { value, usual, unit, onChange, readOnly, ...row } = props
  const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const from = typeof value === 'number' ? value : Number(usual)
    onChange(Math.max(0, (Number.isFinite(from) ? from : 0) + step * (event.shiftKey ? 10 : 1)))
  }
  return (
    <FieldRow {...row} fixed={readOnly ? (text === '' ? usual : [text, unit].join(' ').trim()) : undefined}>
      {(attributes) => (
        <span className={`${styles['number']} block placed`}>
          <input
            {...attributes}
            className={inputClass}
            inputMode="numeric"
            autoComplete="off"
            placeholder={usual}
            value={text}
            onKeyDown={onKeyDown}
            onChange={({ target }) => onChange(readNumber(target.value))}
          />
          {unit !== undefined && <span aria-hidden="true">{unit}</span>}
        </span>
      )}
    </FieldRow>
  )
}

/**
 * A value that is not a whole number goes into the text unchanged: the text is authoritative, and the server would
 * report the error too.
 */
function readNumber(text: string): number | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return /^-?\d{1,15}$/.test(trimmed) ? Number(trimmed) : trimmed
}

/** A choice of a few words. A word that is not among them stays visible. */
export function ChoiceRow(
  props: ControlProps<string, string> & { readonly options: readonly (readonly [value: string, label: string])[] },
) {
  const { value, options, onChange, readOnly, ...row } = props
  const known = options.find(([option]) => option === value)
  return (
    <FieldRow {...row} fixed={readOnly ? (known?.[1] ?? value) : undefined}>
      {(attributes) => (
        <Select
          {...attributes}
          value={value}
          options={known === undefined ? [[value, value === '' ? 'choose' : value], ...options] : options}
          onChange={onChange}
        />
      )}
    </FieldRow>
  )
}

export function TextRow({ value, onChange, readOnly, ...row }: ControlProps<string, string>) {
  return (
    <FieldRow {...row} fixed={readOnly ? value : undefined}>
      {(attributes) => (
        <input
          {...attributes}
          className={monoInputClass}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </FieldRow>
  )
}

/** Errors and warnings, one line each, below their subject. */
export function FindingLines({ findings }: { readonly findings: readonly LocatedFinding[] }) {
  return findings.map(({ field, severity, message }) => (
    <p
      key={`${field} ${message}`}
      data-fields={field}
      className={classes(styles['finding'], severity === 'warning' && styles['doubtful'])}
    >
      {message}
    </p>
  ))
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName
  readonly label: string
}

export const IconButton = ({ icon, label, ...rest }: IconButtonProps) => (
  <button type="button" className="icon-button" aria-label={label} title={label} {...rest}>
    <Icon name={icon} size={12} />
  </button>
)
