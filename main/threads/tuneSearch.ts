import { availableParallelism } from 'node:os'
import { ProblemError } from '../../core/errors.ts'
import type { SweepBase } from '../../core/sweep/sweep.ts'
import { planOf, type WrittenTune } from '../../core/tune/read.ts'
import { bestOf, type TuneReport } from '../../core/tune/report.ts'
import { ISLANDS, type Island } from '../../core/tune/search.ts'
import type { Choice, TunePlan } from '../../core/tune/tune.ts'
import type { SearchTask, SweepRunner, TuneEvent, TuneTask } from '../ports/whatIf.ts'
import { runShards } from './shards.ts'

interface Surroundings {
  readonly runner: SweepRunner
  readonly signal: AbortSignal
}

/**
 * Levels in which tuning may change everything: found by running the base once, unless the request names what may
 * change.
 */
export async function levelsWithRequests(
  base: SweepBase,
  { parameters }: Pick<WrittenTune, 'parameters'>,
  { runner, signal }: Surroundings,
): Promise<ReadonlySet<string>> {
  if (parameters.length > 0) return new Set()
  const names = base.variant.objects.levels.map(({ metadata }) => metadata.name)
  const results = names.map((name) => ({ of: { kind: 'level', name }, measure: 'offered' }) as const)
  let offered: readonly number[] = []
  const [failed] = await runShards({
    runner,
    base,
    plan: { parameters: [], results },
    points: [{ point: 0, values: [] }],
    threads: 1,
    onPoint: (row) => void (offered = row.results ?? []),
    signal,
  })
  signal.throwIfAborted()
  if (failed !== undefined) throw ProblemError.of(failed.problem)
  return new Set(names.filter((_, index) => (offered[index] ?? 0) > 0))
}

/**
 * The whole search: which levels get requests, what the goals mean, and the search itself. Rejects with `ProblemError`.
 */
export async function runSearch(
  { base, written, levels }: SearchTask,
  surroundings: Surroundings & { readonly onPart: (part: number) => void },
): Promise<TuneReport> {
  const whole = { ...written, parameters: [] }
  // Before the first run, so that typing errors are reported immediately.
  const [wrong] = planOf(whole, base, new Set()).findings
  if (wrong !== undefined) throw new ProblemError('invalid-input', wrong.message)
  const used = await levelsWithRequests(base, whole, surroundings)
  const { plan } = planOf(whole, base, new Set(levels.filter((level) => used.has(level))))
  if (plan.knobs.length === 0) {
    throw new ProblemError('not-found', 'None of the selected levels gets requests. Select a level that does.')
  }
  return searchEdit(plan, base, surroundings)
}

/** The share of the search after which its result is checked with the other seeds. */
const SEARCH_PART = 0.8

/**
 * Searches in threads, then computes the evidence in one. Nothing is smaller than no edit: where the current objects
 * meet everything with every seed, none is run. Rejects with `ProblemError`, also when the signal aborts.
 */
export async function searchEdit(
  plan: TunePlan,
  base: SweepBase,
  { runner, signal, onPart }: Surroundings & { readonly onPart: (part: number) => void },
): Promise<TuneReport> {
  const evidence = async (choices: readonly Choice[], evaluations: number, onRun: (part: number) => void) => {
    const task = { kind: 'report', base, plan, choices, evaluations } as const
    const { report } = await partOf(task, { runner, signal }, onRun)
    if (report === undefined) throw new ProblemError('internal', 'The search ended without an answer. Run it again.')
    return report
  }
  const unchanged = await evidence([], 0, () => onPart(0))
  if (unchanged.answer.met && unchanged.answer.seeds.missed.length === 0) return unchanged
  const parts = Array.from({ length: ISLANDS }, () => 0)
  const waiting = Array.from({ length: ISLANDS }, (_, island) => island)
  const islands: Island[] = []
  const worker = async (): Promise<void> => {
    for (let island = waiting.shift(); island !== undefined; island = waiting.shift()) {
      const number = island
      const done = await partOf({ kind: 'island', base, plan, island }, { runner, signal }, (part) => {
        parts[number] = part
        onPart((SEARCH_PART * parts.reduce((sum, one) => sum + one, 0)) / ISLANDS)
      })
      parts[number] = 1
      if (done.island !== undefined) islands[number] = done.island
    }
  }
  await Promise.all(Array.from({ length: Math.min(ISLANDS, availableParallelism()) }, worker))
  const choices = bestOf(islands.map(({ best }) => best))
  const evaluations = islands.reduce((sum, { runs }) => sum + runs, 0)
  return evidence(choices, evaluations, (part) => onPart(SEARCH_PART + (1 - SEARCH_PART) * part))
}

/** Runs a part in a thread. Rejects with `ProblemError`, also when the command is cancelled. */
function partOf(
  task: TuneTask,
  { runner, signal }: Surroundings,
  onPart: (part: number) => void,
): Promise<Extract<TuneEvent, { kind: 'done' }>> {
  const { promise, resolve, reject } = Promise.withResolvers<Extract<TuneEvent, { kind: 'done' }>>()
  const stop = (): void => reject(new ProblemError('cancelled', 'The search was cancelled.'))
  signal.addEventListener('abort', stop, { once: true })
  runner.tune(
    task,
    (event) => {
      if (event.kind === 'progress') return onPart(event.part)
      signal.removeEventListener('abort', stop)
      return event.kind === 'done' ? resolve(event) : reject(ProblemError.of(event.problem))
    },
    signal,
  )
  return promise
}
