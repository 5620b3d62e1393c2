/** A thread that continues a run from a checkpoint and posts what happened. */
import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { type RunCheckpoint, type Step, SteppedRun } from './steppedRun.ts'

const Data = z.object({ checkpoint: z.custom<RunCheckpoint>(), steps: z.custom<readonly Step[]>() })

const { checkpoint, steps } = Data.parse(workerData)
const run = SteppedRun.from(checkpoint)
run.take(steps)
parentPort?.postMessage({ log: run.log, state: run.state() }, [])
