import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const isFunction = (value: unknown): value is () => void => typeof value === 'function'

/** Collects all garbage and answers the bytes that are left, those of typed arrays included. */
export function collectGarbage(): number {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (!isFunction(collect)) throw new Error('this Node cannot be asked to collect garbage')
  // Twice: what was freed by the first may free more.
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
