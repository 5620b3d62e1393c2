import { plain, plural } from '../../core/text/format.ts'
import { fewOf } from '../../core/text/text.ts'
import { DEFAULT_SERVER_LIMIT } from '../../core/engine/allocation.ts'
import { builtInObjects } from '../../core/config/builtIn.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import type { SentFile, ServerHealth, UploadedFile } from '../../core/contract/source.ts'
import { NEWEST_VERSION } from '../../core/engine/profiles.ts'
import { reportedServerLimit } from '../../core/impact/reportedLimit.ts'
import { serverFrame } from '../../core/simulate/serverFrame.ts'
import { assemble, type StillServer } from './files/assemble.ts'
import { recognise, type Recognised } from './files/recognise.ts'
import { endsOpen, MOST_PAGES } from './files/scrapes.ts'
import type { logTraffic } from './files/logs.ts'
import { textsOf } from '../files/archives.ts'
import type { ObjectGateway } from '../ports/objectGateway.ts'
import { OF_LOGS, type Source, type SourceResult, type LiveTraffic } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'

/**
 * Metrics texts, debug dumps, captures (NDJSON of responses) and manifests of flow-control objects, recognised by their
 * content. Several pages of one server become its history. Each damaged part is reported in one sentence, as a note of
 * the servers; it is a problem only when nothing can be read.
 */
export async function createFilesSource(
  sent: readonly SentFile[],
  environment: Pick<Environment, 'now'>,
): Promise<SourceResult> {
  const files = await textsOf(sent)
  let pages = 0
  const found = files.flatMap(({ name, text, problem }): readonly Recognised[] => {
    if (problem !== undefined) return [{ kind: 'unreadable', sentence: problem }]
    const parts = pages > MOST_PAGES ? [] : recognise(name, text)
    pages += parts.filter(({ kind }) => kind === 'page').length
    const many = `${name} was left out: the files hold more than ${plain.counted(MOST_PAGES, 'page')} together. Export a shorter time, or fewer servers.`
    return pages > MOST_PAGES ? [{ kind: 'unreadable', sentence: many }] : parts
  })
  const foreign = found.flatMap((part) => (part.kind === 'foreign' ? [part.sentence] : []))
  const manifests = found.flatMap((part) => (part.kind === 'manifest' ? [{ name: part.file, text: part.text }] : []))
  const { servers, sentences } = assemble(found, environment.now())
  const version = versionIn(found, servers)
  const logs = found.filter((part) => part.kind === 'audit' || part.kind === 'httplog')
  const objects = await readObjects(manifests, version, environment)
  const traffic = logs.length === 0 ? undefined : await readLogs(logs, { version, servers, objects, environment })
  const live = traffic?.state().arrived === 0 ? undefined : traffic
  const kinds = new Set(found.map(({ kind }) => kind))
  const sampled = kinds.has('frame') || !kinds.has('page')
  const read: ReadFiles = {
    files: files.filter(({ problem }) => problem === undefined),
    version,
    servers,
    sentences,
    sampled,
    isOpen: found.some((part) => (part.kind === 'page' || part.kind === 'dump') && endsOpen(part.text)),
    foreign: found.flatMap((part) => (part.kind === 'foreign' ? [part.file] : [])),
    ...objects,
    ...(live && { live }),
  }
  if (servers.length > 0 || read.manifests > 0 || live !== undefined) return { ok: true, source: createSource(read) }
  const { title, unreadable = 0, lastUnreadable } = traffic?.state() ?? {}
  const unread =
    title === undefined
      ? []
      : [
          `Nothing could be read from the ${title}: ${plain.counted(unreadable, 'record')} left out. ${lastUnreadable ?? ''}`,
        ]
  const nothing =
    version === undefined
      ? 'There is nothing in these files.'
      : `The files contain only the version of a server, ${version}: add a metrics page, a dump or a log.`
  const [message = nothing, ...others] = [...unread, ...sentences, ...read.notes, ...foreign]
  return {
    ok: false,
    problem: { code: 'bad-answer', message, ...(others.length > 0 && { details: others.join('\n') }) },
  }
}

interface ReadFiles {
  readonly files: readonly UploadedFile[]
  /** As far as the files tell it. */
  readonly version: string | undefined
  readonly servers: readonly StillServer[]
  /** What was recognised but could not be read; the servers have it too. */
  readonly sentences: readonly string[]
  /** The files include frames, or no pages at all, so their entries are called samples instead of pages. */
  readonly sampled: boolean
  /** A page lacks the end of its last line. */
  readonly isOpen: boolean
  /** Names of unrecognised files. */
  readonly foreign: readonly string[]
  /** The number of objects. */
  readonly manifests: number
  readonly notes: readonly string[]
  readonly objects?: ObjectGateway
  readonly set?: ObjectSet
  readonly live?: LiveTraffic
}

/** The version in the pages, or in a response of /version next to them. */
function versionIn(found: readonly Recognised[], servers: readonly StillServer[]): string | undefined {
  const reported = servers.map(({ frames }) => frames.at(-1)?.version).find((version) => version !== undefined)
  return reported ?? found.find((part) => part.kind === 'version')?.version
}

