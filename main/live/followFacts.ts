import { type Problem, toProblem } from '../../core/errors.ts'
import type { ServerFacts } from '../../core/engine/facts.ts'
import { createTimesReader, type ReportedTimes, TIME_FAMILIES } from '../../core/live/reportedTimes.ts'
import { FACT_FAMILIES, factsOf } from '../../core/live/serverFacts.ts'
import type { Page } from '../../core/metrics/page.ts'
import type { Connection, ServerAddress } from '../cluster/connection.ts'
import { readFamilies } from '../cluster/readFamilies.ts'
import type { Environment } from '../ports/environment.ts'

/** Statistics expire after three minutes (specification 5.7). */
const EVERY_MS = 60_000
/** After a failure: a server that was restarted has other watches. */
const AGAIN_MS = 10_000

export interface FactsOptions {
  readonly connection: Connection
  readonly server: ServerAddress
  readonly environment: Environment
  readonly onFacts: (facts: ServerFacts) => void
  /** Set if the times of requests are needed. */
  readonly onTimes?: (times: ReportedTimes) => void
  /** Called with each new reason why they are unavailable, and with `undefined` when they are available again. */
  readonly onProblem: (problem: Problem | undefined) => void
}

/** Scrapes a server's counts at once and every minute, sooner after a failure, until the signal aborts. */
export function followFacts(options: FactsOptions, signal: AbortSignal): void {
  const { environment, server, onFacts, onTimes, onProblem } = options
  const timesOf = createTimesReader()
  let cancel = (): void => undefined
  let told: string | undefined
  const ask = async (): Promise<void> => {
    let askedMs = environment.now()
    const onTurn = (): void => void (askedMs = environment.now())
    const read = await readPage(options, onTimes === undefined ? FACT_FAMILIES : FACTS_AND_TIMES, signal, onTurn)
    if (signal.aborted) return
    // The server collected its numbers somewhere between.
    const times = read.ok ? timesOf(read.page, (askedMs + environment.now()) / 2) : undefined
    if (times !== undefined) onTimes?.(times)
    if (read.ok && read.facts.objects.size > 0) onFacts(read.facts)
    const problem = read.ok ? uncounted(read.facts, server) : read.problem
    if (problem?.message !== told) onProblem(problem)
    told = problem?.message
    cancel = environment.after(problem === undefined ? EVERY_MS : AGAIN_MS, () => void ask())
  }
  signal.addEventListener('abort', () => cancel(), { once: true })
  void ask()
}

type Asked = Pick<FactsOptions, 'connection' | 'server'>
type FactsReading =
  | { readonly ok: true; readonly page: Page; readonly facts: ServerFacts }
  | { readonly ok: false; readonly problem: Problem }

const uncounted = ({ objects }: ServerFacts, { metrics }: ServerAddress): Problem | undefined =>
  objects.size > 0
    ? undefined
    : { code: 'unsupported', message: `The metrics of ${metrics.host} have no object counts.` }

const FACTS_AND_TIMES: ReadonlySet<string> = new Set([...FACT_FAMILIES, ...TIME_FAMILIES])

/** Scrapes the facts from a server's metrics once. Never rejects. */
export const readFacts = (asked: Asked, signal: AbortSignal): Promise<FactsReading> =>
  readPage(asked, FACT_FAMILIES, signal)

async function readPage(
  { connection, server }: Asked,
  keep: ReadonlySet<string>,
  signal: AbortSignal,
  onTurn: () => void = () => undefined,
): Promise<FactsReading> {
  try {
    const settings = await connection.settings(server)
    const answer = await readFamilies({ url: server.metrics, settings, signal, onTurn }, keep)
    if (answer.ok) return { ...answer, facts: factsOf(answer.page) }
    if (answer.status === 401) connection.renew()
    return answer
  } catch (error) {
    return { ok: false, problem: toProblem(error) }
  }
}
