import type { ApfEngine, ApfEngineOptions } from './apfEngine.ts'
import { FairEngine } from './fairEngine.ts'
import { InFlightEngine } from './inFlightEngine.ts'

export function createApfEngine<T>(options: ApfEngineOptions<T>): ApfEngine<T> {
  return options.mode === 'max-in-flight' ? new InFlightEngine(options) : new FairEngine(options)
}
