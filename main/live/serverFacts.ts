import { type Problem, toProblem } from '../../core/contract/errors.ts'
import type { Page } from '../../core/metrics/page.ts'
import { createParser } from '../../core/metrics/parse.ts'
import type { Connection, ServerAddress } from '../cluster/connection.ts'
import { send } from '../cluster/http.ts'
import { METRICS_LIMITS } from '../cluster/httpProblems.ts'
import { isLoopback } from '../cluster/redact.ts'
import type { Environment } from '../sources/source.ts'

/** Objects of each resource on a server, by `resource` or `resource.group`; sizes in bytes (specification 5.7). */
export interface ServerFacts {
  readonly objects: ReadonlyMap<string, { readonly count: number; readonly averageSize: number }>
}

const OBJECTS = 'apiserver_resource_objects'
const SIZES = 'apiserver_resource_size_estimate_bytes'
/** Until 1.34, without sizes; servers of that time do not estimate by them either. */
const OBJECTS_BEFORE = 'apiserver_storage_objects'
const FAMILIES = new Set([OBJECTS, SIZES, OBJECTS_BEFORE])

/** What a metrics page says of the stored objects; what could not be fetched is −1 there and left out here. */
export function factsOf(page: Page): ServerFacts {
  const counts = valuesOf(page, page.families.has(OBJECTS) ? OBJECTS : OBJECTS_BEFORE)
  const sizes = valuesOf(page, SIZES)
  const objects = [...counts].map(([key, count]) => {
    const bytes = sizes.get(key)
    return [key, { count, averageSize: bytes === undefined || count === 0 ? 0 : bytes / count }] as const
  })
  return { objects: new Map(objects) }
}

function valuesOf({ families }: Page, name: string): Map<string, number> {
  const family = families.get(name)
  const values = new Map<string, number>()
  family?.series.forEach(({ labels: { resource = '', group = '' } }, at) => {
    const value = family.values[at] ?? -1
    if (resource !== '' && value >= 0) values.set(group === '' ? resource : `${resource}.${group}`, value)
  })
  return values
}

/** Statistics are believed for three minutes (specification 5.7). */
const EVERY_MS = 60_000

export interface FactsOptions {
  readonly connection: Connection
  readonly server: ServerAddress
  readonly environment: Environment
  readonly onFacts: (facts: ServerFacts) => void
  /** Hears why they are not known, and `undefined` when they are again. */
  readonly onProblem: (problem: Problem | undefined) => void
}

/** Asks a server for its counts at once and every minute, until the signal aborts. */
export function followFacts(options: FactsOptions, signal: AbortSignal): void {
  const { environment } = options
  const parser = createParser({ keep: FAMILIES })
  let cancel = (): void => undefined
  const ask = async (): Promise<void> => {
    const problem = await readFacts(options, parser, signal)
    if (signal.aborted) return
    options.onProblem(problem)
    cancel = environment.after(EVERY_MS, () => void ask())
  }
  signal.addEventListener('abort', () => cancel(), { once: true })
  void ask()
}

async function readFacts(
  { connection, server, onFacts }: FactsOptions,
  parser: ReturnType<typeof createParser>,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  try {
    const settings = await connection.settings(server)
    const reading = parser.begin()
    const answer = await send(
      {
        url: server.metrics,
        settings,
        limits: METRICS_LIMITS,
        gzip: !isLoopback(server.metrics),
        accept: 'text/plain',
        signal,
      },
      (piece) => {
        reading.push(piece)
        return undefined
      },
    )
    if (!answer.ok) {
      if (answer.status === 401) connection.renew()
      return answer.problem
    }
    const facts = factsOf(reading.end())
    if (facts.objects.size === 0)
      return { code: 'unsupported', message: `${server.metrics.host} tells no object counts in its metrics.` }
    onFacts(facts)
    return undefined
  } catch (error) {
    return toProblem(error)
  }
}
