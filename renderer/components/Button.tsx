import { type ButtonHTMLAttributes, useRef, type KeyboardEvent, type ReactNode, useEffect, useState } from 'react'
import type { ProcedureName, StreamName } from '../../core/contract/contract.ts'
import { useRefusal } from '../state/limits.ts'
import styles from './controls.module.css'
import { classes } from './classes.ts'
import { Icon } from './Icon.tsx'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** One primary button per screen: its most common action. */
  readonly primary?: boolean
  readonly small?: boolean
  /**
   * The procedure or stream of the other side that the button calls. If the other side refuses it, the button is
   * disabled and shows why.
   */
  readonly asks?: ProcedureName | StreamName
}

/** A button names its result and its object: "Connect with 7 of 9". */
export function Button({ primary = false, small = false, asks, className, type = 'button', ...rest }: ButtonProps) {
  const look = classes(styles['button'], primary && styles['primary'], small && styles['small'], className)
  const why = useRefusal(asks)
  return <button type={type} className={look} {...rest} {...(why !== undefined && { disabled: true, title: why })} />
}

/** Buttons in a row, with their related elements. */
export const Buttons = ({ children }: { readonly children: ReactNode }) => (
  <div className="row wrap gap-8">{children}</div>
)

/** A few choices in a row; a radio group: arrows move and choose. */
export function Segment<V extends string>(props: {
  readonly label: string
  readonly value: V
  /** Their labels, in order. */
  readonly options: Readonly<Partial<Record<V, ReactNode>>>
  readonly disabled?: boolean
  readonly onChange: (value: V) => void
}) {
  const { label, value, options, disabled = false, onChange } = props
  const group = useRef<HTMLDivElement>(null)
  const values = Object.keys(options).filter((key): key is V => key in options)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key]
    if (step === undefined || disabled) return
    event.preventDefault()
    const next = (values.indexOf(value) + step + values.length) % values.length
    const option = values[next]
    if (option === undefined) return
    onChange(option)
    group.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <div
      ref={group}
      role="radiogroup"
      aria-label={label}
      tabIndex={-1}
      className={styles['segment']}
      onKeyDown={onKeyDown}
    >
      {values.map((option) => (
        <button
          key={option}
          type="button"
          role="radio"
          aria-checked={option === value}
          tabIndex={option === value ? 0 : -1}
          className={styles['option']}
          disabled={disabled}
          onClick={() => onChange(option)}
        >
          {options[option]}
        </button>
      ))}
    </div>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }

/** Copies text, and confirms it on the button for two seconds. */
export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, setSaid] = useState<string>()
  useEffect(() => {
    if (said === undefined) return undefined
    const timer = setTimeout(() => setSaid(undefined), 2_000)
    return () => clearTimeout(timer)
  }, [said])
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Copying not allowed'),
    )
  }
  return (
    <Button small onClick={copy}>
      <Icon name={said === 'Copied' ? 'check' : 'copy'} size={13} />
      <span aria-live="polite">{said ?? label}</span>
    </Button>
  )
}

interface CheckProps {
  readonly label: string
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
}

/** A checkbox, with its label after it. */
export const Check = ({ label, checked, disabled = false, onChange }: CheckProps) => (
  <label className={`${styles['check']} inline-row gap-6 muted hit-24`}>
    <input type="checkbox" checked={checked} disabled={disabled} onChange={({ target }) => onChange(target.checked)} />
    {label}
  </label>
)
