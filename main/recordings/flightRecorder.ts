import { join } from 'node:path'
import { ProblemError } from '../../core/errors.ts'
import type { Note, RecorderState } from '../../core/contract/recording.ts'
import type { Settings } from '../../core/contract/settings.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import type { ServerStretch } from '../../core/source/picture.ts'
import { megabytesToBytes, MS_PER_DAY, type UnixMs } from '../../core/units.ts'
import type { Environment } from '../ports/environment.ts'
import { createTopic, type Subscribable } from '../ports/topic.ts'
import type { Presence } from '../store/database.ts'
import { RECORDINGS, removeOld } from './library.ts'
import { startRecorder, type Recorder } from './recorder.ts'

/** Records one source while it is switched on, and keeps all recordings within the retention limits. */
export interface FlightRecorder {
  /** `notes`: the notes about the event. */
  take(event: SourceEvent, notes: readonly Note[]): void
  /** Throws `unsupported` where the source itself is a recording. */
  switch(on: boolean): void
  readonly state: Subscribable<RecorderState>
  /** Settles once everything that was taken is stored. */
  end(): Promise<void>
}

export interface FlightRecorderOptions {
  readonly stateDir: string
  readonly source: SourceInfo
  readonly environment: Environment
  readonly settings: () => Promise<Settings>
  readonly presence: () => Promise<Presence>
  /** The stretches of the samples between two instants, for each server. */
  readonly stretches: (from: UnixMs, to: UnixMs) => readonly ServerStretch[]
}

/** The events of a recording or a demo are on the disk already. */
const NOT_RECORDED: ReadonlySet<SourceInfo['kind']> = new Set(['file', 'demo', 'recording', 'run'])

/** Starts as the settings specify. */
export async function startFlightRecorder(options: FlightRecorderOptions): Promise<FlightRecorder> {
  const { environment, source } = options
  const folder = join(options.stateDir, RECORDINGS)
  const state = createTopic<RecorderState>()
  const possible = !NOT_RECORDED.has(source.kind)
  const presence = await options.presence()
  let running: { readonly recorder: Recorder; readonly ended: AbortController } | undefined
  let closing = Promise.resolve()

  /** If the settings cannot be read, nothing is removed. */
  const tidy = async (): Promise<void> => {
    const { keepDays, keepMegabytes } = await options.settings()
    const kept = { ageMs: keepDays * MS_PER_DAY, bytes: megabytesToBytes(keepMegabytes) }
    removeOld(folder, kept, environment.now(), (writer) => presence.runs(writer))
  }
  const off = (): void => state.publish({ status: 'off', possible, folder })
  const change = (on: boolean): void => {
    if (on === (running !== undefined)) return
    if (running !== undefined) {
      const { recorder, ended } = running
      running = undefined
      ended.abort()
      closing = Promise.all([closing, recorder.end()]).then(() => undefined)
      return off()
    }
    const ended = new AbortController()
    const recorder = startRecorder({
      folder,
      source,
      writer: presence.own(),
      environment,
      stretches: options.stretches,
      onChapter: () => void tidy().catch(() => undefined),
    })
    running = { recorder, ended }
    state.publish({ status: 'recording', possible, folder })
    recorder.state.subscribe((latest) => state.publish({ ...latest, possible, folder }), ended.signal)
  }

  off()
  const { record } = await options.settings()
  change(record && possible)
  return {
    take: (event, notes) => running?.recorder.take(event, notes),
    switch(on) {
      if (on && !possible) throw new ProblemError('unsupported', 'A file is not recorded: it can be opened again.')
      change(on)
    },
    state,
    async end() {
      change(false)
      await closing
    },
  }
}
