import type { ServerHealth, UploadedFile } from '../../core/contract/source.ts'
import { assemble, type StillServer } from './files/assemble.ts'
import { recognise } from './files/recognise.ts'
import type { Environment, Source, SourceResult } from './source.ts'

/**
 * Metrics texts, debug dumps and captures (NDJSON of answers), recognised by their content. Several pages of one server
 * become its history. What is damaged is said in a sentence each, as a note of the servers; it is a problem only when
 * nothing can be read.
 */
export async function createFilesSource(
  files: readonly UploadedFile[],
  environment: Pick<Environment, 'now'>,
): Promise<SourceResult> {
  const found = files.flatMap(({ name, text }) => recognise(name, text))
  const foreign = found.flatMap((part) => (part.kind === 'foreign' ? [part.sentence] : []))
  const { servers, sentences } = assemble(found, environment.now())
  if (servers.length > 0) return { ok: true, source: createSource(files, servers, foreign.length) }
  const [message = 'There is nothing in these files.', ...others] = [...sentences, ...foreign]
  return {
    ok: false,
    problem: { code: 'bad-answer', message, ...(others.length > 0 && { details: others.join('\n') }) },
  }
}

function createSource(files: readonly UploadedFile[], servers: readonly StillServer[], foreign: number): Source {
  const pages = servers.reduce((sum, { frames }) => sum + frames.length, 0)
  const [first] = files
  return {
    info: {
      kind: 'file',
      name: files.length === 1 && first !== undefined ? first.name : `${files.length} files`,
      via: [
        pages === 1 ? 'one page' : `${pages} pages in the order of time`,
        ...(foreign > 0 ? [`${foreign} other ${foreign === 1 ? 'file' : 'files'} left out`] : []),
      ].join(', '),
    },
    still: true,
    start(_signal, sink) {
      for (const server of servers) {
        for (const frame of server.frames) sink.onServerFrame(frame)
        if (server.dump !== undefined) sink.onDump(server.dump)
        sink.onHealth(healthOf(server))
      }
    },
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
