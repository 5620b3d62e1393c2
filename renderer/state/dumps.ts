import { useEffect, useState } from 'react'
import type { DumpFrame } from '../../core/frame/dump.ts'
import { client } from './client.ts'
import { timeStore } from './time.ts'

/** The newest debug dumps of one server, or of one of its levels; frozen while paused. */
export function useDump(server: string | undefined, level?: string): DumpFrame | undefined {
  const [held, setHeld] = useState<{ readonly of: string; readonly dump: DumpFrame | undefined }>()
  const of = `${server ?? ''} ${level ?? ''}`
  useEffect(() => {
    if (server === undefined) return undefined
    let newest: DumpFrame | undefined
    const stopDumps = client().subscribe('dumps', level === undefined ? { server } : { server, level }, (event) => {
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
  }, [server, level, of])
  return held?.of === of ? held.dump : undefined
}
