import { useEffect, useMemo, useState } from 'react'
import type { ObjectSet } from '../../core/config/objects.ts'
import type { Client } from '../../core/contract/contract.ts'
import type { SourceSummary } from '../../core/contract/fleet.ts'
import type { ObjectsState } from '../../core/contract/objects.ts'
import type { PrometheusSpec } from '../../core/contract/prometheus.ts'
import type { Connected } from '../../core/contract/source.ts'
import { configurationDrift, type ConfigurationDrift } from '../../core/fleet/configuration.ts'
import type { FleetSource } from '../../core/fleet/fleet.ts'
import { staleAfterMs } from '../../core/frame/staleAfter.ts'
import { client } from './client.ts'
import { connectionStore, connectSource, isCluster, showConnection, useConnection } from './connection.ts'
import { rememberLevels } from './settings.ts'
import { sayFailure } from './shell.ts'

/** The known state of the connections, by their ids. */
interface Known {
  /** Unix milliseconds by the clock of this page. */
  readonly at: number
  readonly summaries: ReadonlyMap<number, SourceSummary>
  readonly objects: ReadonlyMap<number, ObjectsState>
}

const NOTHING: Known = { at: 0, summaries: new Map(), objects: new Map() }

/** Sources emit at different moments; the screen updates for all of them at once, with its clock. Milliseconds. */
const TICK_MS = 1_000

/** Follows the summaries and objects of several connections. Returns the function that ends it. */
function follow(ids: readonly number[], from: Pick<Client, 'subscribe'>, tell: (known: Known) => void): () => void {
  const summaries = new Map<number, SourceSummary>()
  /** A new map only when objects change, because comparing them every second would be expensive. */
  let objects: ReadonlyMap<number, ObjectsState> = new Map()
  const waiting = new Set(ids)
  let named: readonly SourceSummary[] = []
  const flush = (): void => {
    const latest = [...summaries.values()]
    if (latest.some((summary, index) => summary !== named[index])) rememberLevels(levelNames(latest))
    named = latest
    tell({ at: Date.now(), summaries: new Map(summaries), objects })
  }
  const timer = setInterval(flush, TICK_MS)
  const stops = ids.flatMap((connection) => [
    from.subscribe('summary', { connection }, (summary) => {
      summaries.set(connection, summary)
      // The first summary of a source is shown without waiting for the clock.
      if (waiting.delete(connection)) flush()
    }),
    from.subscribe('objects', { connection }, (state) => {
      objects = new Map([...objects, [connection, state]])
    }),
  ])
  return () => {
    clearInterval(timer)
    for (const stop of stops) stop()
  }
}

const levelNames = (summaries: readonly SourceSummary[]): string[] => [
  ...new Set(summaries.flatMap(({ servers }) => servers.flatMap(({ levels }) => levels))),
]

/** The objects to compare those of the sources with: the built-in ones of their versions, or those of one of them. */
export type FleetReference = 'built-in' | number

/**
 * All connected sources side by side while a screen shows them, and the instant from which their ages count, Unix ms.
 */
export function useFleet(reference: FleetReference): {
  readonly sources: readonly FleetSource[]
  readonly now: number
} {
  const all = useConnection().connections
  const connections = useMemo(() => all.filter(isCluster), [all])
  const ids = connections.map(({ id }) => id).join(' ')
  const [known, setKnown] = useState(NOTHING)
  useEffect(() => follow(ids === '' ? [] : ids.split(' ').map(Number), client(), setKnown), [ids])
  const drifts = useMemo(() => driftsOf(known.objects, reference), [known.objects, reference])
  return useMemo(
    () => ({
      now: known.at,
      sources: connections
        .filter((connection) => !isPartOfWhole(connection, connections, known.summaries))
        .map((connection) => sourceOf(connection, known.summaries.get(connection.id), drifts)),
    }),
    [connections, known, drifts],
  )
}

/** Servers of a Prometheus that were connected separately are listed once, where all of them are listed. */
function isPartOfWhole(
  { id, spec }: Connected,
  connections: readonly Connected[],
  summaries: Known['summaries'],
): boolean {
  if (spec.kind !== 'prometheus' || spec.instances === undefined) return false
  return connections.some(
    (other) =>
      other.id !== id &&
      other.spec.kind === 'prometheus' &&
      other.spec.url === spec.url &&
      other.spec.tenant === spec.tenant &&
      summaries.get(other.id)?.whole === true,
  )
}

function sourceOf(
  { id, source, cadence, servers, still }: Connected,
  summary: SourceSummary | undefined,
  drifts: ReadonlyMap<number, ConfigurationDrift>,
): FleetSource {
  return {
    id,
    name: source.name,
    via: source.via,
    // A simulation has its own clock.
    still: still || source.kind === 'simulation',
    health: servers,
    servers: summary?.servers,
    whole: summary?.whole,
    drift: drifts.get(id),
    staleAfterMs: staleAfterMs(cadence.intervalMs),
  }
}

function driftsOf(
  states: ReadonlyMap<number, ObjectsState>,
  reference: FleetReference,
): ReadonlyMap<number, ConfigurationDrift> {
  const against = reference === 'built-in' ? undefined : readable(states.get(reference))
  if (reference !== 'built-in' && against === undefined) return new Map()
  return new Map(
    [...states].flatMap(([id, state]): [number, ConfigurationDrift][] => {
      const objects = readable(state)
      if (objects === undefined || state.version === undefined) return []
      return [[id, configurationDrift(objects, state.version, against)]]
    }),
  )
}

const readable = (state: ObjectsState | undefined): ObjectSet | undefined =>
  state !== undefined && state.origin !== 'none' && (state.state === 'current' || state.state === 'stale')
    ? state.objects
    : undefined

/**
 * Shows the source of a server, then opens the requested screen. For a source that has frames of only some of its
 * servers, the server is connected separately, beside the others, unless it already is.
 */
export function showServer({ id, cluster, whole }: FleetSource, server: string | undefined, open: () => void): void {
  const { connections } = connectionStore.getState()
  const of = connections.find((connection) => connection.id === id)
  const read = whole !== true || of?.servers.some((one) => one.id === server) === true
  if (read || server === undefined || of?.spec.kind !== 'prometheus') {
    showConnection(id)
    return open()
  }
  const { fleet: _, ...rest } = of.spec
  const spec = { ...rest, ...(cluster !== undefined && { cluster }), instances: [server] }
  const there = connections.find((connection) => isOfServer(connection, spec))
  if (there !== undefined) {
    showConnection(there.id)
    return open()
  }
  // A click and a key may open the same server before it is connected.
  const asked = JSON.stringify(spec)
  if (asked === connecting) return
  connecting = asked
  connectSource(spec, true)
    .then(open, sayFailure)
    .finally(() => {
      connecting = undefined
    })
}

/** The server that is being connected, as it was requested. */
let connecting: string | undefined

const isOfServer = ({ spec }: Connected, { url, cluster, instances }: PrometheusSpec): boolean =>
  spec.kind === 'prometheus' &&
  spec.url === url &&
  spec.cluster === cluster &&
  spec.instances?.length === 1 &&
  spec.instances[0] === instances?.[0]
