import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import styles from './Listbox.module.css'

export interface ListboxOption {
  readonly id: string
  readonly selected: boolean
  readonly content: ReactNode
  readonly onChoose: () => void
}

/** A list of choices with one way through it by arrows, Home and End; Enter or Space chooses. */
export function Listbox({ label, options }: { readonly label: string; readonly options: readonly ListboxOption[] }) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const items = list.current?.querySelectorAll<HTMLElement>('[role="option"]')
    const selected = Array.from(items ?? []).find((item) => item.ariaSelected === 'true')
    ;(selected ?? items?.[0])?.focus()
  }, [])
  const onKeyDown = (event: KeyboardEvent): void => {
    const items = Array.from(list.current?.querySelectorAll<HTMLElement>('[role="option"]') ?? [])
    const at = items.findIndex((item) => item === document.activeElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key]
    if (to !== undefined) items[Math.max(0, Math.min(items.length - 1, to))]?.focus()
    else if (event.key === 'Enter' || event.key === ' ') options[at]?.onChoose()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div ref={list} role="listbox" aria-label={label} tabIndex={-1} className={styles['list']}>
      {options.map(({ id, selected, content, onChoose }) => (
        <div
          key={id}
          role="option"
          aria-selected={selected}
          tabIndex={-1}
          className={styles['option']}
          onClick={onChoose}
          onKeyDown={onKeyDown}
        >
          {content}
        </div>
      ))}
    </div>
  )
}
