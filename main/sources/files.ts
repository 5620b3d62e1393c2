import type { ServerHealth, UploadedFile } from '../../core/contract/source.ts'
import { assemble, type StillServer } from './files/assemble.ts'
import { recognise, type Recognised } from './files/recognise.ts'
import type { ObjectDoor } from './objectDoor.ts'
import type { Environment, Source, SourceResult } from './source.ts'

/**
 * Metrics texts, debug dumps, captures (NDJSON of answers) and manifests of flow-control objects, recognised by their
 * content. Several pages of one server become its history. What is damaged is said in a sentence each, as a note of the
 * servers; it is a problem only when nothing can be read.
 */
export async function createFilesSource(
  files: readonly UploadedFile[],
  environment: Pick<Environment, 'now'>,
): Promise<SourceResult> {
  const found = files.flatMap(({ name, text }) => recognise(name, text))
  const foreign = found.flatMap((part) => (part.kind === 'foreign' ? [part.sentence] : []))
  const manifests = found.flatMap((part) => (part.kind === 'manifest' ? [{ name: part.file, text: part.text }] : []))
  const { servers, sentences } = assemble(found, environment.now())
  const read: ReadFiles = {
    files,
    servers,
    foreign: foreign.length,
    ...(await readObjects(manifests, versionIn(found, servers), environment)),
  }
  if (servers.length > 0 || read.manifests > 0) return { ok: true, source: createSource(read) }
  const [message = 'There is nothing in these files.', ...others] = [...sentences, ...read.notes, ...foreign]
  return {
    ok: false,
    problem: { code: 'bad-answer', message, ...(others.length > 0 && { details: others.join('\n') }) },
  }
}

interface ReadFiles {
  readonly files: readonly UploadedFile[]
  readonly servers: readonly StillServer[]
  /** How many files hold nothing that is known, and how many objects. */
  readonly foreign: number
  readonly manifests: number
  readonly notes: readonly string[]
  readonly objects?: ObjectDoor
}

/** The version that the pages tell, or an answer of /version beside them. */
function versionIn(found: readonly Recognised[], servers: readonly StillServer[]): string | undefined {
  const told = servers.map(({ frames }) => frames.at(-1)?.version).find((version) => version !== undefined)
  return told ?? found.find((part) => part.kind === 'version')?.version
}

/** What reads manifests is loaded when there are some. */
async function readObjects(
  manifests: readonly UploadedFile[],
  version: string | undefined,
  environment: Pick<Environment, 'now'>,
): Promise<Pick<ReadFiles, 'manifests' | 'notes' | 'objects'>> {
  if (manifests.length === 0) return { manifests: 0, notes: [] }
  const { objectsOfManifests, fileObjects } = await import('./files/manifests.ts')
  const read = objectsOfManifests(manifests, version)
  const { levels, schemas } = read.objects
  const asOf = new Date(environment.now()).toISOString()
  return {
    manifests: levels.length + schemas.length,
    notes: read.notes,
    objects: fileObjects(manifests, read, { asOf, ...(version !== undefined && { version }) }),
  }
}

function createSource({ files, servers, foreign, manifests, objects }: ReadFiles): Source {
  const pages = servers.reduce((sum, server) => sum + server.frames.length, 0)
  const [first] = files
  const parts = [
    ...(pages > 0 ? [pages === 1 ? 'one page' : `${pages} pages in the order of time`] : []),
    ...(manifests > 0 ? [`${manifests} flow-control ${manifests === 1 ? 'object' : 'objects'}`] : []),
    ...(foreign > 0 ? [`${foreign} other ${foreign === 1 ? 'file' : 'files'} left out`] : []),
  ]
  return {
    info: {
      kind: 'file',
      name: files.length === 1 && first !== undefined ? first.name : `${files.length} files`,
      via: parts.join(', '),
    },
    still: true,
    ...(objects && { objects }),
    start(_signal, sink) {
      for (const server of servers) {
        for (const frame of server.frames) sink.onServerFrame(frame)
        if (server.dump !== undefined) sink.onDump(server.dump)
        sink.onHealth(healthOf(server))
      }
    },
    facts: (id) => servers.find((server) => server.id === id)?.facts,
    tryNow: () => undefined,
    setCadence: () => undefined,
  }
}

function healthOf({ id, frames, dump, notes }: StillServer): ServerHealth {
  const last = frames.at(-1)
  return {
    id,
    status: 'ok',
    failures: [],
    ...(last && { lastGoodAt: last.at }),
    ...(last?.acquisition && { bytes: last.acquisition.bytes, families: last.acquisition.families }),
    ...(notes.length > 0 && { notes: [...notes] }),
    dumps: dump === undefined ? { status: 'off' } : { status: 'ok', lastAt: dump.at },
  }
}
