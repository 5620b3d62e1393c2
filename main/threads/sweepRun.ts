import { availableParallelism } from 'node:os'
import { MOST_SWEEP_POINTS } from '../../core/bounds.ts'
import type { PointResult, SweepReport, SweepWish } from '../../core/contract/sweep.ts'
import { ProblemError } from '../../core/errors.ts'
import type { LocatedFinding } from '../../core/manifest/manifest.ts'
import { noScenario, readScenario } from '../../core/scenario/read.ts'
import { pointAt } from '../../core/sweep/points.ts'
import { fitFindings, readSweep, scenarioBase } from '../../core/sweep/read.ts'
import { headerOf } from '../../core/sweep/rows.ts'
import type { SweepRunner } from '../ports/whatIf.ts'
import { runShards } from './shards.ts'

interface Surroundings {
  readonly runner: Pick<SweepRunner, 'points'>
  readonly scenarioText: (name: string) => Promise<string>
  readonly signal: AbortSignal
  readonly onPart: (part: number) => void
}

/** Runs every point of a sweep of a scenario. Rejects with `ProblemError`, also when the signal aborts. */
export async function runSweep(
  { text, scenario: own }: SweepWish,
  { runner, scenarioText, signal, onPart }: Surroundings,
): Promise<SweepReport> {
  const { value, findings, located } = readSweep(text, 'sweep')
  if (value === undefined) throw wrong(findings)
  const { plan, base: written } = value
  if (written.kind === 'requests') {
    throw new ProblemError('unsupported', 'A sweep of recorded requests needs their files: use apf-console sweep FILE.')
  }
  const named = written.scenario
  const read = readScenario(named === own?.file ? own.text : await scenarioText(named), named)
  if (read.scenario === undefined) throw noScenario(read.findings, named)
  const base = scenarioBase(read.scenario, written.variant, named)
  const { parameters, results } = plan
  const misfits = fitFindings({ parameters, measured: { results } }, base)
  if (misfits.length > 0) throw wrong(misfits.map(located))
  const header = headerOf(plan, base)
  if (header.points > MOST_SWEEP_POINTS) {
    const mend = 'Give fewer values, or run the file with apf-console sweep.'
    throw new ProblemError(
      'too-large',
      `The sweep has ${header.points} points, and a window runs at most ${MOST_SWEEP_POINTS}. ${mend}`,
    )
  }
  const points: PointResult[] = []
  const [failed] = await runShards({
    runner,
    base,
    plan,
    points: Array.from({ length: header.points }, (_, point) => ({ point, values: pointAt(plan, point) })),
    threads: availableParallelism(),
    onPoint: (point) => onPart(points.push(point) / header.points),
    signal,
  })
  signal.throwIfAborted()
  if (failed !== undefined) throw ProblemError.of(failed.problem)
  return { header, points: points.toSorted((a, b) => a.point - b.point) }
}

const wrong = (findings: readonly LocatedFinding[]): ProblemError =>
  new ProblemError(
    'invalid-input',
    findings
      .filter(({ severity }) => severity === 'error')
      .map(({ line, message }) => `Line ${line}: ${message}`)
      .join(' '),
  )
