import { useEffect, useState } from 'react'
import { rangeFacts, type RangeFacts } from '../../../core/frame/series.ts'
import { useTimePart } from '../../state/time.ts'
import { ask } from '../../state/connection.ts'

/** Between two readings of a range that moves on. */
export const RANGE_EVERY_MS = 10_000
const MOST_POINTS = 620

const stepOf = (at: number): number => Math.ceil(at / RANGE_EVERY_MS) * RANGE_EVERY_MS

/** What the selected range saw, by server; those whose history could not be read are missing. */
export function useRanges(servers: readonly string[]): ReadonlyMap<string, RangeFacts> {
  const [ranges, setRanges] = useState<ReadonlyMap<string, RangeFacts>>(new Map())
  const start = useTimePart(({ from }) => stepOf(from))
  const end = useTimePart(({ to }) => stepOf(to))
  const key = servers.join('\n')
  useEffect(() => {
    if (end === 0) return undefined
    let current = true
    const ids = key === '' ? [] : key.split('\n')
    const read = async (server: string) => {
      const series = await ask('history.series', { server, from: start, to: end, maxPoints: MOST_POINTS })
      return [server, rangeFacts(series)] as const
    }
    const readAll = async (): Promise<void> => {
      const all = await Promise.allSettled(ids.map(read))
      if (!current) return
      const known = new Map<string, RangeFacts>()
      for (const one of all) {
        if (one.status === 'fulfilled' && one.value[1] !== undefined) known.set(one.value[0], one.value[1])
      }
      setRanges(known)
    }
    void readAll()
    return () => {
      current = false
    }
  }, [key, start, end])
  return ranges
}
