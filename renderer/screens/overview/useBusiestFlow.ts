import { useEffect, useMemo, useState } from 'react'
import { ask, useConnected } from '../../state/connection.ts'
import { useDump } from '../../state/dumps.ts'
import { showsRequests } from '../../state/live.ts'
import { busiestInDump, busiestInRequests, type BusiestFlow } from './busiestFlow.ts'
import { needAttention } from './levelRows.ts'
import type { NowServer } from './nowStatement.ts'

/** Between two readings of the newest requests. */
const EVERY_MS = 5_000
const NEWEST = 2_000

/** The servers, the worst one with the flow that has most of its worst level; nothing is read while all levels flow. */
export function useBusiestFlow(servers: readonly NowServer[]): readonly NowServer[] {
  const worst = needAttention(servers.flatMap(({ rows }) => rows))[0]
  const [server, level] = [worst?.server, worst?.name]
  const dump = useDump(server, level)
  const byDump = useMemo(() => (level === undefined ? undefined : busiestInDump(dump, level)), [dump, level])
  const byRequests = useNewestRequests(dump?.requests === undefined ? level : undefined)
  const flow = byDump ?? byRequests
  return flow === undefined ? servers : servers.map((one) => (one.id === server ? { ...one, flow } : one))
}

/** By single requests, where the source shows them and no dump does. */
function useNewestRequests(level: string | undefined): BusiestFlow | undefined {
  const connected = useConnected()
  const id = connected !== undefined && !connected.still && showsRequests(connected) ? connected.id : undefined
  const [found, setFound] = useState<BusiestFlow>()
  useEffect(() => {
    if (level === undefined || id === undefined) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let ended = false
    const read = async (): Promise<void> => {
      const page = await ask('live.page', { count: NEWEST })
        // Without them the sentence names no flow.
        .catch(() => undefined)
      if (ended) return
      const at = page?.requests.at(-1)?.at
      setFound(
        page === undefined || at === undefined || page.connection !== id
          ? undefined
          : busiestInRequests(page.requests, level, at),
      )
      timer = setTimeout(() => void read(), EVERY_MS)
    }
    void read()
    return () => {
      ended = true
      clearTimeout(timer)
    }
  }, [level, id])
  return found !== undefined && found.level === level && id !== undefined ? found : undefined
}
