import { useMemo, useState } from 'react'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { liveRows } from '../../state/live.ts'
import { useTimePart } from '../../state/time.ts'
import { useSlices, type Query } from './query.ts'

/** Why the list holds still. */
export type HoldReason = 'pointer' | 'focus' | 'scrolled'

export interface Hold {
  readonly count: number
  /** Place 0 is the newest that is shown. */
  readonly at: (place: number) => LiveRequest | undefined
  /** What holds the list; absent while it follows. */
  readonly why: HoldReason | 'paused' | undefined
  /** Rows that came since and are not shown. */
  readonly newer: number
  readonly hold: (reason: HoldReason, on: boolean) => void
  readonly release: () => void
  /** Older rows were read: what is held takes them in. */
  readonly extend: () => void
}

const NONE: readonly HoldReason[] = []

/**
 * The rows that the list shows: the newest, or, while the reader looks at them, those that were there when the reader
 * came. Held rows stay, also when newer ones need their room; what is known of them goes on changing.
 */
export function useHold(query: Query): Hold {
  const paused = useTimePart((time) => time.paused)
  const [reasons, setReasons] = useState(NONE)
  const [loads, setLoads] = useState(0)
  const why = paused ? 'paused' : reasons[0]
  const held = why !== undefined
  const [end, setEnd] = useState<number>()
  const [asked, setAsked] = useState(query)
  // What is newest at the moment of holding is the last that is shown.
  if (held && end === undefined) setEnd(liveRows.end)
  if (!held && end !== undefined) setEnd(undefined)
  // Another filter is a new question, which is about what there is by now; time that stands still has nothing newer.
  if (query !== asked) {
    setAsked(query)
    if (held && !paused) setEnd(liveRows.end)
  }
  const older = loads + useSlices()
  const rows = useMemo(() => (end === undefined ? undefined : heldRows(query, end, older)), [query, end, older])
  return {
    count: rows?.length ?? query.matches.count,
    at: (place) => {
      if (rows === undefined) {
        const seq = query.matches.seqAt(place)
        return seq === undefined ? undefined : liveRows.at(seq)
      }
      const row = rows[rows.length - 1 - place]
      return row === undefined ? undefined : (liveRows.at(row.seq) ?? row)
    },
    why,
    newer: end === undefined ? 0 : query.matches.after(end - 1),
    hold: (reason, on) =>
      setReasons((old) => {
        if (old.includes(reason) === on) return old
        return on ? [...old, reason] : old.filter((one) => one !== reason)
      }),
    release: () => setReasons(NONE),
    extend: () => setLoads((old) => old + 1),
  }
}

/** `_older`: rises when older rows came or were tested. */
const heldRows = (query: Query, end: number, _older: number): readonly LiveRequest[] =>
  query.matches.snapshot().filter(({ seq }) => seq < end)
