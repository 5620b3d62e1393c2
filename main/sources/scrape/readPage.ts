import { toProblem, type Problem } from '../../../core/errors.ts'
import { createFrameBuilder } from '../../../core/metrics/buildFrame.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import type { ServerFacts } from '../../../core/engine/facts.ts'
import { FACT_FAMILIES, factsOf, START_FAMILY } from '../../../core/live/serverFacts.ts'
import {
  KIND_FAMILIES,
  NEEDED_FAMILIES,
  RATIO_FAMILIES,
  REQUEST_TIME_FAMILIES,
  typeOf,
} from '../../../core/metrics/catalogue.ts'
import { createParser } from '../../../core/metrics/parse.ts'
import type { Page } from '../../../core/metrics/page.ts'
import { unixMsOf } from '../../../core/units.ts'
import type { Connection, ServerAddress } from '../../cluster/connection.ts'
import { send, type RequestSettings, getJson, gitVersion } from '../../cluster/http.ts'
import type { HttpLimits } from '../../cluster/httpProblems.ts'
import { flowUids } from '../../cluster/ownFlow.ts'
import { isLoopback, shownUrl } from '../../cluster/redact.ts'
import type { Environment } from '../../ports/environment.ts'

/** A frame is built from the first; the others report what the server stores and its watches. */
export const KEPT_FAMILIES: ReadonlySet<string> = new Set([
  ...NEEDED_FAMILIES,
  ...KIND_FAMILIES,
  ...RATIO_FAMILIES,
  ...REQUEST_TIME_FAMILIES,
  ...FACT_FAMILIES,
])

export interface PageReaderOptions {
  readonly server: ServerAddress
  readonly connection: Connection
  readonly environment: Environment
  readonly limits: HttpLimits
}

export interface PageRead {
  readonly ok: true
  readonly frame: ServerFrame
  readonly facts: ServerFacts
  /** Unix milliseconds of the own clock. */
  readonly sentAt: number
  readonly receivedAt: number
  /** Unix milliseconds of the Date header, a full second; absent when the server sent none. */
  readonly date?: number
  /** The priority level that the server assigned the request to; absent where it sent no such header. */
  readonly ownLevelUid?: string
}

export interface PageUnread {
  readonly ok: false
  readonly problem: Problem
  readonly retryAfterMs?: number
}

/** Reads the metrics page of one server into a frame. State that it keeps of one page makes the next one cheaper. */
export function createPageReader({ server, connection, environment, limits }: PageReaderOptions) {
  const parser = createParser({ keep: KEPT_FAMILIES, typeOf })
  const builder = createFrameBuilder({ id: server.id })
  const versionOf = createVersionReader(server)
  const gzip = !isLoopback(server.metrics)

  return async (signal: AbortSignal): Promise<PageRead | PageUnread> => {
    const settings = await settingsFor(server, connection)
    if (!settings.ok) return settings

    let sentAt = environment.now()
    const onTurn = (): void => void (sentAt = environment.now())
    const reading = parser.begin()
    let parseMs = 0
    const gatherer = createGatherer((block) => {
      // A measurement of this machine, not of the source's time: it needs the finest clock.
      const before = performance.now()
      reading.push(block)
      parseMs += performance.now() - before
    })
    const answer = await send(
      { url: server.metrics, settings: settings.value, limits, gzip, accept: 'text/plain', signal, onTurn },
      (piece) => {
        gatherer.push(piece)
        return undefined
      },
    )
    if (!answer.ok) {
      if (answer.status === 401) connection.renew()
      return answer
    }
    const receivedAt = environment.now()
    gatherer.flush()
    const before = performance.now()
    const page = reading.end()
    const problem = pageProblem(page, server.metrics)
    if (problem !== undefined) return { ok: false, problem }
    parseMs += performance.now() - before

    const version = await versionOf(page, settings.value, signal)
    const frame = builder(page, {
      at: new Date(sentAt).toISOString(),
      ...(version === undefined ? {} : { version }),
      acquisition: {
        fetchMs: round(answer.ms),
        parseMs: round(parseMs),
        bytes: answer.bytes,
        ...(answer.wireBytes === undefined ? {} : { wireBytes: answer.wireBytes }),
        families: [...page.families.keys()].filter((name) => NEEDED_FAMILIES.has(name)).length,
      },
    })
    const date = unixMsOf(answer.headers.date ?? '')
    const uids = flowUids(answer.headers)
    return {
      ok: true,
      frame,
      facts: factsOf(page),
      sentAt,
      receivedAt,
      ...(Number.isNaN(date) ? {} : { date }),
      ...(uids === undefined ? {} : { ownLevelUid: uids.level }),
    }
  }
}

