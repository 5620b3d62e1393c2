import { useEffect, useState } from 'react'
import type { DumpFrame } from '../../core/frame/dump.ts'
import { client } from './client.ts'
import { useConnected } from './connection.ts'
import { timeStore } from './time.ts'

/** The newest debug dumps of one server, or of one of its levels; frozen while paused. */
export function useDump(server: string | undefined, level?: string): DumpFrame | undefined {
  const [held, setHeld] = useState<{ readonly of: string; readonly dump: DumpFrame | undefined }>()
  const connection = useConnected()?.id
  const of = `${connection ?? ''} ${server ?? ''} ${level ?? ''}`
  useEffect(() => {
    if (connection === undefined || server === undefined) return undefined
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
  }, [connection, server, level, of])
  return held?.of === of ? held.dump : undefined
}
