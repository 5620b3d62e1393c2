import { useEffect, useState } from 'react'
import type { DumpFrame } from '../../core/frame/dump.ts'
import { LOOKED_AT_MS, onAnswer } from './answer.ts'
import { client } from './client.ts'
import { useConnected } from './connection.ts'
import { askedOf, usePastPart, useSettledMoment } from './past.ts'
import { timeStore } from './time.ts'

/** The debug dumps of one server, or of one of its levels, at the shown instant; frozen while paused. */
export function useDump(server: string | undefined, level?: string): DumpFrame | undefined {
  const [held, setHeld] = useState<{ readonly of: string; readonly dump: DumpFrame | undefined }>()
  const connection = useConnected()?.id
  const past = usePastPart(askedOf)
  // One instant of a run can have several moments.
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
    const asked = { connection: past, server, at: moment.at, ...(level !== undefined && { level }) }
    // Otherwise the previous dump stays; the time bar reports that the past cannot be read.
    return onAnswer(
      () => client().call('past.dump', asked),
      (dump) => setHeld({ of, dump: dump ?? undefined }),
      { restMs: LOOKED_AT_MS },
    )
  }, [past, server, level, of, moment])
  return held?.of === of ? held.dump : undefined
}
