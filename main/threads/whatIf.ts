import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { AbortSignalLike } from '../../core/contract/contract.ts'
import { quoted } from '../../core/config/finding.ts'
import { codeOf, ProblemError, toProblem, type Problem, messageOf } from '../../core/errors.ts'
import type { RecordingStrip, SharedFile } from '../../core/contract/recording.ts'
import type { Report } from '../../core/contract/report.ts'
import type { ScenarioEvent } from '../../core/contract/scenario.ts'
import type { LibraryScenario, RunEvent, WhatIfEvent } from '../../core/contract/whatif.ts'
import { fileOfScenario, scenarioNames } from '../files/scenarioLibrary.ts'
import type {
  Following,
  ForecastStep,
  ForecastTask,
  PartTask,
  PointsEvent,
  PointsTask,
  ScenarioTask,
  StripTask,
  SweepRunner,
  TuneEvent,
  TuneTask,
  WhatIfRunner,
  WhatIfTask,
} from '../ports/whatIf.ts'
import { isWithoutLevels } from '../../core/frame/reading.ts'

/** Start data of the thread. */
export type WhatIfData =
  | { readonly kind: 'comparison'; readonly task: WhatIfTask }
  | { readonly kind: 'scenario'; readonly task: ScenarioTask }
  | { readonly kind: 'forecast'; readonly task: ForecastTask }
  | { readonly kind: 'points'; readonly task: PointsTask }
  | { readonly kind: 'tune'; readonly task: TuneTask }
  | { readonly kind: 'strip'; readonly task: StripTask }
  | { readonly kind: 'report'; readonly task: PartTask }
  | { readonly kind: 'export'; readonly task: PartTask }

/** What each task emits until it ends. */
interface TaskEvents {
  readonly comparison: WhatIfEvent
  readonly scenario: ScenarioEvent
  readonly forecast: ForecastStep
  readonly points: PointsEvent
  readonly tune: TuneEvent
  readonly strip: RunEvent<RecordingStrip>
  readonly report: RunEvent<Report>
  readonly export: RunEvent<SharedFile>
}

interface WhatIfSurroundings {
  /** `whatIfThread.ts`, or what it was built into. */
  readonly file: string
  readonly scenarioFolder: string
}

/** Memory limit of one task. */
const MOST_MEGABYTES = 2_048

/** For comparisons and scenarios: each uses a processor, and memory for its requests. */
const MOST_RUNS = 2

/**
 * Runs each comparison, each forecast, each shard of a sweep and each part of a search in a thread of its own, and reads
 * recordings there.
 */
export function whatIfInThread({ file, scenarioFolder }: WhatIfSurroundings): Required<WhatIfRunner> & SweepRunner {
  let running = 0
  let library: Promise<readonly LibraryScenario[]> | undefined
  const failed = (problem: Problem) => ({ kind: 'failed', problem }) as const
  const scenarioText = async (name: string): Promise<string> => {
    // The name becomes part of a path.
    if ((await scenarioNames(scenarioFolder)).includes(name)) {
      return readFile(fileOfScenario(scenarioFolder, name), 'utf8')
    }
    throw new ProblemError('not-found', `The library has no scenario ${quoted(name)}; choose one from the list.`)
  }
  type Failed = ReturnType<typeof failed>
  /** Runs one task in a thread of its own, until it is over or the signal aborts. */
  const begin = <K extends keyof TaskEvents>(
    data: WhatIfData & { readonly kind: K },
    emit: (event: TaskEvents[K] | Failed) => void,
    signal: AbortSignalLike,
  ): void => {
    const isCounted = data.kind === 'comparison' || data.kind === 'scenario'
    if (isCounted && running >= MOST_RUNS) return emit(failed(TOO_MANY))
    running += isCounted ? 1 : 0
    const { what, mend } = ABOUT[data.kind]
    let problem: Problem = { code: 'internal', message: `The thread of the ${what} ended. Run it again.` }
    let over = signal.aborted
    const worker = new Worker(file, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES } })
    worker.on('message', (event: TaskEvents[K] | Failed) => {
      if (over) return
      over = event.kind === 'done' || event.kind === 'failed'
      emit(event)
    })
    worker.on('error', (error) => {
      problem =
        codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY'
          ? { code: 'too-large', message: `The ${what} needs too much memory${mend}` }
          : { ...problem, details: messageOf(error) }
    })
    worker.once('exit', () => {
      running -= isCounted ? 1 : 0
      if (!over) emit(failed(problem))
      over = true
    })
    const stop = (): void => {
      over = true
      void worker.terminate()
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  }
  const tune: SweepRunner['tune'] = (task, emit, signal) => begin({ kind: 'tune', task }, emit, signal)
  const points: SweepRunner['points'] = (task, emit, signal) => begin({ kind: 'points', task }, emit, signal)
  let searching = false
  /** Does work that uses all processors, unless there is some already. */
  const inAllThreads = <T>(
    work: (signal: AbortSignal) => Promise<T>,
    done: (result: T) => void,
    { emit, signal }: { readonly emit: (event: Failed) => void; readonly signal: AbortSignalLike },
  ): void => {
    if (searching) return emit(failed(SEARCHING))
    searching = true
    const end = new AbortController()
    signal.addEventListener('abort', () => end.abort(), { once: true })
    const run = async (): Promise<void> => {
      try {
        done(await work(end.signal))
      } catch (thrown) {
        emit(failed(toProblem(thrown)))
      } finally {
        searching = false
      }
    }
    void run()
  }
  return {
    scenarios: () => (library ??= readLibrary(scenarioFolder)),
    scenarioText,
    run: (task, emit, signal) => begin({ kind: 'comparison', task }, emit, signal),
    scenario(wish, emit, signal) {
      const { seed } = wish
      const run = async (): Promise<void> => {
        const read =
          wish.kind === 'file'
            ? { file: wish.file, text: wish.text }
            : { file: wish.name, text: await scenarioText(wish.name) }
        if (signal.aborted) return
        begin({ kind: 'scenario', task: { ...read, ...(seed !== undefined && { seed }) } }, emit, signal)
      }
      run().catch((thrown: unknown) => emit(failed(toProblem(thrown))))
    },
    forecast: (task, emit, signal) => begin({ kind: 'forecast', task }, emit, signal),
    search(task, emit, signal) {
      const onPart = (part: number): void => emit({ kind: 'progress', part })
      inAllThreads(
        // Loaded on first use, as the library is: the process that serves windows starts without an engine.
        async (end) =>
          (await import('./tuneSearch.ts')).runSearch(task, { runner: { points, tune }, signal: end, onPart }),
        (report) => emit({ kind: 'done', report }),
        { emit, signal },
      )
    },
    sweep(wish, emit, signal) {
      const started = performance.now()
      const onPart = (part: number): void => emit({ kind: 'progress', part })
      inAllThreads(
        async (end) =>
          (await import('./sweepRun.ts')).runSweep(wish, { runner: { points }, scenarioText, signal: end, onPart }),
        (report) => emit({ kind: 'done', report, elapsedMs: performance.now() - started }),
        { emit, signal },
      )
    },
    reader: (stateDir) => ({
      strip: (id, now) => answered((emit, end) => begin({ kind: 'strip', task: { stateDir, id, now } }, emit, end)),
      report: (part, version, following) =>
        answered((emit, end) => begin({ kind: 'report', task: { stateDir, part, version } }, emit, end), following),
      export: (part, version, following) =>
        answered((emit, end) => begin({ kind: 'export', task: { stateDir, part, version } }, emit, end), following),
    }),
    points,
    tune,
  }
}

