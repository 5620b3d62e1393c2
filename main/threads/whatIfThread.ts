import { parentPort, workerData } from 'node:worker_threads'
import { FIT_PART } from '../../core/bounds.ts'
import { ProblemError, toProblem } from '../../core/errors.ts'
import type { ForecastReport } from '../../core/contract/forecast.ts'
import type { ScenarioEvent, ScenarioReport } from '../../core/contract/scenario.ts'
import type { RunEvent, WhatIfEvent, WhatIfReport } from '../../core/contract/whatif.ts'
import { type AnyScenario, noScenario, readAnyScenario } from '../../core/scenario/read.ts'
import { scenarioReport } from '../../core/scenario/report.ts'
import { runAnyScenario } from '../../core/scenario/run.ts'
import { runPoint } from '../../core/sweep/points.ts'
import { tuneReport } from '../../core/tune/report.ts'
import { searchIsland } from '../../core/tune/search.ts'
import { WATCH_MS } from '../../core/twin/effect.ts'
import { fitTwin } from '../../core/twin/fit.ts'
import { forecast } from '../../core/twin/forecast.ts'
import type { Twin } from '../../core/twin/twin.ts'
import { MS_PER_SECOND } from '../../core/units.ts'
import { simulatedArrivals } from '../../core/whatif/simulated.ts'
import { reportOf, whatIf, whatIfClosed } from '../../core/whatif/whatif.ts'
import { acceptable, serverVariant } from '../live/proposed.ts'
import { reactingClients, recordedArrivals, wishedComparison } from '../live/wished.ts'
import { systemEnvironment } from '../ports/environment.ts'
import type { ForecastStep, ForecastTask, PointsEvent, ScenarioTask, TuneEvent, WhatIfTask } from '../ports/whatIf.ts'
import type { WhatIfData } from './whatIf.ts'

// The thread of one comparison, scenario, forecast, shard of a sweep, part of a search or reading of a recording; the
// caller cancels it by ending the thread.

if (parentPort === null) throw new Error('This file runs in a thread of the console.')
const main = parentPort
const data: WhatIfData = workerData
const tell = (event: WhatIfEvent | ScenarioEvent | ForecastStep | PointsEvent | TuneEvent | RunEvent<unknown>): void =>
  main.postMessage(event, [])

/** Between two reports of progress, milliseconds. */
const PROGRESS_MS = 100
/** A forecast follows every keystroke: after this many milliseconds the runs so far must do. */
const FORECAST_MS = 1_800
const CHARTED = { charted: true } as const
const CLIENTS_NOTE = 'The phases and controllers of the scenario are left out: only its clients are used.'

const started = systemEnvironment.now()
const elapsed = (): number => systemEnvironment.now() - started
let reportedAt = started
/** Reports progress from time to time. Only the end of the thread ends the work. */
const goOn = (part: number): true => {
  const now = systemEnvironment.now()
  if (now - reportedAt < PROGRESS_MS) return true
  reportedAt = now
  tell({ kind: 'progress', part })
  return true
}
try {
  if (data.kind === 'comparison') {
    const report = runComparison(data.task)
    tell({ kind: 'done', report, elapsedMs: elapsed() })
  } else if (data.kind === 'scenario') {
    const report = runScenario(data.task)
    tell({ kind: 'done', report, elapsedMs: elapsed() })
  } else if (data.kind === 'points') {
    const { base, plan, points } = data.task
    for (const point of points) {
      const result = runPoint(base, plan, point)
      if (result !== undefined) tell({ kind: 'point', result })
    }
    tell({ kind: 'done' })
  } else if (data.kind === 'tune') {
    const { task } = data
    if (task.kind === 'island') {
      tell({ kind: 'done', island: searchIsland(task.plan, task.base, task.island, goOn) })
    } else {
      tell({ kind: 'done', report: tuneReport(task.plan, task.base, task, goOn) })
    }
  } else if (data.kind === 'forecast') {
    const report = runForecast(data.task)
    tell({ kind: 'done', report, elapsedMs: elapsed() })
  } else {
    const { shelf } = await import('../recordings/shelf.ts')
    const { stateDir } = data.task
    const report =
      data.kind === 'strip'
        ? await shelf(stateDir).strip(data.task.id, data.task.now)
        : await shelf(stateDir)[data.kind](data.task.part, data.task.version, { onPart: goOn })
    tell({ kind: 'done', report, elapsedMs: elapsed() })
  }
} catch (error) {
  tell({ kind: 'failed', problem: toProblem(error) })
}

function runComparison({ wish, given }: WhatIfTask): WhatIfReport {
  const { baseline, candidates, traffic, scenario } = wishedComparison(wish, given)
  if (wish.clients === 'closed') {
    const clients = reactingClients(traffic, [baseline, ...candidates])
    return reportOf(finished(whatIfClosed(clients, baseline, candidates, goOn, CHARTED)))
  }
  // Simulated requests first need a list, which takes about as long as a variant.
  const steps = candidates.length + (traffic === undefined ? 1 : 2)
  const before = traffic === undefined ? 0 : 1
  const arrivals =
    traffic === undefined
      ? recordedArrivals(given)
      : finished(simulatedArrivals(traffic, baseline, (part) => goOn(part / steps)))
  const each = Math.max(1, arrivals.list.length)
  const result = whatIf(arrivals, baseline, candidates, (done) => goOn((before + done / each) / steps), CHARTED)
  const report = reportOf(finished(result))
  return scenario === undefined || scenario.phases.length + scenario.controllers.length === 0
    ? report
    : { ...report, notes: [...report.notes, CLIENTS_NOTE] }
}

/** Runs every variant. */
function runScenario({ file, text, seed }: ScenarioTask): ScenarioReport {
  return scenarioReport(finished(runAnyScenario(scenarioIn(file, text), { seed, mayGoOn: goOn, ...CHARTED })))
}

function scenarioIn(file: string, text: string): AnyScenario {
  const { found, findings } = readAnyScenario(text, file)
  if (found !== undefined) return found
  throw noScenario(findings, file)
}

/** Fits the twin unless there is one, and forecasts the draft. */
function runForecast({ wish, evidence, twin: known, earlier }: ForecastTask): ForecastReport {
  const twin = known ?? fitted({ wish, evidence })
  if (known === undefined) tell({ kind: 'twin', twin })
  const from = known === undefined ? FIT_PART : 0
  const report = forecast(twin, acceptable(wish.after, wish.version), {
    earlier,
    serverLimit: wish.newServerLimit,
    seconds: WATCH_MS / MS_PER_SECOND,
    mayGoOn: (part) => goOn(from + part * (1 - from)),
    enough: () => elapsed() > FORECAST_MS,
  })
  return finished(report)
}

function fitted({ wish, evidence }: Pick<ForecastTask, 'wish' | 'evidence'>): Twin {
  const { history = null, flows = [] } = evidence ?? {}
  return finished(
    fitTwin({ history: finished(history ?? undefined), variant: serverVariant(wish), flows }, (part) =>
      goOn(part * FIT_PART),
    ),
  )
}

/** The result, which exists because nothing ended the work early. */
function finished<T>(result: T | undefined): T {
  if (result === undefined) throw new ProblemError('cancelled', 'The run was cancelled.')
  return result
}
