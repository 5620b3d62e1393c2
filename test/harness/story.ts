import type { ConnectedClient } from '../../core/contract/client.ts'
import type { Handlers } from '../../core/contract/contract.ts'
import type { Connected, Consent, SourceSpec } from '../../core/contract/source.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { createTopic } from '../../main/ports/topic.ts'
import type { SourceResult } from '../../main/ports/source.ts'
import type { WhatIfRunner } from '../../main/ports/whatIf.ts'
import { createFilesSource } from '../../main/sources/files.ts'
import { createSimulationSource } from '../../main/sources/simulation.ts'
import { CONTEXTS, permissionReports } from '../fixtures/permissions.ts'
import { prometheusServers } from '../fixtures/prometheusServers.ts'
import { allNamed } from './consent.ts'
import { memoryClient } from './ports.ts'
import { standingClock } from './standingClock.ts'
import { STORY_VERSION, storyObjects, type StoryObjects, type StoryObjectsOptions } from './storyObjects.ts'
import { storySource, type StorySource, type StorySourceOptions } from './storySource.ts'
import { storyTraffic, type StoryTraffic } from './storyTraffic.ts'
import { testWorkspace } from './workspace.ts'

export interface StoryOptions extends StorySourceOptions {
  /** The source that is connected from the start; `null`: none. */
  readonly spec?: SourceSpec | null
  /** Seconds that were lived through before the present. */
  readonly history?: number
  /** The present, Unix milliseconds: the newest frame is of it. */
  readonly now?: number
  /** Requests before the present, and requests a second; for a proxy only. */
  readonly traffic?: { readonly before: number; readonly perSecond: number }
  /** Flow-control objects otherwise than those of a cluster; `null`: none. */
  readonly objects?: StoryObjectsOptions | null
  /** Where comparisons run; absent: nowhere. */
  readonly whatIf?: WhatIfRunner
  /** Whether contexts of a kubeconfig are found on this machine. */
  readonly kubeconfig?: boolean
}

/** The console's own side, connected to a synthetic story that advances with its clock. */
export interface Story {
  readonly client: ConnectedClient
  /** The same side for another line. */
  readonly handlers: Handlers
  /** What is connected, for a component that is shown without `startState`. */
  readonly connections: () => readonly Connected[]
  /** Advances the time, and the story with it. */
  advance(ms: number): void
  /** The source emits an event outside the story. */
  tell(event: SourceEvent): void
  /** No frames of the first server while silent, as if it did not respond. */
  setSilent(silent: boolean): void
  /** Opens a question to the operator, or closes it. */
  setConsent(state: Consent): void
  readonly objects: Omit<StoryObjects, 'gateway'>
  stop(): void
}

/** Frames that arrived at a moment are sent a little later (`main/workspace/session.ts`). */
const TOLD_MS = 50

/** The real workspace with a synthetic source, spoken to over the contract. */
export async function openStory(options: StoryOptions = {}): Promise<Story> {
  const { spec = { kind: 'demo' }, now = Date.now(), history = 60, kubeconfig = true } = options
  const { before, perSecond } = options.traffic ?? { before: 0, perSecond: 0 }
  const trafficMs = perSecond === 0 ? 0 : (before / perSecond) * 1_000
  const livedMs = Math.max(history * 1_000, trafficMs)
  const clock = standingClock(now - livedMs)
  const { environment } = clock
  const consent = createTopic<Consent>()
  consent.publish({ waiting: null })
  let source: StorySource | undefined
  let traffic: StoryTraffic | undefined
  let opened = false
  const { gateway, ...objects } = storyObjects(options.objects ?? {}, environment.now, (next) =>
    traffic?.configure(next),
  )

  const makeSource = async (wanted: SourceSpec): Promise<SourceResult> => {
    // No test moves the clock for sources that the user connects.
    if (opened) setImmediate(() => clock.advance(TOLD_MS))
    if (wanted.kind === 'files') return createFilesSource(wanted.files, environment)
    if (wanted.kind === 'simulation') {
      const simulation = createSimulationSource(wanted, environment, { backfillSeconds: 20, stopwatch: () => 0 })
      return { ok: true, source: simulation, simulation }
    }
    traffic?.end()
    traffic =
      wanted.kind === 'proxy'
        ? storyTraffic({
            mode: wanted.mode,
            perSecond,
            version: STORY_VERSION,
            objects: objects.now(),
            environment,
          })
        : undefined
    environment.after(Math.max(0, now + TOLD_MS - trafficMs - environment.now()), () => traffic?.begin())
    source = storySource(wanted, environment, options, {
      ...(options.objects !== null && { objects: gateway }),
      live: traffic?.live,
    })
    return { ok: true, source: source.source }
  }
  const workspace = testWorkspace(undefined, {
    environment,
    ...(options.whatIf !== undefined && { whatIf: options.whatIf }),
    access: {
      makeSource,
      consent: { ...allNamed, state: consent },
      listContexts: async () => (kubeconfig ? [...CONTEXTS] : []),
      permissionReports: async (target) => permissionReports(target),
      prometheusServers: async (target) => prometheusServers(target, environment.now()),
    },
  })
  const ended = new AbortController()
  let connections: readonly Connected[] = []
  workspace.handlers.streams.connections(null, (told) => void (connections = told), ended.signal)
  if (spec !== null) await workspace.handlers.procedures['sources.connect']({ spec, inPlaceOf: null })
  clock.advance(livedMs + TOLD_MS)
  opened = true
  const client = memoryClient(workspace.handlers, environment)
  return {
    client,
    handlers: workspace.handlers,
    connections: () => connections,
    advance: clock.advance,
    tell(event) {
      source?.tell(event)
      clock.advance(TOLD_MS)
    },
    setSilent(silent) {
      source?.setSilent(silent)
      clock.advance(TOLD_MS)
    },
    setConsent: (state) => consent.publish(state),
    objects,
    stop() {
      ended.abort()
      client.close()
      void workspace.close()
      traffic?.end()
    },
  }
}
