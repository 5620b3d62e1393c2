/** A thread that continues a simulation from a checkpoint and posts what happened. */
import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { type Continuation, continued } from './checkpointedSimulation.ts'

const Data = z.object({ continuation: z.custom<Continuation>() })

parentPort?.postMessage(continued(Data.parse(workerData).continuation), [])
