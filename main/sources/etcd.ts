import {
  EtcdAdviceSchema,
  EtcdChangedSchema,
  EtcdPreviewSchema,
  EtcdRequestSchema,
  type EtcdSpec,
  EtcdStateSchema,
  EtcdTestSchema,
  JsonSchema,
} from '../../core/contract/etcd.ts'
import { type Problem, ProblemError, toProblem } from '../../core/errors.ts'
import type { ServerHealth } from '../../core/contract/source.ts'
import type { QosConfiguration } from '../../core/qos/configuration.ts'
import { STORY_QUOTA, STORY_RULES, STORY_USED, storyRequests } from '../../core/qos/story.ts'
import { readRules } from '../../core/qos/read.ts'
import { randomOf, seededState } from '../../core/simulate/random.ts'
import { MS_PER_SECOND, rfc3339 } from '../../core/units.ts'
import { z } from 'zod'
import { listenerTls, upstreamFrom } from '../etcd/certificates.ts'
import { proxiesFolder } from '../etcd/control.ts'
import { findProxy } from '../etcd/controlClient.ts'
import { AdmissionGate } from '../etcd/admissionGate.ts'
import { Management } from '../etcd/management.ts'
import { NO_RULES } from '../../core/qos/configuration.ts'
import { openRulesStore } from '../etcd/rulesStore.ts'
import { assertFree, keptRules, startProxy } from '../etcd/startProxy.ts'
import type { StorageReading } from '../etcd/storage.ts'
import { readSmall } from '../proxy/smallFiles.ts'
import type { EtcdControl, Source, SourceResult } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'

interface Surroundings {
  readonly environment: Environment
  readonly stateDir: string
}

/** A running etcd proxy, or a simulated one, as a source: it has no API server and no frames. */
export async function createEtcdSource(spec: EtcdSpec, surroundings: Surroundings): Promise<SourceResult> {
  try {
    return {
      ok: true,
      source: await sourceFor(spec.of, surroundings),
    }
  } catch (error) {
    return { ok: false, problem: toProblem(error) }
  }
}

async function sourceFor(of: EtcdSpec['of'], surroundings: Surroundings): Promise<Source> {
  switch (of.kind) {
    case 'story':
      return story(of.seed, surroundings.environment)
    case 'proxy':
      return running(of, surroundings)
    case 'start':
      return started(of, surroundings)
  }
}

const HEALTH_MS = 2_000

interface Answering {
  readonly server: string
  readonly etcd: EtcdControl
  /** Rejects while the proxy does not answer. */
  readonly ping: () => Promise<unknown>
}

/** A source that reports whether its control answers, and emits nothing else by itself. */
function sourceOf(info: Source['info'], { server, etcd, ping }: Answering, { now, after }: Environment): Source {
  return {
    info,
    still: false,
    etcd,
    start(signal, emit) {
      let lastGoodAt: string | undefined
      let failures: { at: string; problem: Problem }[] = []
      let stop = (): void => undefined
      const look = async (): Promise<void> => {
        const failed = failures.length > 0
        try {
          await ping()
          failures = []
          if (lastGoodAt === undefined || failed) tell('ok')
          lastGoodAt = rfc3339(now())
        } catch (error) {
          failures = [...failures, { at: rfc3339(now()), problem: toProblem(error) }].slice(-MOST_FAILURES)
          tell('failing')
        }
        if (!signal.aborted) stop = after(HEALTH_MS, () => void look())
      }
      const tell = (status: ServerHealth['status']): void =>
        emit({
          kind: 'health',
          health: { id: server, status, failures, ...(lastGoodAt !== undefined && { lastGoodAt }) },
        })
      signal.addEventListener('abort', () => stop(), { once: true })
      void look()
    },
    tryNow: () => undefined,
    setCadence: () => undefined,
  }
}

const MOST_FAILURES = 8

/** A proxy that apf-console etcd-proxy runs on this machine. */
async function running(
  { name: wanted, editing }: Extract<EtcdSpec['of'], { kind: 'proxy' }>,
  { environment, stateDir }: Surroundings,
): Promise<Source> {
  const folder = proxiesFolder(stateDir)
  let proxy = await findProxy(folder, wanted)
  const { name } = proxy
  /** A restarted proxy listens at another address and has another token. */
  const again = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask()
    } catch (error) {
      if (toProblem(error).code !== 'unreachable') throw error
      proxy = await findProxy(folder, name)
      return ask()
    }
  }
  const control: EtcdControl = {
    state: () => again(() => proxy.call('State', {}, EtcdStateSchema)),
    change: (change) => again(() => proxy.call('Change', change, EtcdChangedSchema)),
    preview: (change) => again(() => proxy.call('Preview', change === undefined ? {} : { change }, EtcdPreviewSchema)),
    advise: () => again(() => proxy.call('Advise', {}, z.array(EtcdAdviceSchema))),
    requests: (monitor) => again(() => proxy.call('Requests', monitor, z.array(EtcdRequestSchema))),
    test: (record) => again(() => proxy.call('RuleTest', record, EtcdTestSchema)),
  }
  const { upstream } = await control.state()
  const ping = () => again(() => proxy.call('ClassList', {}, JsonSchema))
  const info = { kind: 'etcd', name, via: `etcd proxy before ${upstream}` } as const
  return sourceOf(info, { server: upstream, etcd: gated(control, editing), ping }, environment)
}

