import type { z } from 'zod'
import type { Read, Reading } from './client.ts'
import {
  procedures,
  streams,
  type ProcedureName,
  type ProcedureOutput,
  type Procedures,
  type StreamEvent,
  type StreamName,
  type Streams,
} from './contract.ts'
import { describeMismatch } from './messages.ts'

/**
 * The contract's schemas under types that keep each name related to its own schema when the name is only known as `N`:
 * this lets both sides handle all names generically, without a cast.
 */
export const procedureShapes: {
  readonly [N in ProcedureName]: {
    readonly input: z.ZodType<z.output<Procedures[N]['input']>>
    readonly output: z.ZodType<ProcedureOutput<N>>
  }
} = procedures

export const streamShapes: {
  readonly [N in StreamName]: {
    readonly params: z.ZodType<z.output<Streams[N]['params']>>
    readonly event: z.ZodType<StreamEvent<N>>
  }
} = streams

/** Validates both on the calling side: what violates the contract is rejected. */
export const checked: Reading = {
  output: (name, value) => readingOf(procedureShapes[name].output.safeParse(value)),
  event: (name, value) => readingOf(streamShapes[name].event.safeParse(value)),
}

const readingOf = <T>(parsed: z.ZodSafeParseResult<T>): Read<T> =>
  parsed.success ? { value: parsed.data } : { mismatch: describeMismatch(parsed.error) }

/** Own names only: `__proto__` and `constructor` are not procedures. */
export const isProcedure = (name: string): name is ProcedureName => Object.hasOwn(procedures, name)
export const isStream = (name: string): name is StreamName => Object.hasOwn(streams, name)
