import { join } from 'node:path'
import type { SourceSpec } from '../../core/contract/source.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import type { Told } from '../../core/source/recording.ts'
import type { Environment } from '../ports/environment.ts'
import { NOTHING_READ, type ObjectDoor } from '../ports/objectDoor.ts'
import type { SourceResult } from '../ports/source.ts'
import { createArchive } from '../recordings/archive.ts'
import { listRecordings, RECORDINGS } from '../recordings/library.ts'

export interface RecordingOptions {
  readonly environment: Environment
  readonly stateDir: string
}

/** Recordings of one source as a source: it stands at their end, and its archive answers for every other instant. */
export function createRecordingSource(
  { ids }: Extract<SourceSpec, { kind: 'recording' }>,
  { environment, stateDir }: RecordingOptions,
): SourceResult {
  const folder = join(stateDir, RECORDINGS)
  const wanted = new Set(ids)
  const found = listRecordings(folder, () => false).filter(({ id }) => wanted.has(id))
  const of = found.map(({ source }) => source).find((source) => source !== undefined)
  if (of === undefined) {
    const [problem = { code: 'not-found', message: `There is no recording ${ids.join(', ')} any more.` } as const] =
      found.flatMap(({ problems }) => problems)
    return { ok: false, problem }
  }
  const info: SourceInfo = { kind: 'recording', name: of.name, via: `recording of ${of.via}` }
  const archive = createArchive({ folder, ids: wanted, source: info, now: () => environment.now() })
  const end = archive.end()
  return {
    ok: true,
    archive,
    source: {
      info,
      still: true,
      objects: recordedObjects(of.name, ids, end),
      start(_signal, emit) {
        for (const { event } of end) if (event.kind !== 'objects' && event.kind !== 'requests') emit(event)
      },
      tryNow: () => undefined,
      setCadence: () => undefined,
    },
  }
}

function recordedObjects(name: string, ids: readonly string[], end: readonly Told[]): ObjectDoor {
  const last = end.map(({ event }) => event).findLast((event) => event.kind === 'objects')
  return {
    origin: 'files',
    target: `recording of ${name}`,
    targetKey: `recording ${ids[0] ?? ''}`,
    start: (_signal, onReading) =>
      onReading(last?.reading ?? { state: 'unavailable', problem: NONE, objects: NOTHING_READ }),
    tryNow: () => undefined,
    editor: { impossible: 'This is a recording, so there is no server to apply to: save the changed objects as YAML.' },
  }
}

const NONE = { code: 'not-found', message: 'No flow-control objects were recorded.' } as const