/** A proxy that the console starts and that ends with the connection; commands reach it like any other. */
async function started(
  of: Extract<EtcdSpec['of'], { kind: 'start' }>,
  { environment, stateDir }: Surroundings,
): Promise<Source> {
  const { name, port, caFile, certFile, keyFile, tls, rulesFile, editing } = of
  const url = new URL(of.upstream)
  if (url.username !== '' || url.password !== '')
    throw new ProblemError(
      'invalid-input',
      'The address of etcd has a user name; clients bring their own through the proxy.',
    )
  const folder = proxiesFolder(stateDir)
  await assertFree(folder, name)
  const upstream = await upstreamFrom(url, { ca: caFile, cert: certFile, key: keyFile })
  const listener = tls && (await listenerTls({ cert: tls.certFile, key: tls.keyFile, clientCa: tls.clientCaFile }))
  const given = rulesFile === undefined ? undefined : await rulesFrom(rulesFile)
  const kept = await keptRules(folder, name)
  // Enforcing is a choice, which is stored with the rules.
  const rules = kept.revision === 0 ? { ...kept, mode: 'observe' as const } : kept
  const proxy = await startProxy(
    { upstream, port, ...(listener && { tls: listener }), rules, folder, name, controlPort: 0, grpcPort: 0 },
    environment,
  )
  try {
    if (given !== undefined) await proxy.management.begin(given)
  } catch (error) {
    await proxy.close()
    throw error
  }
  const info = { kind: 'etcd', name, via: `etcd proxy before ${upstream.url}, started by the console` } as const
  const etcd = gated(controlOf(proxy.management), editing)
  const source = sourceOf(info, { server: upstream.url, etcd, ping: () => Promise.resolve() }, environment)
  let over = (): void => undefined
  return {
    ...source,
    closed: new Promise((resolve) => (over = resolve)),
    start(signal, emit) {
      const end = (): void => void proxy.close().finally(over)
      if (signal.aborted) end()
      else signal.addEventListener('abort', end, { once: true })
      source.start(signal, emit)
    },
  }
}

/** Rejects with `ProblemError` for a file with errors. */
async function rulesFrom(path: string): Promise<QosConfiguration> {
  const { configuration, findings } = readRules([{ file: path, text: (await readSmall(path, 'The rule file')).text }])
  if (configuration !== undefined) return configuration
  const [first] = findings.filter(({ severity }) => severity === 'error')
  throw new ProblemError('invalid-input', `${path}:${first?.line ?? 1}: ${first?.message ?? 'It holds no rules.'}`)
}

const controlOf = (management: Management): EtcdControl => ({
  state: async () => management.state(),
  change: (change) => management.change(change),
  preview: async (change) => management.preview(change),
  advise: async () => management.advise(),
  requests: async (wanted) => management.requests(wanted),
  test: async (record) => EtcdTestSchema.parse(management.test(record)),
})

/** Without editing, rules and mode are read-only. */
const gated = (control: EtcdControl, editing: boolean): EtcdControl =>
  editing
    ? control
    : {
        ...control,
        state: async () => ({ ...(await control.state()), editable: false }),
        change: () =>
          Promise.reject(
            new ProblemError('forbidden', 'Editing is off. Connect the proxy again with editing to change its rules.'),
          ),
      }

const TICK_MS = 100
/** Bytes that a write adds to the store, after compaction. */
const KEPT_PER_WRITE = 600

/** A simulated etcd with clients that overload it, behind the real rules engine. */
async function story(seed: number, environment: Environment): Promise<Source> {
  const random = randomOf(seededState(seed))
  const began = environment.now()
  const clock = { now: () => environment.now() - began, after: environment.after }
  const { configuration = NO_RULES } = readRules([{ file: 'story', text: STORY_RULES }])
  const gate = new AdmissionGate(configuration, 'enforce', clock)
  const store = await openRulesStore(undefined)
  let used = STORY_USED
  let applied = 1_000_000
  const storage = (): StorageReading => ({
    status: {
      version: '3.6.8',
      dbSize: 0.96 * STORY_QUOTA,
      dbSizeInUse: used,
      dbSizeQuota: STORY_QUOTA,
      raftIndex: applied + 40 + Math.round(20 * Math.sin(clock.now() / 3_000)),
      raftAppliedIndex: applied,
    },
    quota: STORY_QUOTA,
    quotaFrom: 'status',
  })
  const management = new Management(
    {
      gate,
      store,
      url: () => 'http://127.0.0.1:2381',
      upstream: 'http://127.0.0.1:2379',
      storage,
      now: clock.now,
      time: environment.now,
    },
    0,
  )
  await management.begin(configuration)
  management.watches = 1_284
  gate.setStorageQuotaUsed(used / STORY_QUOTA)

  const send = ({ request, observed }: ReturnType<typeof storyRequests>[number]): void => {
    const { end } = gate.arrive(request, (decision) => {
      if (decision?.verdict === 'limited') return
      if (request.method === 'KV/Put') {
        applied += 1
        used += KEPT_PER_WRITE
      }
      environment.after(observed.latencyMs ?? 0, () => end(observed))
    })
  }
  const info = { kind: 'etcd', name: 'Simulated etcd', via: `rules engine of the console, seed ${seed}` } as const
  const source = sourceOf(
    info,
    { server: 'etcd-0', etcd: controlOf(management), ping: () => Promise.resolve() },
    environment,
  )
  return {
    ...source,
    start(signal, emit) {
      let stop = (): void => undefined
      const tick = (): void => {
        for (const one of storyRequests(clock.now() / MS_PER_SECOND, TICK_MS / MS_PER_SECOND, random)) send(one)
        // Events expire about as fast as they are written while they are limited.
        used = Math.max(STORY_USED, used - 8 * KEPT_PER_WRITE * (TICK_MS / MS_PER_SECOND))
        gate.setStorageQuotaUsed(used / STORY_QUOTA)
        stop = environment.after(TICK_MS, tick)
      }
      tick()
      signal.addEventListener(
        'abort',
        () => {
          stop()
          gate.close()
          store.close()
        },
        { once: true },
      )
      source.start(signal, emit)
    },
  }
}
