import { parentPort, workerData } from 'node:worker_threads'
import { toProblem } from '../../core/contract/errors.ts'
import type { WhatIfEvent } from '../../core/contract/whatif.ts'
import { systemEnvironment } from '../ports/environment.ts'
import type { WhatIfData } from './whatIf.ts'
import { runTask } from './whatIfTask.ts'

// The thread of one comparison; whoever cancels it ends the thread.

if (parentPort === null) throw new Error('This file runs in a thread of the console.')
const main = parentPort
const { task, scenarioFolder }: WhatIfData = workerData
const tell = (event: WhatIfEvent): void => main.postMessage(event, [])

/** Between two reports of progress, milliseconds. */
const PROGRESS_MS = 100

const started = systemEnvironment.now()
let toldAt = started
try {
  const report = runTask(task, scenarioFolder, (part) => {
    const now = systemEnvironment.now()
    if (now - toldAt < PROGRESS_MS) return
    toldAt = now
    tell({ kind: 'progress', part })
  })
  tell({ kind: 'done', report, elapsedMs: systemEnvironment.now() - started })
} catch (error) {
  tell({ kind: 'failed', problem: toProblem(error) })
}