async function settingsFor(
  server: ServerAddress,
  connection: Connection,
): Promise<{ readonly ok: true; readonly value: RequestSettings } | PageUnread> {
  try {
    return { ok: true, value: await connection.settings(server) }
  } catch (error) {
    return { ok: false, problem: toProblem(error) }
  }
}

/** Why a complete response is not a flow-control page; such a page never replaces the last good frame. */
export function pageProblem(page: Page, url: URL): Problem | undefined {
  if (page.problem !== undefined) {
    const { line, column, message } = page.problem
    return {
      code: 'bad-answer',
      message: `${shownUrl(url)} is not a complete metrics page: line ${line}, column ${column} could not be read.`,
      details: message,
    }
  }
  if ([...page.families.keys()].some((name) => name.startsWith('apiserver_flowcontrol_'))) return undefined
  return {
    code: 'unsupported',
    message: `${shownUrl(url)} shows no metrics of API Priority and Fairness; give the metrics of a kube-apiserver that runs with --enable-priority-and-fairness.`,
  }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}

const BUILD_FAMILY = 'kubernetes_build_info'

/** The gitVersion in the page itself. */
function pageVersion(page: Page): string | undefined {
  return page.families.get(BUILD_FAMILY)?.series[0]?.labels['git_version']
}

/**
 * The gitVersion of the server behind a page: from the page, or else from /version, which is requested once for each
 * start of the process. `undefined` when neither contains it.
 */
function createVersionReader(server: ServerAddress) {
  let asked: { readonly startedAt: number | undefined; readonly version: string | undefined } | undefined

  return async (page: Page, settings: RequestSettings, signal: AbortSignal): Promise<string | undefined> => {
    const own = pageVersion(page)
    if (own !== undefined) return own
    if (server.base === undefined) return undefined
    const startedAt = page.families.get(START_FAMILY)?.values[0]
    if (asked !== undefined && asked.startedAt === startedAt) return asked.version
    const answer = await getJson({ url: new URL(`${server.base}/version`), settings, signal })
    asked = { startedAt, version: answer.ok ? gitVersion(answer.value) : undefined }
    return asked.version
  }
}

/** Combines small chunks into larger ones. */
interface Gatherer {
  push(piece: Uint8Array): void
  /** Passes on what is left. */
  flush(): void
}

/**
 * Large enough that the parser's overhead for each chunk is negligible, small enough to stay in the processor's cache.
 */
const BLOCK_BYTES = 64 * 1024

/**
 * Go's servers send a page in more than a thousand chunks. Combining them costs far less than parsing each one. A block
 * is overwritten after `take` returns.
 */
export function createGatherer(take: (block: Uint8Array) => void, size = BLOCK_BYTES): Gatherer {
  const block = new Uint8Array(size)
  let used = 0
  const flush = (): void => {
    if (used > 0) take(block.subarray(0, used))
    used = 0
  }
  return {
    push(piece) {
      if (used + piece.length > size) flush()
      if (piece.length > size) take(piece)
      else {
        block.set(piece, used)
        used += piece.length
      }
    },
    flush,
  }
}
