import type { Verdict } from '../contract/scenario.ts'
import type { QosConfiguration } from '../qos/configuration.ts'
import type { RequestRecord } from '../qos/record.ts'
import type { Distribution } from '../simulate/random.ts'
import type { Scenario } from './scenario.ts'

/** A situation before an etcd: clients, a simulated store, and rules in front of it (docs/scenarios.md). */
export interface StoreScenario extends Omit<Scenario, 'stored' | 'clients' | 'phases' | 'controllers' | 'variants'> {
  readonly etcd: Store
  readonly clients: readonly StoreClients[]
  readonly variants: readonly StoreVariant[]
}

export interface Store {
  /** When so many bytes are stored, etcd refuses every write from then on. */
  readonly quotaBytes: number
  /** At the start. */
  readonly usedBytes: number
  /** Calls that it works on at a time; others wait for their turn. */
  readonly concurrency: number
}

export interface StoreVariant {
  readonly name: string
  readonly rules: QosConfiguration
  readonly verdict?: Verdict
}

/** Clients that do the same. */
export interface StoreClients {
  readonly name: string
  readonly clients: number
  readonly fromMs: number
  readonly toMs: number
  readonly behaviour:
    | { readonly kind: 'closed'; readonly threads: number; readonly think: Distribution }
    | { readonly kind: 'open'; readonly perSecond: number }
  /** What the client of a number asks for, one after another; its keys hold that number. */
  readonly calls: (client: number) => readonly StoreCall[]
}

/** What is asked for, and what it costs: `latencyMs` is how long the store works on it. */
export type StoreCall = Pick<RequestRecord, 'request' | 'observed'>
