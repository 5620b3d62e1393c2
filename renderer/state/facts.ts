import { useEffect, useState } from 'react'
import type { ReportedFacts } from '../../core/contract/source.ts'
import { ask, useConnected } from './connection.ts'

/** Counts and watches move slowly, and seats depend on their order of magnitude. */
const AGAIN_MS = 10_000

/** Object counts, sizes and watches of one server; `undefined` while the source does not report them. */
export function useFacts(server: string | undefined): ReportedFacts | undefined {
  const connection = useConnected()?.id
  const [told, setTold] = useState<{ readonly of: string; readonly facts: ReportedFacts | null }>()
  const of = `${connection ?? 0} ${server ?? ''}`
  useEffect(() => {
    if (server === undefined || connection === undefined) return undefined
    let ended = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async (): Promise<void> => {
      // A source that cannot answer now is asked again; until then what it reported stands.
      const facts = await ask('sources.facts', { server }).catch(() => undefined)
      if (ended) return
      if (facts !== undefined) setTold({ of, facts })
      timer = setTimeout(() => void read(), AGAIN_MS)
    }
    void read()
    return () => {
      ended = true
      clearTimeout(timer)
    }
  }, [server, connection, of])
  return told?.of === of ? (told.facts ?? undefined) : undefined
}
