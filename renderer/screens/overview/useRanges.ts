import { useEffect, useState } from 'react'
import { rangeFacts, type RangeFacts } from '../../../core/frame/rangeFacts.ts'
import { client } from '../../state/client.ts'
import { useTimePart } from '../../state/time.ts'

/** Between two readings of a range that moves on. */
export const RANGE_EVERY_MS = 10_000
const MOST_POINTS = 620

const stepOf = (at: number): number => Math.ceil(at / RANGE_EVERY_MS) * RANGE_EVERY_MS

/** What the selected range saw, by server; those whose history could not be read are missing. */
export function useRanges(servers: readonly string[]): ReadonlyMap<string, RangeFacts> {
  const [ranges, setRanges] = useState<ReadonlyMap<string, RangeFacts>>(new Map())
  const start = useTimePart(({ from }) => stepOf(from))
  const end = useTimePart(({ to }) => stepOf(to))
  const key = JSON.stringify(servers)
  useEffect(() => {
    if (end === 0) return undefined
    let current = true
    const ids = JSON.parse(key) as readonly string[]
    const reading = ids.map(async (server) => {
      const series = await client().call('history.series', { server, from: start, to: end, maxPoints: MOST_POINTS })
      const facts = rangeFacts(series)
      return facts === undefined ? [] : [[server, facts] as const]
    })
    Promise.allSettled(reading)
      .then((read) => {
        const known = read.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
        if (current) setRanges(new Map(known))
      })
      .catch(() => undefined)
    return () => {
      current = false
    }
  }, [key, start, end])
  return ranges
}
