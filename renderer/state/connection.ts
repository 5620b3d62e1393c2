import { create } from 'zustand'
import type { ProcedureInput, ProcedureName, ProcedureOutput } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/errors.ts'
import type { Connected, ServerHealth } from '../../core/contract/source.ts'
import { client } from './client.ts'
import { timeStore } from './time.ts'

export interface ConnectionState {
  /** The connected sources, in the order in which they were connected. */
  readonly connections: readonly Connected[]
  /** The connection that the screens show. */
  readonly connection: Connected | undefined
  /** Whether the other side of the contract is reachable at all. */
  readonly link: boolean
  /** False until the first list of connections arrives. */
  readonly known: boolean
}

export const connectionStore = create<ConnectionState>(() => ({
  connections: [],
  connection: undefined,
  link: true,
  known: false,
}))

/** Whether the last attempt at every server of a source failed. */
export const allFail = (servers: readonly Pick<ServerHealth, 'status'>[]): boolean =>
  servers.length > 0 && servers.every(({ status }) => status === 'failing')

/** The connections of the console, and whether this page still reaches the console. */
export const useConnection = (): ConnectionState => connectionStore()

/** The connection that the screens show, when there is one. */
export const useConnected = (): Connected | undefined => connectionStore(({ connection }) => connection)

/** Updates the connections. The shown connection stays as long as it exists; after that the newest is shown. */
export function tellConnections(connections: readonly Connected[]): void {
  const shown = connectionStore.getState().connection?.id
  const connection = connections.find(({ id }) => id === shown) ?? connections.at(-1)
  connectionStore.setState({ connections, connection, known: true })
}

/** Whether a source reads all clusters of a Prometheus, only for the Fleet screen. */
export const readsClusters = ({ spec }: Pick<Connected, 'spec'>): boolean =>
  spec.kind === 'prometheus' && spec.fleet === true

/** Whether a source is a cluster of the fleet: neither the run of a variant nor a proxy in front of an etcd. */
export const isCluster = ({ spec, etcd }: Connected): boolean => spec.kind !== 'run' && etcd !== true

/** Whether clusters can be compared: several are connected, or a source that reads several. */
export const hasSeveral = (connections: readonly Connected[]): boolean =>
  connections.filter(isCluster).length > 1 || connections.some(readsClusters)

/** Whether the source shows single requests. */
export const showsRequests = ({ source: { kind }, requests }: Connected): boolean =>
  requests === true || kind === 'proxy' || kind === 'feed' || kind === 'simulation'

export function showConnection(id: number): void {
  const connection = connectionStore.getState().connections.find((one) => one.id === id)
  if (connection !== undefined) connectionStore.setState({ connection })
}

/** A source to connect; the other side fills in omitted fields. */
export type WishedSource = ProcedureInput<'sources.connect'>['spec']

/** Connects a source in place of the shown one, or `beside` all others, and shows it. Rejects with `ProblemError`. */
export async function connectSource(spec: WishedSource, beside = false): Promise<Connected> {
  const inPlaceOf = connectionStore.getState().connection?.id ?? null
  const made = await client().call('sources.connect', { spec, ...(!beside && { inPlaceOf }) })
  // A range of another source shows nothing of this one.
  timeStore.getState().live()
  // The stream may be slower than the answer.
  connectionStore.setState(({ connections }) => ({
    connections: connections.some(({ id }) => id === made.id)
      ? connections
      : [...connections.filter(({ id }) => beside || id !== inPlaceOf), made],
    connection: made,
    known: true,
  }))
  return made
}

/** Disconnects a source. Rejects with `ProblemError`. */
export async function disconnectSource(connection: number): Promise<void> {
  await client().call('sources.disconnect', { connection })
}

/** Procedures about one connected source. */
export type OfConnection = {
  [N in ProcedureName]: ProcedureInput<N> extends { readonly connection: number } ? N : never
}[ProcedureName]

/** TypeScript cannot see that the omitted part and the rest form the whole input; the other side checks it. */
interface Whole {
  call<N extends OfConnection>(name: N, input: object): Promise<ProcedureOutput<N>>
}

/**
 * Calls a procedure for the shown source, or for another connection. Rejects with `ProblemError`; `not-found` when
 * there is none.
 */
export async function ask<N extends OfConnection>(
  name: N,
  input: Omit<ProcedureInput<N>, 'connection'>,
  of?: number,
): Promise<ProcedureOutput<N>> {
  const { connection } = connectionStore.getState()
  if (connection === undefined) throw new ProblemError('not-found', 'No source is connected.')
  const line: Whole = client()
  return line.call(name, { ...input, connection: of ?? connection.id })
}

/**
 * Calls `follow` for the shown connection, and again whenever another one is shown, after the function that it
 * returned.
 */
export function followConnection(follow: (connection: number | undefined) => () => void): () => void {
  let shown = connectionStore.getState().connection?.id
  let stop = follow(shown)
  const unsubscribe = connectionStore.subscribe(({ connection }) => {
    if (connection?.id === shown) return
    shown = connection?.id
    stop()
    stop = follow(shown)
  })
  return () => {
    unsubscribe()
    stop()
  }
}
