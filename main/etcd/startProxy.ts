import { ProblemError } from '../../core/errors.ts'
import type { QosConfiguration, Settings } from '../../core/qos/configuration.ts'
import type { Settled } from '../../core/qos/seen.ts'
import type { Environment } from '../ports/environment.ts'
import type { TlsFiles } from '../proxy/listen.ts'
import { watchBypass } from './bypass.ts'
import { addressOf, type ControlServer, rulesFile, startControl } from './control.ts'
import { answers } from './controlClient.ts'
import { AdmissionGate, type Mode } from './admissionGate.ts'
import { openEtcdProxy } from './etcdProxy.ts'
import { keptConfiguration, Management } from './management.ts'
import { EtcdMetrics } from './metrics.ts'
import { openRulesStore, type RulesStore } from './rulesStore.ts'
import { watchStorage } from './storage.ts'
import type { Upstream } from './upstream.ts'

/** The initial rules of a proxy. */
export interface StartRules {
  readonly configuration: QosConfiguration
  readonly mode: Mode
  readonly revision: number
  /** Where changes are kept; absent for rules from files. */
  readonly store?: RulesStore
}

export interface ProxyStart {
  readonly upstream: Upstream
  /** Defaults to 127.0.0.1. */
  readonly host?: string
  /** 0 selects a free port, here and below. */
  readonly port: number
  readonly tls?: TlsFiles
  readonly rules: StartRules
  /** Folder and name of the file that contains the address of the proxy. */
  readonly folder: string
  readonly name: string
  readonly controlPort: number
  readonly grpcPort: number
  readonly onDecided?: (decision: Settled, settings: Settings) => void
  /** The member cannot be reached, with the reason, or answers again. */
  readonly onReach?: (problem: string | undefined) => void
}

/** A proxy with its management servers and watchers. */
export interface StartedProxy {
  readonly url: string
  readonly gate: AdmissionGate
  readonly management: Management
  readonly metrics: EtcdMetrics
  readonly control: ControlServer
  close(): Promise<void>
}

/** Rejects with `ProblemError` when a proxy of this name already runs. */
export async function assertFree(folder: string, name: string): Promise<void> {
  const other = await addressOf(folder, name)
  if (other !== undefined && (await answers(other)))
    throw new ProblemError(
      'invalid-input',
      `An etcd proxy named ${name} runs already (process ${other.pid}). Give this one another name.`,
    )
}

/** The stored rules of a proxy of this name, and the store for further changes. */
export async function keptRules(folder: string, name: string): Promise<StartRules & { readonly store: RulesStore }> {
  const store = await openRulesStore(rulesFile(folder, name))
  try {
    return { store, ...(await keptConfiguration(store)) }
  } catch (error) {
    store.close()
    throw error
  }
}

/**
 * Starts a proxy and its management. When it rejects, everything that was opened is closed again, including the store
 * of the rules.
 */
export async function startProxy(start: ProxyStart, { now: time, after }: Environment): Promise<StartedProxy> {
  const { upstream, rules, folder, name, onDecided, onReach = () => undefined } = start
  const clock = { now: () => performance.now(), after }
  const gate = new AdmissionGate(rules.configuration, rules.mode, clock)
  if (onDecided !== undefined) gate.on('decided', (decision) => onDecided(decision, gate.configuration.settings))
  const storage = watchStorage(upstream, gate, clock.now, onReach)
  const calls = { begun: 0, answered: 0, givenUp: 0 }
  const bypass = watchBypass(upstream, calls, clock.now)
  const closing: (() => unknown)[] = [
    () => rules.store?.close(),
    () => gate.close(),
    () => storage.close(),
    () => bypass.close(),
  ]
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).toReversed()) await one()
  }
  try {
    let url = ''
    const management = new Management(
      {
        gate,
        ...(rules.store !== undefined && { store: rules.store }),
        url: () => url,
        upstream: upstream.url,
        storage: storage.reading,
        bypass: bypass.reading,
        now: clock.now,
        time,
      },
      rules.revision,
    )
    const metrics = new EtcdMetrics(gate, management, { storage: storage.reading, clock })
    const proxy = await openEtcdProxy({
      upstream,
      ...(start.host !== undefined && { host: start.host }),
      port: start.port,
      ...(start.tls !== undefined && { tls: start.tls }),
      gate,
      now: clock.now,
      meter: metrics,
      calls,
    })
    closing.push(() => proxy.close())
    url = proxy.url
    const { controlPort, grpcPort } = start
    const control = await startControl({ port: controlPort, grpcPort, management, folder, name })
    closing.push(() => control.close())
    return { url, gate, management, metrics, control, close }
  } catch (error) {
    await close()
    throw error
  }
}
