import { useRef, type KeyboardEvent, type ReactNode } from 'react'
import styles from './Button.module.css'

export interface SegmentOption<V extends string> {
  readonly value: V
  readonly label: ReactNode
}

/** A few choices side by side; a radio group: arrows move and choose. */
export function Segment<V extends string>(props: {
  readonly label: string
  readonly value: V
  readonly options: readonly SegmentOption<V>[]
  readonly onChange: (value: V) => void
}) {
  const { label, value, options, onChange } = props
  const group = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const index = options.findIndex((option) => option.value === value)
    const next = (index + step + options.length) % options.length
    const option = options[next]
    if (option === undefined) return
    onChange(option.value)
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
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          className={styles['option']}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }
