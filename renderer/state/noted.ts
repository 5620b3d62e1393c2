import { useEffect, useState } from 'react'
import { create } from 'zustand'
import type { Noted } from '../../core/contract/recording.ts'
import { client } from './client.ts'
import { useConnected } from './connection.ts'
import { askedOf, usePastPart } from './past.ts'
import { useTimePart } from './time.ts'

/** What was noted of the shown source since it was connected, oldest first. */
export const notedStore = create<{ readonly noted: readonly Noted[] }>(() => ({ noted: [] }))

/** A range that is shown for so long is one that is looked at. */
const REST_MS = 300

/** What was noted of the source as it is shown: of the present since it was connected, of the past by the recording. */
export function useNoted(): readonly Noted[] {
  const present = notedStore(({ noted }) => noted)
  const connected = useConnected()
  const asked = usePastPart(askedOf)
  const past = asked ?? (connected?.source.kind === 'recording' ? connected.id : undefined)
  const from = useTimePart((time) => (past === undefined ? 0 : time.from))
  const to = useTimePart((time) => (past === undefined ? 0 : time.to))
  const [recorded, setRecorded] = useState<{ readonly of: number; readonly noted: readonly Noted[] }>()
  useEffect(() => {
    if (past === undefined) return undefined
    let gone = false
    const ask = async (): Promise<void> => {
      const noted = await client().call('past.noted', { connection: past, from, to })
      if (!gone) setRecorded({ of: past, noted })
    }
    // Without marks the charts say what they say; that the past cannot be read is said by the time bar.
    const timer = setTimeout(() => void ask().catch(() => undefined), REST_MS)
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [past, from, to])
  if (past === undefined) return present
  return recorded?.of === past ? recorded.noted : NONE
}
const NONE: readonly Noted[] = []
