import { create } from 'zustand'
import { NO_COVERAGE, withDump, withServers, type Coverage } from '../../../../core/classify/coverage.ts'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import type { ServerFrame } from '../../../../core/frame/frame.ts'
import { connectionStore } from '../../../state/connection.ts'
import { viewStore } from '../../../state/view.ts'

interface CoverageStore {
  /** Id of the connection that the coverage belongs to. */
  readonly connection?: number
  readonly coverage: Coverage
  /** The server whose dumps were read. */
  readonly dumpsOf?: string
}

const NOTHING: CoverageStore = { coverage: NO_COVERAGE }

/** Coverage of the present while Classify was open; kept for as long as the source stays connected. */
export const coverageStore = create<CoverageStore>(() => NOTHING)

/** Coverage of the connected source so far, from the store. */
function ofConnection(): CoverageStore {
  const { connection } = connectionStore.getState()
  const id = connection?.id
  const store = coverageStore.getState()
  return store.connection === id || id === undefined ? store : { ...NOTHING, connection: id }
}

/** Subscribes to frames. Returns the function that unsubscribes. */
export function startCoverage(): () => void {
  let heard: unknown
  const hear = (): void => {
    const { frame, mode } = viewStore.getState()
    // Instants of the past come in any order, and their counters would look like those of a restarted server.
    if (frame === undefined || frame === heard || mode === 'past') return
    heard = frame
    const store = ofConnection()
    coverageStore.setState({ ...store, coverage: withServers(store.coverage, frame.servers) }, true)
  }
  hear()
  return viewStore.subscribe(hear)
}

/** The coverage that the servers and a dump of one instant show by themselves. */
export function coverageAt(servers: readonly ServerFrame[], dump: DumpFrame | undefined): Coverage {
  const counted = withServers(NO_COVERAGE, servers)
  return dump === undefined ? counted : withDump(counted, dump)
}

/** Adds a dump; a dump of another server than before resets the flows. */
export function hearDump(dump: DumpFrame): void {
  const { dumpsOf, ...store } = ofConnection()
  const { flows, dumps, held, left } = NO_COVERAGE
  const coverage = dumpsOf === dump.server ? store.coverage : { ...store.coverage, flows, dumps, held, left }
  coverageStore.setState({ ...store, dumpsOf: dump.server, coverage: withDump(coverage, dump) }, true)
}
