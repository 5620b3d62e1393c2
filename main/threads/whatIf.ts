import { readFile } from 'node:fs/promises'
import { quoted } from '../../core/config/finding.ts'
import { ProblemError, toProblem, type Problem } from '../../core/contract/errors.ts'
import type { ScenarioEvent } from '../../core/contract/scenario.ts'
import type { LibraryScenario, WhatIfEvent } from '../../core/contract/whatif.ts'
import { behaviourText } from '../../core/scenario/describe.ts'
import { readScenario } from '../../core/scenario/read.ts'
import { fileOfScenario, scenarioNames } from '../files/scenarioLibrary.ts'
import type {
  ForecastStep,
  ForecastTask,
  PointsEvent,
  PointsTask,
  SweepDesk,
  TuneEvent,
  TuneTask,
  WhatIfDesk,
  WhatIfTask,
} from '../ports/whatIf.ts'
import type { ScenarioTask } from './scenarioTask.ts'
import { runTaskThread } from './taskThread.ts'

/** What the thread is started with. */
export type WhatIfData =
  | { readonly kind: 'comparison'; readonly task: WhatIfTask }
  | { readonly kind: 'scenario'; readonly task: ScenarioTask }
  | { readonly kind: 'forecast'; readonly task: ForecastTask }
  | { readonly kind: 'points'; readonly task: PointsTask }
  | { readonly kind: 'tune'; readonly task: TuneTask }

interface WhatIfSurroundings {
  /** `whatIfThread.ts`, or what it was built into. */
  readonly file: string
  readonly scenarioFolder: string
}

/** Each run takes a processor, and memory for its requests. */
const MOST_RUNS = 2

/** Runs each comparison, each forecast, each shard of a sweep and each part of a search in a thread of its own. */
export function whatIfInThread({ file, scenarioFolder }: WhatIfSurroundings): WhatIfDesk & SweepDesk {
  let running = 0
  let library: Promise<readonly LibraryScenario[]> | undefined
  const isOver = ({ kind }: { readonly kind: string }): boolean => kind === 'done' || kind === 'failed'
  const failed = (problem: Problem) => ({ kind: 'failed', problem }) as const
  const scenarioText = async (name: string): Promise<string> => {
    // A name is part of a path.
    if ((await scenarioNames(scenarioFolder)).includes(name)) {
      return readFile(fileOfScenario(scenarioFolder, name), 'utf8')
    }
    throw new ProblemError('not-found', `The library has no scenario ${quoted(name)}; choose one from the list.`)
  }
  return {
    scenarios: () => (library ??= readLibrary(scenarioFolder)),
    scenarioText,
    run(task, emit, signal) {
      if (running >= MOST_RUNS) return emit(failed(TOO_MANY))
      running += 1
      const data: WhatIfData = { kind: 'comparison', task }
      const onExit = (): void => void (running -= 1)
      runTaskThread<WhatIfEvent>(
        { file, data, emit, isLast: isOver, failed, what: 'comparison', tooLarge: TOO_LARGE, onExit },
        signal,
      )
    },
    scenario(wish, emit, signal) {
      const run = async (): Promise<void> => {
        const { seed } = wish
        const named =
          wish.kind === 'file'
            ? { file: wish.file, text: wish.text }
            : { file: wish.name, text: await scenarioText(wish.name) }
        if (signal.aborted) return
        if (running >= MOST_RUNS) return emit(failed(TOO_MANY))
        running += 1
        const data: WhatIfData = { kind: 'scenario', task: { ...named, ...(seed !== undefined && { seed }) } }
        const onExit = (): void => void (running -= 1)
        runTaskThread<ScenarioEvent>(
          { file, data, emit, isLast: isOver, failed, what: 'simulation', tooLarge: SCENARIO_TOO_LARGE, onExit },
          signal,
        )
      }
      run().catch((thrown: unknown) => emit(failed(toProblem(thrown))))
    },
    forecast(task, emit, signal) {
      const data: WhatIfData = { kind: 'forecast', task }
      const onExit = (): void => undefined
      runTaskThread<ForecastStep>(
        { file, data, emit, isLast: isOver, failed, what: 'forecast', tooLarge: FORECAST_TOO_LARGE, onExit },
        signal,
      )
    },
    points(task, emit, signal) {
      const data: WhatIfData = { kind: 'points', task }
      const onExit = (): void => undefined
      runTaskThread<PointsEvent>(
        { file, data, emit, isLast: isOver, failed, what: 'sweep', tooLarge: SWEEP_TOO_LARGE, onExit },
        signal,
      )
    },
    tune(task, emit, signal) {
      const data: WhatIfData = { kind: 'tune', task }
      const onExit = (): void => undefined
      runTaskThread<TuneEvent>(
        { file, data, emit, isLast: isOver, failed, what: 'search', tooLarge: TUNE_TOO_LARGE, onExit },
        signal,
      )
    },
  }
}

const TOO_MANY: Problem = {
  code: 'throttled',
  message: `${MOST_RUNS} comparisons or scenarios are already running on this console. Wait until one ends, or cancel it.`,
}
const TOO_LARGE: Problem = {
  code: 'too-large',
  message: 'The comparison needs too much memory. Simulate fewer seconds, or compare fewer variants.',
}
const SCENARIO_TOO_LARGE: Problem = {
  code: 'too-large',
  message: 'The scenario needs too much memory. Simulate fewer seconds, or fewer clients.',
}

const FORECAST_TOO_LARGE: Problem = {
  code: 'too-large',
  message: 'The forecast needs too much memory: too many requests come in ten minutes.',
}

const SWEEP_TOO_LARGE: Problem = {
  code: 'too-large',
  message: 'A point of the sweep needs too much memory. Simulate fewer seconds, or fewer requests.',
}

const TUNE_TOO_LARGE: Problem = {
  code: 'too-large',
  message: 'The search needs too much memory. Simulate fewer seconds, or give it fewer requests.',
}

async function readLibrary(folder: string): Promise<readonly LibraryScenario[]> {
  const names = await scenarioNames(folder)
  const texts = await Promise.all(names.map((name) => readFile(fileOfScenario(folder, name), 'utf8')))
  return names.flatMap((name, index): LibraryScenario[] => {
    const { scenario } = readScenario(texts[index] ?? '', name)
    const [server] = scenario?.variants ?? []
    if (scenario === undefined || server === undefined) return []
    const { title, teaches, seed, seconds, statisticsFrom } = scenario
    const clients = scenario.clients.map((group) => ({ name: group.name, does: behaviourText(group) }))
    const variants = scenario.variants.map((variant) => variant.name)
    const shown = { name, title, teaches, seed, seconds, statisticsFrom, clients, variants }
    const { maxRequestsInFlight, maxMutatingRequestsInFlight, version } = server
    return [{ ...shown, maxRequestsInFlight, maxMutatingRequestsInFlight, version }]
  })
}
