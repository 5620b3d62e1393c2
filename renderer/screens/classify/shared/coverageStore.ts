import { create } from 'zustand'
import { NO_COVERAGE, withDump, withServers, type Coverage } from '../../../../core/classify/coverage.ts'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import type { ServerFrame } from '../../../../core/frame/frame.ts'
import { connectionStore } from '../../../state/connection.ts'
import { viewStore } from '../../../state/view.ts'

interface CoverageStore {
  /** Id of the connection that it was seen on. */
  readonly connection?: number
  readonly coverage: Coverage
  /** The server whose dumps were looked at. */
  readonly dumpsOf?: string
}

const NOTHING: CoverageStore = { coverage: NO_COVERAGE }

/** What was seen of the present while Classify was open; kept for as long as the source stays connected. */
export const coverageStore = create<CoverageStore>(() => NOTHING)

/** What was seen of the connected source so far, in the store. */
function ofConnection(): CoverageStore {
  const { connection } = connectionStore.getState()
  const id = connection?.id
  const store = coverageStore.getState()
  return store.connection === id || id === undefined ? store : { ...NOTHING, connection: id }
}

/** Listens to frames. Returns the function that ends it. */
export function startCoverage(): () => void {
  let heard: unknown
  const hear = (): void => {
    const { frame, mode } = viewStore.getState()
    // Instants of the past come in any order, and their counters would be taken for those of a restarted server.
    if (frame === undefined || frame === heard || mode === 'past') return
    heard = frame
    const store = ofConnection()
    coverageStore.setState({ ...store, coverage: withServers(store.coverage, frame.servers) }, true)
  }
  hear()
  return viewStore.subscribe(hear)
}

/** What servers and a dump of one instant tell by themselves. */
export function coverageAt(servers: readonly ServerFrame[], dump: DumpFrame | undefined): Coverage {
  const counted = withServers(NO_COVERAGE, servers)
  return dump === undefined ? counted : withDump(counted, dump)
}

/** Takes in a dump; that of another server than before begins the flows anew. */
export function hearDump(dump: DumpFrame): void {
  const { dumpsOf, ...store } = ofConnection()
  const { flows, dumps, held, left } = NO_COVERAGE
  const coverage = dumpsOf === dump.server ? store.coverage : { ...store.coverage, flows, dumps, held, left }
  coverageStore.setState({ ...store, dumpsOf: dump.server, coverage: withDump(coverage, dump) }, true)
}
