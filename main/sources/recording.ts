import { join } from 'node:path'
import type { Problem } from '../../core/errors.ts'
import type { Moment } from '../../core/contract/recording.ts'
import type { ServerHealth, SourceSpec } from '../../core/contract/source.ts'
import { ofAlgorithm, type SourceInfo } from '../../core/frame/frame.ts'
import type { TimedEvent } from '../../core/source/recording.ts'
import { plain } from '../../core/text/format.ts'
import { rfc3339, type UnixMs } from '../../core/units.ts'
import type { Environment } from '../ports/environment.ts'
import { NOTHING_READ, stillObjects, type ObjectGateway } from '../ports/objectGateway.ts'
import type { SourceResult } from '../ports/source.ts'
import { createArchive } from '../recordings/archive.ts'
import { listRecordings, RECORDINGS } from '../recordings/library.ts'

export interface RecordingOptions {
  readonly environment: Environment
  readonly stateDir: string
}

/** Recordings of one source as a source: it stands at one instant, and its archive serves every other. */
export function createRecordingSource(
  { ids, at }: Extract<SourceSpec, { kind: 'recording' }>,
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
  const info: SourceInfo = {
    kind: 'recording',
    name: of.name,
    via: `recording of ${of.via}`,
    ...ofAlgorithm(of.algorithm),
  }
  const archive = createArchive({ folder, ids: wanted, source: info, now: () => environment.now() })
  const gap = at === undefined ? undefined : archive.moment(at).gap
  if (at !== undefined && gap !== undefined) return { ok: false, problem: notRecorded(of.name, at, gap) }
  const known = archive.upTo(at)
  return {
    ok: true,
    archive,
    source: {
      info,
      still: true,
      objects: recordedObjects(of.name, ids, known),
      start(_signal, emit) {
        for (const { event } of known)
          if (event.kind !== 'objects' && event.kind !== 'requests' && event.kind !== 'health') emit(event)
        for (const health of healthOf(known)) emit({ kind: 'health', health })
      },
    },
  }
}

function recordedObjects(name: string, ids: readonly string[], known: readonly TimedEvent[]): ObjectGateway {
  const last = known.map(({ event }) => event).findLast((event) => event.kind === 'objects')
  return stillObjects({
    target: `recording of ${name}`,
    targetKey: `recording ${ids[0] ?? ''}`,
    reading: last?.reading ?? { state: 'unavailable', problem: NONE, objects: NOTHING_READ },
    impossible: 'This is a recording, so there is no server to apply to: save the changed objects as YAML.',
  })
}

/**
 * The recording itself can be read, whatever became of its servers: nothing of it is tried again. Their health is that
 * of each instant.
 */
function healthOf(known: readonly TimedEvent[]): ServerHealth[] {
  const servers = new Map<string, ServerHealth>()
  for (const { event, at } of known) {
    if (event.kind === 'frame') {
      const { id } = event.frame
      servers.set(id, { id, status: 'ok', failures: [], lastGoodAt: event.frame.at })
    }
    if (event.kind !== 'health' || servers.has(event.health.id)) continue
    const { id } = event.health
    const problem = { code: 'not-found', message: `No sample of ${id} was recorded by then.` } as const
    servers.set(id, { id, status: 'failing', failures: [{ at: rfc3339(at), problem }] })
  }
  return [...servers.values()]
}

/** For an instant in a gap: what is missing, and where the nearest samples are. */
export function notRecorded(name: string, at: UnixMs, { before, after }: NonNullable<Moment['gap']>): Problem {
  const nearest = [before, after].filter((one) => one !== undefined).map(plain.instant)
  const where = nearest.length === 0 ? '' : ` The nearest samples are of ${nearest.join(' and ')}.`
  return { code: 'not-found', message: `Nothing of ${name} was recorded at ${plain.instant(at)}.${where}` }
}

const NONE = { code: 'not-found', message: 'No flow-control objects were recorded.' } as const
