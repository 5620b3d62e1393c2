import { useEffect, useState } from 'react'
import type { DumpFrame } from '../../core/frame/dump.ts'
import { client } from './client.ts'
import { useConnected } from './connection.ts'
import { askedOf, usePastPart, useSettledMoment } from './past.ts'
import { timeStore } from './time.ts'

interface Held {
  readonly of: string
  readonly dump: DumpFrame | undefined
}

/** The debug dumps of one server, or of one of its levels, of the instant that is shown; frozen while paused. */
export function useDump(server: string | undefined, level?: string): DumpFrame | undefined {
  const [held, setHeld] = useState<Held>()
  const connection = useConnected()?.id
  const past = usePastPart(askedOf)
  // Within an instant of a run there are several moments.
  const moment = useSettledMoment()
  const of = `${past ?? connection ?? ''} ${server ?? ''} ${level ?? ''}`
  useEffect(() => {
    if (connection === undefined || server === undefined || past !== undefined) return undefined
    let newest: DumpFrame | undefined
    const asked = { connection, server, ...(level !== undefined && { level }) }
    const stopDumps = client().subscribe('dumps', asked, (event) => {
      const first = newest === undefined
      newest = event
      if (first || !timeStore.getState().paused) setHeld({ of, dump: event })
    })
    const stopTime = timeStore.subscribe(({ paused }, { paused: was }) => {
      if (was && !paused) setHeld({ of, dump: newest })
    })
    return () => {
      stopDumps()
      stopTime()
    }
  }, [connection, server, level, of, past])
  useEffect(() => {
    if (past === undefined || server === undefined || moment === undefined) return undefined
    let left = false
    const ask = (): void => {
      const asked = { connection: past, server, at: moment.at, ...(level !== undefined && { level }) }
      client()
        .call('past.dump', asked)
        .then(
          (dump) => left || setHeld({ of, dump: dump ?? undefined }),
          // The dump before stays; that the past cannot be read is said by the time bar.
          () => undefined,
        )
    }
    // A pointer that moves on needs none of the instants between.
    const timer = setTimeout(ask, REST_MS)
    return () => {
      left = true
      clearTimeout(timer)
    }
  }, [past, server, level, of, moment])
  return held?.of === of ? held.dump : undefined
}

/** An instant that is shown for so long is one that is looked at. */
const REST_MS = 80