/** The code that reads manifests is loaded only when there are some. */
async function readObjects(
  manifests: readonly UploadedFile[],
  version: string | undefined,
  environment: Pick<Environment, 'now'>,
): Promise<Pick<ReadFiles, 'manifests' | 'notes' | 'objects' | 'set'>> {
  if (manifests.length === 0) return { manifests: 0, notes: [] }
  const { objectsOfManifests, fileObjects } = await import('./files/manifests.ts')
  const read = objectsOfManifests(manifests, version)
  const { levels, schemas } = read.objects
  const asOf = new Date(environment.now()).toISOString()
  return {
    manifests: levels.length + schemas.length,
    notes: read.notes,
    set: read.objects,
    objects: fileObjects(manifests, read, { asOf, ...(version !== undefined && { version }) }),
  }
}

/** The engine that observes the logs uses the objects and the seats in the other files, where available. */
async function readLogs(
  logs: Parameters<typeof logTraffic>[0],
  from: {
    readonly version: string | undefined
    readonly servers: readonly StillServer[]
    readonly objects: Pick<ReadFiles, 'set'>
    readonly environment: Pick<Environment, 'now'>
  },
): Promise<LiveTraffic | undefined> {
  const { logTraffic: read } = await import('./files/logs.ts')
  const { servers, version = NEWEST_VERSION, objects, environment } = from
  const [server] = servers
  const frame = server?.frames.at(-1)
  return read(logs, {
    version,
    configuration: objects.set ?? builtInObjects(version),
    serverLimit: (frame && reportedServerLimit(frame)) ?? DEFAULT_SERVER_LIMIT,
    facts: server?.facts,
    times: server?.times ?? [],
    now: environment.now(),
  })
}

function createSource({
  files,
  version,
  servers,
  sentences,
  sampled,
  isOpen,
  foreign,
  manifests,
  objects,
  live,
}: ReadFiles): Source {
  // Shown at the time of reading.
  const undated = servers.every(({ isUndated }) => isUndated) ? 'undated ' : ''
  const one = `${undated}${sampled ? 'sample' : 'page'}`
  const pages = servers.reduce((sum, server) => sum + server.frames.length, 0)
  const order = servers.length > 1 ? `of ${servers.length} servers` : 'in the order of time'
  const [first] = files
  const parts = [
    ...(pages > 0 ? [plural(pages, `one ${one}`, `${pages} ${one}s ${order}`) + (isOpen ? MAY_BE_CUT : '')] : []),
    ...(manifests > 0 ? [`${manifests} flow-control ${plural(manifests, 'object', 'objects')}`] : []),
    ...(live ? [`${plain.counted(live.state().arrived, 'request')} of logs`] : []),
    ...(foreign.length > 0
      ? [`${foreign.length} other ${plural(foreign.length, 'file', 'files')} left out: ${fewOf(foreign, MOST_NAMED)}`]
      : []),
  ]
  return {
    info: {
      kind: 'file',
      name: files.length === 1 && first !== undefined ? first.name : `${files.length} files`,
      via: parts.join(', '),
    },
    still: true,
    ...(objects && { objects }),
    ...(live && { live }),
    start(_signal, emit) {
      const { unreadable = 0, lastUnreadable = '', title = '' } = live?.state() ?? {}
      const left =
        unreadable > 0
          ? [`${plain.counted(unreadable, 'record')} of the ${title} left out. Last: ${lastUnreadable}`]
          : []
      // With logs alone, the only frame is the state of the engine after the last request.
      if (servers.length === 0 && live !== undefined) {
        const { version: _assumed, ...state } = serverFrame(live.engine.snapshot(), {
          id: 'logs',
          version: live.version,
        })
        const frame = version === undefined ? state : { ...state, version }
        emit({ kind: 'frame', frame })
        const config = objects === undefined ? `the built-in objects of ${live.version}` : 'the objects beside them'
        const own = `${OF_LOGS}: levels, limits and queues are those of the console’s own engine after the last request, with ${config} and ${plain.counted(DEFAULT_SERVER_LIMIT, 'seat')}. For the requests: Live, or apf-console feed, classify --traffic and whatif.`
        emit({
          kind: 'health',
          health: healthOf({ id: 'logs', frames: [frame], times: [], notes: [own, ...sentences, ...left] }),
        })
      }
      for (const server of servers) {
        const { dump, facts, earlierDumps = [] } = server
        if (facts !== undefined) emit({ kind: 'facts', server: server.id, facts })
        for (const frame of server.frames) emit({ kind: 'frame', frame })
        for (const earlier of earlierDumps) emit({ kind: 'dump', dump: earlier })
        if (dump !== undefined) emit({ kind: 'dump', dump })
        emit({ kind: 'health', health: healthOf({ ...server, notes: [...server.notes, ...left] }) })
      }
    },
  }
}

const MAY_BE_CUT = ' (its last line has no end, so its value may be cut)'

/** Names beyond these are counted. */
const MOST_NAMED = 5

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