/** The result of a task, once it is done. */
const answered = <T>(
  work: (emit: (event: RunEvent<T>) => void, end: AbortSignalLike) => void,
  { onPart, signal = new AbortController().signal }: Partial<Following> = {},
): Promise<T> =>
  new Promise((resolve, reject) => {
    const emit = (event: RunEvent<T>): void => {
      if (event.kind === 'progress') onPart?.(event.part)
      else if (event.kind === 'done') resolve(event.report)
      else reject(ProblemError.of(event.problem))
    }
    signal.addEventListener('abort', () => reject(new ProblemError('cancelled', 'It was cancelled.')), { once: true })
    work(emit, signal)
  })

const TOO_MANY: Problem = {
  code: 'throttled',
  message: `${MOST_RUNS} comparisons or scenarios are already running on this console. Wait until one ends, or cancel it.`,
}
const SEARCHING: Problem = {
  code: 'throttled',
  message: 'A search or a sweep is already running on this console. Wait until it ends, or cancel it.',
}
/** What each thread does, and how to make it need less memory. */
const ABOUT = {
  comparison: { what: 'comparison', mend: '. Simulate fewer seconds, or compare fewer variants.' },
  scenario: { what: 'scenario', mend: '. Simulate fewer seconds, or fewer clients.' },
  forecast: { what: 'forecast', mend: ': too many requests come in ten minutes.' },
  points: { what: 'sweep', mend: ' at a point. Simulate fewer seconds, or fewer requests.' },
  tune: { what: 'search', mend: '. Simulate fewer seconds, or give it fewer requests.' },
  strip: { what: 'recording', mend: '.' },
  report: { what: 'report', mend: '. Choose a shorter range.' },
  export: { what: 'export', mend: '. Choose a shorter range.' },
} as const satisfies Readonly<Record<WhatIfData['kind'], { readonly what: string; readonly mend: string }>>

async function readLibrary(folder: string): Promise<readonly LibraryScenario[]> {
  const { readAnyScenario } = await import('../../core/scenario/read.ts')
  const { behaviourText, storeText } = await import('../../core/scenario/describe.ts')
  const names = await scenarioNames(folder)
  const texts = await Promise.all(names.map((name) => readFile(fileOfScenario(folder, name), 'utf8')))
  return names.flatMap((name, index): LibraryScenario[] => {
    const { found } = readAnyScenario(texts[index] ?? '', name)
    if (found === undefined) return []
    const { title, teaches, seed, seconds, statisticsFrom } = found.scenario
    const variants = found.scenario.variants.map((variant) => variant.name)
    const shown = { name, title, teaches, seed, seconds, statisticsFrom, variants }
    if (found.of === 'etcd') {
      const clients = found.scenario.clients.map((group) => ({ name: group.name, does: storeText(group) }))
      return [{ ...shown, steppable: [], clients }]
    }
    const clients = found.scenario.clients.map((group) => ({ name: group.name, does: behaviourText(group) }))
    const [first] = found.scenario.variants
    if (first === undefined) return []
    const { maxRequestsInFlight, maxMutatingRequestsInFlight, version } = first
    const steppable = found.scenario.variants
      .filter((variant) => !isWithoutLevels(variant))
      .map((variant) => variant.name)
    return [{ ...shown, steppable, clients, server: { maxRequestsInFlight, maxMutatingRequestsInFlight, version } }]
  })
}
