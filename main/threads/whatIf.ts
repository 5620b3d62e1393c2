import { readFile } from 'node:fs/promises'
import type { AbortSignalLike } from '../../core/contract/contract.ts'
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

/** Of comparisons and scenarios: each takes a processor, and memory for its requests. */
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
  type Failed = ReturnType<typeof failed>
  const begin = <E extends { readonly kind: string }>(
    data: WhatIfData,
    emit: (event: E | Failed) => void,
    signal: AbortSignalLike,
  ): void => {
    const isCounted = data.kind === 'comparison' || data.kind === 'scenario'
    if (isCounted && running >= MOST_RUNS) return emit(failed(TOO_MANY))
    running += isCounted ? 1 : 0
    const onExit = (): void => void (running -= isCounted ? 1 : 0)
    const { what, mend } = ABOUT[data.kind]
    const tooLarge: Problem = { code: 'too-large', message: `The ${what} needs too much memory${mend}` }
    runTaskThread<E | Failed>({ file, data, emit, isLast: isOver, failed, what, tooLarge, onExit }, signal)
  }
  return {
    scenarios: () => (library ??= readLibrary(scenarioFolder)),
    scenarioText,
    run: (task, emit, signal) => begin<WhatIfEvent>({ kind: 'comparison', task }, emit, signal),
    scenario(wish, emit, signal) {
      const { seed } = wish
      const run = async (): Promise<void> => {
        const file = wish.kind === 'file' ? wish.file : wish.name
        const text = wish.kind === 'file' ? wish.text : await scenarioText(wish.name)
        if (signal.aborted) return
        const task = { file, text, ...(seed !== undefined && { seed }) }
        begin<ScenarioEvent>({ kind: 'scenario', task }, emit, signal)
      }
      run().catch((thrown: unknown) => emit(failed(toProblem(thrown))))
    },
    forecast: (task, emit, signal) => begin<ForecastStep>({ kind: 'forecast', task }, emit, signal),
    points: (task, emit, signal) => begin<PointsEvent>({ kind: 'points', task }, emit, signal),
    tune: (task, emit, signal) => begin<TuneEvent>({ kind: 'tune', task }, emit, signal),
  }
}

const TOO_MANY: Problem = {
  code: 'throttled',
  message: `${MOST_RUNS} comparisons or scenarios are already running on this console. Wait until one ends, or cancel it.`,
}
/** What a thread does, and how it could do with less. */
const ABOUT = {
  comparison: { what: 'comparison', mend: '. Simulate fewer seconds, or compare fewer variants.' },
  scenario: { what: 'scenario', mend: '. Simulate fewer seconds, or fewer clients.' },
  forecast: { what: 'forecast', mend: ': too many requests come in ten minutes.' },
  points: { what: 'sweep', mend: ' at a point. Simulate fewer seconds, or fewer requests.' },
  tune: { what: 'search', mend: '. Simulate fewer seconds, or give it fewer requests.' },
} as const satisfies Readonly<Record<WhatIfData['kind'], { readonly what: string; readonly mend: string }>>

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
