import type { Source, SourceResult } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'
import { CadenceSchema } from '../../core/contract/source.ts'
import { startPlayer, type Player } from './demo/player.ts'
import { readRecording } from './demo/recording.ts'
import { createTimeline, type Timeline } from './demo/timeline.ts'

/**
 * Plays a recording of a real server under load in a loop, as if it happened now. Times are moved to the present and
 * whatever only grows continues from lap to lap (`demo/lap.ts`); every other number is as recorded.
 */
export async function createDemoSource(recording: string, environment: Environment): Promise<SourceResult> {
  try {
    return {
      ok: true,
      source: createSource(createTimeline(await readRecording(recording)), environment),
    }
  } catch (error) {
    const message =
      'The recording that the demo plays cannot be read, so this installation is damaged: install it again.'
    return { ok: false, problem: { code: 'internal', message, details: String(error) } }
  }
}

function createSource(timeline: Timeline, environment: Environment): Source {
  const seconds = Math.round(timeline.lapMs / 1_000)
  let cadence = CadenceSchema.parse({})
  let player: Player | undefined
  return {
    info: {
      kind: 'demo',
      name: 'Demo',
      via: `recording of a real API server ${timeline.version} under load, loops every ${seconds} s`,
    },
    still: false,
    start(signal, emit) {
      player = startPlayer(timeline, environment, cadence, signal, emit)
    },
    setCadence(next) {
      cadence = next
      player?.setCadence(next)
    },
  }
}
