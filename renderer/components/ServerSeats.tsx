import type { ServerLimit } from '../../core/impact/serverLimit.ts'
import { ownLimitStore } from '../state/serverLimit.ts'
import { useState } from 'react'
import { inputClass } from './Field.tsx'
import styles from './ServerSeats.module.css'

const MOST_SEATS = 1_000_000

/** Seats of the server for which the impact is computed, where no server says how many it has. */
export function ServerSeats({ limit }: { readonly limit: ServerLimit }) {
  const [typed, setTyped] = useState(String(limit.seats))
  const change = (text: string): void => {
    setTyped(text)
    const seats = Number(text)
    if (Number.isInteger(seats) && seats > 0 && seats <= MOST_SEATS) ownLimitStore.setState({ seats })
  }
  if (limit.from === 'reported' || limit.from === 'configured') return null
  return (
    <label
      className={styles['seats']}
      title="Sum of --max-requests-inflight and --max-mutating-requests-inflight; 600 without flags."
    >
      seats of a server
      <input
        className={inputClass}
        inputMode="numeric"
        autoComplete="off"
        value={Number(typed) === limit.seats ? typed : limit.from === 'own' ? typed : String(limit.seats)}
        onChange={({ target }) => change(target.value)}
      />
    </label>
  )
}
