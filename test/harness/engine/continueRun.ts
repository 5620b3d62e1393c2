/** A thread that continues runs from checkpoints, one after the other, and posts what happened. */
import { parentPort } from 'node:worker_threads'
import { z } from 'zod'
import { type RunCheckpoint, type Step, SteppedRun } from './steppedRun.ts'

const Data = z.object({ checkpoint: z.custom<RunCheckpoint>(), steps: z.custom<readonly Step[]>() })

parentPort?.on('message', (data) => {
  const { checkpoint, steps } = Data.parse(data)
  const run = SteppedRun.from(checkpoint)
  run.take(steps)
  parentPort?.postMessage({ log: run.log, state: run.state() }, [])
})
