import { useState } from 'react'
import { DUMPS_MS } from '../../core/bounds.ts'
import type { ServerLimit } from '../../core/impact/serverLimit.ts'
import { ask, useConnected } from '../state/connection.ts'
import { nowAt, useViewPart } from '../state/view.ts'
import { format } from '../theme/format.ts'
import { ownLimitStore } from '../state/serverLimit.ts'
import { Button } from './Button.tsx'
import { useNow } from './hooks.ts'
import { inputClass } from './Field.tsx'
import styles from './controls.module.css'

/** Lets the connected source read the debug dumps, which are off. */
export function DumpsSwitch({ small = false }: { readonly small?: boolean }) {
  const cadence = useConnected()?.cadence
  const switchOn = (): void => {
    if (cadence === undefined) return
    ask('sources.cadence', { ...cadence, dumpsEveryMs: DUMPS_MS.default })
      // The status bar and the connection screen show the error of a failing source.
      .catch(() => undefined)
  }
  return (
    <Button
      small={small}
      asks="sources.cadence"
      onClick={switchOn}
    >{`Read dumps every ${DUMPS_MS.default / 1_000} s`}</Button>
  )
}

/** Origin and age of the numbers: `from dump_requests, 2 s ago`. */
export function DumpAge({ at }: { readonly at: number }) {
  const mode = useViewPart((view) => view.mode)
  const moving = mode === 'live' || mode === 'stale'
  const clock = useNow(moving)
  const now = useViewPart((view) => nowAt(view, clock))
  if (!moving) return <>{`from dump_requests of ${format.time(at)}`}</>
  const seconds = Math.max(0, Math.round((now - at) / 1_000))
  return <>{`from dump_requests, ${seconds < 60 ? `${seconds} s` : format.age(seconds * 1_000)} ago`}</>
}

const MOST_SEATS = 1_000_000

/** A number of seats as it is typed; `undefined` for anything else. */
export const typedSeats = (text: string): number | undefined => {
  const seats = Number(text)
  return Number.isInteger(seats) && seats > 0 && seats <= MOST_SEATS ? seats : undefined
}

/** A field for the seats of a server. */
export function SeatsField(props: {
  readonly label: string
  readonly title: string
  readonly value: string
  readonly placeholder?: string
  readonly onChange: (text: string) => void
}) {
  const { label, title, value, placeholder, onChange } = props
  return (
    <label className={`${styles['seats']} inline-row gap-8 nowrap small muted`} title={title}>
      {label}
      <input
        className={inputClass}
        inputMode="numeric"
        autoComplete="off"
        placeholder={placeholder}
        value={value}
        aria-invalid={value !== '' && typedSeats(value) === undefined}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  )
}

/** Seats of the server for which the impact is computed, where no server reports how many it has. */
export function ServerSeats({ limit }: { readonly limit: ServerLimit }) {
  const [typed, setTyped] = useState(String(limit.seats))
  const change = (text: string): void => {
    setTyped(text)
    const seats = typedSeats(text)
    if (seats !== undefined) ownLimitStore.setState({ seats })
  }
  if (limit.from === 'reported' || limit.from === 'configured') return null
  return (
    <SeatsField
      label="seats of a server"
      title="Sum of --max-requests-inflight and --max-mutating-requests-inflight; 600 without flags."
      value={Number(typed) === limit.seats ? typed : limit.from === 'own' ? typed : String(limit.seats)}
      onChange={change}
    />
  )
}
