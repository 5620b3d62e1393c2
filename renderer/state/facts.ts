import { useEffect, useState } from 'react'
import type { ReportedFacts } from '../../core/contract/source.ts'
import { LOOKED_AT_MS, onAnswer } from './answer.ts'
import { client } from './client.ts'
import { ask, useConnected } from './connection.ts'
import { askedOf, usePastPart, useSettledMoment } from './past.ts'

/** Counts and watches change slowly, and seats depend on their order of magnitude. */
const AGAIN_MS = 10_000

/**
 * Object counts, sizes and watches of one server at the shown instant; `undefined` while the source does not report
 * them.
 */
export function useFacts(server: string | undefined): ReportedFacts | undefined {
  const connection = useConnected()?.id
  const past = usePastPart(askedOf)
  const instant = useSettledMoment()?.at
  const [known, setKnown] = useState<{ readonly of: string; readonly facts: ReportedFacts | null }>()
  const of = `${past ?? connection ?? 0} ${server ?? ''}`
  useEffect(() => {
    if (server === undefined || connection === undefined || (past !== undefined && instant === undefined))
      return undefined
    const read = () =>
      past === undefined || instant === undefined
        ? ask('sources.facts', { server })
        : client().call('past.facts', { connection: past, server, at: instant })
    // A source that cannot answer now is read again; until then its last report stays.
    return onAnswer(
      read,
      (facts) => setKnown({ of, facts }),
      past === undefined ? { everyMs: AGAIN_MS } : { restMs: LOOKED_AT_MS },
    )
  }, [server, connection, past, instant, of])
  return known?.of === of ? (known.facts ?? undefined) : undefined
}
