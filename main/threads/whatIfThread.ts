import { parentPort, workerData } from 'node:worker_threads'
import { toProblem } from '../../core/contract/errors.ts'
import type { ScenarioEvent } from '../../core/contract/scenario.ts'
import type { WhatIfEvent } from '../../core/contract/whatif.ts'
import { systemEnvironment } from '../ports/environment.ts'
import { runPoint } from '../../core/sweep/points.ts'
import { tuneReport } from '../../core/tune/report.ts'
import { searchIsland } from '../../core/tune/search.ts'
import type { ForecastStep, PointsEvent, TuneEvent } from '../ports/whatIf.ts'
import { runForecast } from './forecastTask.ts'
import type { WhatIfData } from './whatIf.ts'
import { runScenarioTask } from './scenarioTask.ts'
import { runTask } from './whatIfTask.ts'

// The thread of one comparison, scenario, forecast, shard of a sweep or part of a search; whoever cancels it ends the thread.

if (parentPort === null) throw new Error('This file runs in a thread of the console.')
const main = parentPort
const data: WhatIfData = workerData
const tell = (event: WhatIfEvent | ScenarioEvent | ForecastStep | PointsEvent | TuneEvent): void =>
  main.postMessage(event, [])

/** Between two reports of progress, milliseconds. */
const PROGRESS_MS = 100
/** A forecast follows every keystroke: after so many milliseconds its runs have to do. */
const FORECAST_MS = 1_800

const started = systemEnvironment.now()
const elapsed = (): number => systemEnvironment.now() - started
let toldAt = started
const tellPart = (part: number): void => {
  const now = systemEnvironment.now()
  if (now - toldAt < PROGRESS_MS) return
  toldAt = now
  tell({ kind: 'progress', part })
}
try {
  if (data.kind === 'comparison') {
    const report = runTask(data.task, tellPart)
    tell({ kind: 'done', report, elapsedMs: elapsed() })
  } else if (data.kind === 'scenario') {
    tell({ kind: 'done', report: runScenarioTask(data.task, tellPart), elapsedMs: elapsed() })
  } else if (data.kind === 'points') {
    const { base, plan, points } = data.task
    for (const point of points) {
      const result = runPoint(base, plan, point)
      if (result !== undefined) tell({ kind: 'point', result })
    }
    tell({ kind: 'done' })
  } else if (data.kind === 'tune') {
    const { task } = data
    const goOn = (part: number): true => {
      tellPart(part)
      return true
    }
    if (task.kind === 'island') {
      tell({ kind: 'done', island: searchIsland(task.plan, task.base, task.island, goOn) })
    } else {
      tell({ kind: 'done', report: tuneReport(task.plan, task.base, task, goOn) })
    }
  } else {
    const onTwin = (twin: Extract<ForecastStep, { kind: 'twin' }>['twin']): void => tell({ kind: 'twin', twin })
    const report = runForecast(data.task, { tell: tellPart, onTwin, enough: () => elapsed() > FORECAST_MS })
    tell({ kind: 'done', report, elapsedMs: elapsed() })
  }
} catch (error) {
  tell({ kind: 'failed', problem: toProblem(error) })
}
