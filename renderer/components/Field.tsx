import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react'
import { classes } from './classes.ts'
import styles from './controls.module.css'

export const inputClass = styles['input'] ?? ''
export const monoInputClass = classes(styles['input'], 'mono')

export interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
}

/** A labelled control; `children` receives the attributes that connect label, hint and error to it. */
export function Field(
  props: FieldProps & {
    readonly children: (attributes: {
      id: string
      'aria-describedby': string | undefined
      'aria-invalid': boolean | undefined
    }) => ReactNode
  },
) {
  const { label, hint, error, children } = props
  const id = useId()
  const about = `${id}-about`
  const described = hint !== undefined || error !== undefined
  return (
    <div className="stack gap-4 shrink-x">
      <label htmlFor={id} className="small muted">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described ? about : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {described && (
        <span id={about} className={`tiny leading-140 ${error === undefined ? 'faint' : 'bad'}`}>
          {error ?? hint}
        </span>
      )}
    </div>
  )
}

interface TextProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** The kind of text: `code` (names, paths, addresses) is set in the monospaced face. */
const TYPED = {
  code: { className: monoInputClass, spellCheck: false },
  number: { className: inputClass, spellCheck: false, inputMode: 'numeric' },
  text: { className: inputClass },
} as const

/** One line of text. */
export function TextField(
  props: FieldProps &
    TextProps &
    Omit<InputHTMLAttributes<HTMLInputElement>, keyof TextProps> & { readonly kind?: keyof typeof TYPED },
) {
  const { label, hint, error, kind = 'code', onChange, ...input } = props
  return (
    <Field {...{ label, hint, error }}>
      {(attributes) => (
        <input
          autoComplete="off"
          {...TYPED[kind]}
          {...input}
          {...attributes}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

/** Several lines of text. */
export function TextArea(
  props: FieldProps & TextProps & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, keyof TextProps>,
) {
  const { label, hint, error, onChange, className, ...area } = props
  return (
    <Field {...{ label, hint, error }}>
      {(attributes) => (
        <textarea
          spellCheck={false}
          {...area}
          {...attributes}
          className={classes(inputClass, className)}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

interface OptionsProps<V extends string> {
  readonly value: V
  /** An option that is only text is its own value. */
  readonly options: readonly (V | readonly [value: V, label: string, disabled?: boolean])[]
  readonly onChange: (value: V) => void
}

/** A choice of one, named by the surrounding elements. */
export function Select<V extends string>(
  props: OptionsProps<V> & Omit<SelectHTMLAttributes<HTMLSelectElement>, keyof OptionsProps<V>>,
) {
  const { options, onChange, ...select } = props
  const choose = (next: string): void => {
    const chosen = options.map((option) => (typeof option === 'string' ? option : option[0])).find((of) => of === next)
    if (chosen !== undefined) onChange(chosen)
  }
  return (
    <select className={inputClass} {...select} onChange={({ target }) => choose(target.value)}>
      {options.map((option) => {
        const [of, text, disabled] = typeof option === 'string' ? [option, option] : option
        return (
          <option key={of} value={of} disabled={disabled}>
            {text}
          </option>
        )
      })}
    </select>
  )
}

/** A choice of one under a label. */
export function SelectField<V extends string>(props: FieldProps & OptionsProps<V> & { readonly mono?: boolean }) {
  const { label, hint, error, mono = false, ...select } = props
  return (
    <Field {...{ label, hint, error }}>
      {(attributes) => <Select {...attributes} className={mono ? monoInputClass : inputClass} {...select} />}
    </Field>
  )
}

/** What connects a control to one field of a form. */
interface Bound<V> {
  readonly value: V
  readonly error: string | undefined
  readonly onChange: (value: V) => void
}

/** Connects controls to the fields of a form, each by its name. */
export const formFields =
  <F extends object>(
    form: F,
    errors: { readonly [K in keyof F]?: string | undefined },
    update: (to: (form: F) => F) => void,
  ) =>
  <K extends keyof F>(name: K): Bound<F[K]> => ({
    value: form[name],
    error: errors[name],
    onChange: (value) => update((old) => ({ ...old, [name]: value })),
  })

/** An empty field is not an error yet. */
export const onceFilled = (field: Bound<string>): Bound<string> =>
  field.value.trim() === '' ? { ...field, error: undefined } : field

/** The usual choices, including the present one even when it is not among them. */
export const choices = <T extends number | null>(
  usual: readonly T[],
  present: T,
  text: (value: T) => string,
): readonly (readonly [string, string])[] =>
  (usual.includes(present) ? usual : [present, ...usual]).map((value) => [String(value), text(value)])
