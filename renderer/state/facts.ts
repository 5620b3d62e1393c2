import { useEffect, useState } from 'react'
import type { ReportedFacts } from '../../core/contract/source.ts'
import { client } from './client.ts'
import { ask, useConnected } from './connection.ts'
import { askedOf, usePastPart, useSettledMoment } from './past.ts'

/** Counts and watches move slowly, and seats depend on their order of magnitude. */
const AGAIN_MS = 10_000

/** An instant of the past that is shown for so long is one that is looked at. */
const REST_MS = 80

/** Object counts, sizes and watches of one server at the instant that is shown; `undefined` while the source does not report them. */
export function useFacts(server: string | undefined): ReportedFacts | undefined {
  const connection = useConnected()?.id
  const past = usePastPart(askedOf)
  const instant = useSettledMoment()?.at
  const [told, setTold] = useState<{ readonly of: string; readonly facts: ReportedFacts | null }>()
  const of = `${past ?? connection ?? 0} ${server ?? ''}`
  useEffect(() => {
    if (server === undefined || connection === undefined || (past !== undefined && instant === undefined))
      return undefined
    let ended = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async (): Promise<void> => {
      // A source that cannot answer now is asked again; until then what it reported stands.
      const asked =
        past === undefined || instant === undefined
          ? ask('sources.facts', { server })
          : client().call('past.facts', { connection: past, server, at: instant })
      const facts = await asked.catch(() => undefined)
      if (ended) return
      if (facts !== undefined) setTold({ of, facts })
      if (past === undefined) timer = setTimeout(() => void read(), AGAIN_MS)
    }
    // A pointer that moves on needs none of the instants between.
    timer = setTimeout(() => void read(), past === undefined ? 0 : REST_MS)
    return () => {
      ended = true
      clearTimeout(timer)
    }
  }, [server, connection, past, instant, of])
  return told?.of === of ? (told.facts ?? undefined) : undefined
}
