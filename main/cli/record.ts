import { once } from 'node:events'
import { ProblemError } from '../../core/errors.ts'
import type { RecordingState } from '../../core/contract/recording.ts'
import { MS_PER_DAY } from '../../core/units.ts'
import { createPause } from '../ports/pause.ts'
import { openStore } from '../store/store.ts'
import { openSource } from '../workspace/connectedSource.ts'
import type { Console, ExitCode } from './console.ts'
import { recordingNamed } from './recordingOptions.ts'
import { exportTo } from './share.ts'
import { createTeller } from './snapshot.ts'
import { defaultSource, SOURCE_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { readDuration, UsageError, type Command, type Given } from './usage.ts'

/** Records a source without a window: to the recordings of this user, and to a file once it ends. */
export const record: Command = {
  options: { ...SOURCE_OPTIONS, for: { type: 'string' } },
  operands: 'files',
  run: runRecord,
}

async function runRecord(given: Given, console: Console): Promise<ExitCode> {
  const [file, ...more] = given.operands
  if (more.length > 0) throw new UsageError('Name one file for the recording.')
  const ms = readDuration(given, 'for', LENGTH)
  const spec = (await sourceFrom(given, true, console)) ?? defaultSource(given, true)
  const { environment, stateDir, access } = console
  const store = openStore(stateDir)
  let state: RecordingState | undefined
  const tellChanges = createTeller(console)
  let [isAsked, isAnswered] = [false, false]
  try {
    const source = await openSource(
      {
        id: 1,
        spec,
        onConnection({ servers }) {
          servers.forEach(tellChanges)
          isAsked ||= servers.length > 0
          isAnswered ||= servers.some(({ status }) => status === 'ok')
        },
      },
      { environment, store, makeSource: access.makeSource, stateDir },
    )
    try {
      await source.handlers.procedures['recorder.switch']({ connection: 1, on: true })
      source.recorder?.subscribe((latest) => {
        if (latest.problem !== undefined && latest.problem.message !== state?.problem?.message) {
          console.tell(`${latest.problem.message} Recording continues once that is fixed.`)
        }
        if (latest.id !== undefined && state === undefined) console.tell(`Recording ${latest.id}.`)
        if (latest.id !== undefined) state = latest
      }, source.ended)
      await waited(ms, console)
    } finally {
      await source.end()
    }
  } finally {
    store.close()
  }
  if (state?.id === undefined)
    throw new ProblemError('not-found', 'The source reported nothing, so nothing is recorded.')
  if (isAsked && !isAnswered)
    throw new ProblemError('not-found', `No server answered, so the recording ${state.id} holds no sample.`)
  const entry = await recordingNamed(state.id, console)
  return file === undefined ? 0 : exportTo(entry, file, { range: { from: -Infinity, to: Infinity } }, console)
}

/** Waits until the time is over or the command is to end. */
async function waited(ms: number | undefined, { environment, signal }: Console): Promise<void> {
  if (ms !== undefined) return createPause(environment).wait(ms, signal)
  if (!signal.aborted) await once(signal, 'abort')
}

/** At most a week: by default, no recording is kept longer. */
const LENGTH = { min: 1_000, max: 7 * MS_PER_DAY, takes: 'a time like 90s, 10m or 2h, from 1s to 168h' } as const
