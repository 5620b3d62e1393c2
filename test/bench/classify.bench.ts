/**
 * Classification, beside upstream's Go in the same run (through the oracle's `bench match`, which needs Go); the two
 * take turns. Every number is the median of nine.
 *
 * - `match`: from the digest of a request to its flow schema.
 * - `line and match`: from method and address to the flow schema. Go gets a request whose address is parsed already.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { orderFlowSchemas, classify } from '../../core/request/match.ts'
import { digestRequest } from '../../core/classify/classification.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import type { RequestSample } from '../../core/contract/objects.ts'
import { CompiledSchemas } from '../../core/engine/compiledSchemas.ts'
import { configurationWith, requestsFor } from './classify/configurations.ts'
import { type Upstream, upstream } from './engine/upstream.ts'
import { median, report, round } from './statistics.ts'

const RUNS = 9
const WARM_UP = 3
const CALLS = 500_000

/** Number of schemas, and the goal in requests a second. */
const GOALS = [
  [11, 1_000_000],
  [200, 200_000],
] as const

interface Prepared {
  readonly match: () => number
  readonly lineAndMatch: () => number
}

/** Receives the index of the match, so that the search cannot be optimised away. */
let sink = 0

function timed(calls: number, call: (i: number) => number): number {
  const started = performance.now()
  for (let i = 0; i < calls; i++) sink += call(i)
  return ((performance.now() - started) * 1e6) / calls
}

function prepare({ levels, schemas }: ObjectSet, requests: readonly RequestSample[]): Prepared {
  const { order } = orderFlowSchemas(schemas, new Set(levels.map(({ metadata }) => metadata.name)))
  const compiled = new CompiledSchemas(order, (schema) => order.indexOf(schema))
  const digests = requests.map((request) => {
    const read = digestRequest(request)
    if (!read.ok) throw new Error(read.problem)
    return read.digest
  })
  for (const digest of digests) {
    if (compiled.classify(digest) !== order.indexOf(classify(order, digest)))
      throw new Error('the compiled matcher errs')
  }
  return {
    match: () =>
      timed(CALLS, (i) => {
        const digest = digests[i % digests.length]
        return digest === undefined ? 0 : compiled.classify(digest)
      }),
    lineAndMatch: () =>
      timed(CALLS, (i) => {
        const request = requests[i % requests.length]
        const read = request === undefined ? undefined : digestRequest(request)
        return read?.ok === true ? compiled.classify(read.digest) : 0
      }),
  }
}

/** The question of the oracle's `match`. */
const questionOf = ({ levels, schemas }: ObjectSet, requests: readonly RequestSample[]): string =>
  JSON.stringify({
    priorityLevels: levels.map(({ metadata, spec }) => {
      const { limited, exempt } = spec
      const { type, queuing } = limited?.limitResponse ?? { type: 'Exempt', queuing: undefined }
      return {
        name: metadata.name,
        type,
        nominalConcurrencyShares: (limited ?? exempt)?.nominalConcurrencyShares ?? 0,
        ...queuing,
      }
    }),
    flowSchemas: schemas,
    requests,
  })

function compare(
  name: string,
  ours: () => number,
  theirs: readonly string[],
  other: Upstream | string,
  goal: number | undefined,
): void {
  for (let i = 0; i < WARM_UP; i++) ours()
  const own: number[] = []
  const others: number[] = []
  for (let i = 0; i < RUNS; i++) {
    own.push(ours())
    if (typeof other !== 'string') others.push(other(theirs))
  }
  const ns = median(own)
  const theirNs = median(others)
  report({
    bench: 'classify',
    case: name,
    runs: RUNS,
    nsPer: round(ns, 0),
    requestsPerSecond: round(1e9 / ns, 0),
    ...(goal !== undefined && { goal }),
    ...(others.length > 0 && {
      upstreamNsPer: round(theirNs, 0),
      upstreamRequestsPerSecond: round(1e9 / theirNs, 0),
      timesAsFast: round(theirNs / ns, 2),
    }),
  })
}

export async function run(): Promise<void> {
  const other = await upstream()
  if (typeof other === 'string') report({ bench: 'classify', case: 'upstream', skipped: other })
  const folder = mkdtempSync(join(tmpdir(), 'apf-bench-'))
  try {
    for (const [schemas, goal] of GOALS) {
      const objects = configurationWith(schemas)
      const requests = requestsFor(schemas)
      const input = join(folder, `${schemas}.json`)
      writeFileSync(input, questionOf(objects, requests))
      const { match, lineAndMatch } = prepare(objects, requests)
      const theirs = ['match', '--input', input, '--calls', String(CALLS)]
      compare(`match ${schemas} schemas`, match, theirs, other, goal)
      compare(`line and match ${schemas} schemas`, lineAndMatch, [...theirs, '--lines'], other, undefined)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  if (Number.isNaN(sink)) throw new Error('a request was not classified')
}
