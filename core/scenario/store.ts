import type { Verdict } from '../contract/scenario.ts'
import type { QosConfiguration } from '../qos/configuration.ts'
import type { RequestRecord } from '../qos/record.ts'
import type { Distribution } from '../simulate/random.ts'
import type { Scenario } from './scenario.ts'

/** A situation of an etcd: clients, a simulated store, and rules in front of it (docs/scenarios.md). */
export interface StoreScenario extends Omit<Scenario, 'stored' | 'clients' | 'phases' | 'controllers' | 'variants'> {
  readonly etcd: Store
  readonly clients: readonly StoreClients[]
  readonly variants: readonly StoreVariant[]
}

export interface Store {
  /** When this many bytes are stored, etcd rejects every write from then on. */
  readonly quotaBytes: number
  /** Initial number of bytes. */
  readonly usedBytes: number
  /** Calls that it executes concurrently; others wait for their turn. */
  readonly concurrency: number
}

export interface StoreVariant {
  readonly name: string
  readonly rules: QosConfiguration
  readonly verdict?: Verdict
}

/** Clients with the same behaviour. */
export interface StoreClients {
  readonly name: string
  readonly clients: number
  readonly fromMs: number
  readonly toMs: number
  readonly behaviour:
    | { readonly kind: 'closed'; readonly threads: number; readonly think: Distribution }
    | { readonly kind: 'open'; readonly perSecond: number }
  /** The calls of the client with this number, in order; its keys contain that number. */
  readonly calls: (client: number) => readonly StoreCall[]
}

/** A request and its cost: `latencyMs` is the store's execution time. */
export type StoreCall = Pick<RequestRecord, 'request' | 'observed'>
