import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { Problem } from '../../core/contract/errors.ts'
import type { LibraryScenario, WhatIfEvent } from '../../core/contract/whatif.ts'
import { readScenario } from '../../core/scenario/read.ts'
import { messageOf } from '../../core/text/text.ts'
import { fileOfScenario, scenarioNames } from '../files/scenarioLibrary.ts'
import type { WhatIfDesk, WhatIfTask } from '../ports/whatIf.ts'

export interface WhatIfData {
  readonly task: WhatIfTask
  readonly scenarioFolder: string
}

interface WhatIfSurroundings {
  /** `whatIfThread.ts`, or what it was built into. */
  readonly file: string
  readonly scenarioFolder: string
}

/** Each run takes a processor, and memory for its requests. */
const MOST_RUNS = 2
const MOST_MEGABYTES = 2_048

/** Runs each comparison in a thread of its own. */
export function whatIfInThread({ file, scenarioFolder }: WhatIfSurroundings): WhatIfDesk {
  let running = 0
  let library: Promise<readonly LibraryScenario[]> | undefined
  return {
    scenarios: () => (library ??= readLibrary(scenarioFolder)),
    run(task, emit, signal) {
      if (running >= MOST_RUNS) return emit({ kind: 'failed', problem: TOO_MANY })
      running += 1
      const data: WhatIfData = { task, scenarioFolder }
      const worker = new Worker(file, {
        workerData: data,
        resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
      })
      let problem: Problem = { code: 'internal', message: 'The thread of the comparison ended. Run it again.' }
      let over = signal.aborted
      worker.on('message', (event: WhatIfEvent) => {
        if (over) return
        over = event.kind !== 'progress'
        emit(event)
      })
      worker.on('error', (error) => {
        problem =
          'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? TOO_LARGE
            : { ...problem, details: messageOf(error) }
      })
      worker.once('exit', () => {
        running -= 1
        if (!over) emit({ kind: 'failed', problem })
        over = true
      })
      const stop = (): void => {
        over = true
        void worker.terminate()
      }
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    },
  }
}

const TOO_MANY: Problem = {
  code: 'throttled',
  message: `${MOST_RUNS} comparisons are already running on this console. Wait until one ends, or cancel it.`,
}
const TOO_LARGE: Problem = {
  code: 'too-large',
  message: 'The comparison needs too much memory. Simulate fewer seconds, or compare fewer variants.',
}

async function readLibrary(folder: string): Promise<readonly LibraryScenario[]> {
  const names = await scenarioNames(folder)
  const texts = await Promise.all(names.map((name) => readFile(fileOfScenario(folder, name), 'utf8')))
  return names.flatMap((name, index): LibraryScenario[] => {
    const { scenario } = readScenario(texts[index] ?? '', name)
    const [server] = scenario?.variants ?? []
    if (scenario === undefined || server === undefined) return []
    const { title, seed, seconds } = scenario
    const { maxRequestsInFlight, maxMutatingRequestsInFlight, version } = server
    return [{ name, title, seed, seconds, maxRequestsInFlight, maxMutatingRequestsInFlight, version }]
  })
}
