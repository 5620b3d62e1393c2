import type { AbortSignalLike, Handlers, StreamEvent } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/errors.ts'
import { SettingsSchema } from '../../core/contract/storedSettings.ts'

/** The current subscribers of one stream. */
function outlet<E>() {
  const listeners = new Set<(event: E) => void>()
  return {
    open: () => listeners.size,
    emit: (event: E) => {
      for (const listener of listeners) listener(event)
    },
    add: (listener: (event: E) => void, signal: AbortSignalLike) => {
      listeners.add(listener)
      signal.addEventListener('abort', () => void listeners.delete(listener))
    },
  }
}

/** A small stand-in for the workspace: settings that can be changed, and streams that the test feeds. */
export interface FakeWorkspace {
  readonly handlers: Handlers
  /** Names of the calls that arrived, oldest first. */
  readonly calls: string[]
  /** Open subscriptions of `frames`. */
  openFrames(): number
  /** Sends a frame of about `padding` bytes. */
  emitFrame(seq: number, padding?: number): void
  close(): void
}

const frame = (seq: number, padding: number): StreamEvent<'frames'> => ({
  connection: 1,
  seq,
  frame: {
    formatVersion: 1,
    at: '2026-01-01T00:00:00.000Z',
    source: { kind: 'demo', name: 'x'.repeat(padding), via: 'test' },
    servers: [],
  },
  derived: [],
})

export function fakeWorkspace(mode: 'desktop' | 'web' | 'memory' = 'memory'): FakeWorkspace {
  const calls: string[] = []
  const frames = outlet<StreamEvent<'frames'>>()
  const dumps = outlet<StreamEvent<'dumps'>>()
  let settings = SettingsSchema.parse({})
  const refuse = (name: string) => async (): Promise<never> => {
    calls.push(name)
    throw new ProblemError('unsupported', `${name} is not part of this test.`)
  }
  return {
    calls,
    openFrames: frames.open,
    emitFrame: (seq, padding = 0) => frames.emit(frame(seq, padding)),
    close: () => undefined,
    handlers: {
      procedures: {
        'app.info': async () => {
          calls.push('app.info')
          return { version: '0.0.0-test', mode, platform: 'test' }
        },
        'app.update': async () => ({ state: 'off' }),
        'settings.read': async () => settings,
        'settings.write': async (change) => {
          calls.push('settings.write')
          settings = { ...settings, ...change }
          return settings
        },
        'sources.contexts': async () => [],
        'sources.permissions': refuse('sources.permissions'),
        'sources.servers': refuse('sources.servers'),
        'sources.services': refuse('sources.services'),
        'sources.stopPast': async () => null,
        'sources.connect': refuse('sources.connect'),
        'sources.disconnect': async () => null,
        'sources.cadence': refuse('sources.cadence'),
        'sources.tryNow': async () => null,
        'sources.recent': async () => [],
        'sources.forget': async () => [],
        'recordings.list': async () => [],
        'recordings.strip': async () => ({ bars: [], coverage: 1 }),
        'recordings.remove': refuse('recordings.remove'),
        'recordings.upload': refuse('recordings.upload'),
        'recordings.uploadPart': refuse('recordings.uploadPart'),
        'recordings.cancelUpload': refuse('recordings.cancelUpload'),
        'recordings.import': refuse('recordings.import'),
        'recordings.imported': refuse('recordings.imported'),
        'past.open': refuse('past.open'),
        'past.extent': refuse('past.extent'),
        'past.step': refuse('past.step'),
        'past.moment': refuse('past.moment'),
        'past.facts': refuse('past.facts'),
        'past.dump': refuse('past.dump'),
        'past.requests': refuse('past.requests'),
        'past.notes': refuse('past.notes'),
        'recorder.switch': refuse('recorder.switch'),
        'alerts.silence': refuse('alerts.silence'),
        'history.series': refuse('history.series'),
        'history.heatMap': refuse('history.heatMap'),
        'sources.facts': refuse('sources.facts'),
        'allocation.steps': refuse('allocation.steps'),
        'simulation.state': refuse('simulation.state'),
        'simulation.control': refuse('simulation.control'),
        'editing.switch': refuse('editing.switch'),
        'objects.check': refuse('objects.check'),
        'objects.apply': refuse('objects.apply'),
        'objects.giveUp': refuse('objects.giveUp'),
        'objects.elsewhere': refuse('objects.elsewhere'),
        'journal.read': refuse('journal.read'),
        'journal.undo': refuse('journal.undo'),
        'journal.redo': refuse('journal.redo'),
        'effects.read': refuse('effects.read'),
        'drafts.read': refuse('drafts.read'),
        'drafts.write': refuse('drafts.write'),
        'requests.read': refuse('requests.read'),
        'requests.change': refuse('requests.change'),
        'live.page': refuse('live.page'),
        'live.candidate': refuse('live.candidate'),
        'live.mode': refuse('live.mode'),
        'forecast.evidence': refuse('forecast.evidence'),
        'etcd.change': refuse('etcd.change'),
        'etcd.preview': refuse('etcd.preview'),
        'etcd.advise': refuse('etcd.advise'),
        'etcd.requests': refuse('etcd.requests'),
        'whatIf.scenarios': async () => [],
        'whatIf.scenarioText': refuse('whatIf.scenarioText'),
        'whatIf.ownScenarios': async () => [],
        'whatIf.keepScenario': refuse('whatIf.keepScenario'),
        'etcd.test': refuse('etcd.test'),
      },
      streams: {
        connections: (_params, emit) => emit([]),
        notices: (_params, emit) => emit([]),
        consent: (_params, emit) => emit({ waiting: null }),
        frames: (_params, emit, signal) => frames.add(emit, signal),
        dumps: (_params, emit, signal) => dumps.add(emit, signal),
        sweep: () => undefined,
        summary: () => undefined,
        simulation: () => undefined,
        objects: () => undefined,
        live: () => undefined,
        liveState: () => undefined,
        etcd: () => undefined,
        whatIf: () => undefined,
        scenario: () => undefined,
        forecast: () => undefined,
        tune: () => undefined,
        export: () => undefined,
        report: () => undefined,
        diagnosis: () => undefined,
        advice: () => undefined,
        pastAlerts: () => undefined,
        pastPeriod: () => undefined,
        effects: () => undefined,
        recorder: () => undefined,
        alerts: () => undefined,
        notes: () => undefined,
      },
    },
  }
}
