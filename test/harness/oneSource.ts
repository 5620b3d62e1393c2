import { z } from 'zod'
import {
  procedures,
  streams,
  type Client,
  type Handlers,
  type ProcedureHandlers,
  type ProcedureInput,
  type ProcedureName,
  type ProcedureOutput,
  type StreamEvent,
  type StreamName,
  type StreamParams,
} from '../../core/contract/contract.ts'

/** Without the connection; nothing if there is nothing else. */
type Free<I> = I extends { readonly connection: number }
  ? keyof Omit<I, 'connection'> extends never
    ? null
    : Omit<I, 'connection'>
  : I

/** A console for tests of one source: calls and subscriptions are those of the source that it connected last. */
export interface OneSource {
  /** Id of the connection; 0 before there is one. */
  readonly connection: number
  /** `sources.connect` connects in the place of the one before. */
  call<N extends ProcedureName>(name: N, input: Free<ProcedureInput<N>>): Promise<ProcedureOutput<N>>
  /** Switches to the next source when one is connected. */
  subscribe<N extends StreamName>(
    name: N,
    params: Free<StreamParams<N>>,
    onEvent: (event: StreamEvent<N>) => void,
  ): () => void
}

const isOfConnection = (schema: z.ZodType): boolean => schema instanceof z.ZodObject && 'connection' in schema.shape

export function oneSource({ call, subscribe }: Pick<Client, 'call' | 'subscribe'>): OneSource {
  let connection = 0
  const listeners = new Set<() => void>()
  const about = (schema: z.ZodType, input: unknown): never =>
    (isOfConnection(schema) ? { connection, ...(input as object | null) } : input) as never
  return {
    get connection() {
      return connection
    },
    async call(name, input) {
      if (name !== 'sources.connect') return call(name, about(procedures[name].input, input))
      const inPlaceOf = connection === 0 ? null : connection
      const made = await call(name, { inPlaceOf, ...(input as object) } as never)
      connection = (made as ProcedureOutput<'sources.connect'>).id
      for (const listener of listeners) listener()
      return made
    },
    subscribe(name, params, onEvent) {
      const schema = streams[name].params
      if (!isOfConnection(schema)) return subscribe(name, params as never, onEvent)
      let stop = (): void => undefined
      const follow = (): void => {
        stop()
        if (connection !== 0) stop = subscribe(name, about(schema, params), onEvent)
      }
      follow()
      listeners.add(follow)
      return () => {
        listeners.delete(follow)
        stop()
      }
    },
  }
}

/** The same over the handlers themselves, without a transport between. */
export const oneSourceOf = (handlers: Handlers): OneSource =>
  oneSource({
    call: (name, input) => handlers.procedures[name](input as never),
    subscribe(name, params, onEvent) {
      const end = new AbortController()
      handlers.streams[name](params as never, onEvent, end.signal)
      return () => end.abort()
    },
  })

type FreeHandlers<P> = {
  readonly [N in keyof P & ProcedureName]: (
    input: Free<Parameters<ProcedureHandlers[N]>[0]>,
  ) => ReturnType<ProcedureHandlers[N]>
}

/** Handlers of procedures, each about the connection of this moment. */
export const aboutConnection = <P extends Partial<ProcedureHandlers>>(
  handlers: P,
  connection: () => number,
): FreeHandlers<P> =>
  Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => [
      name,
      (input: object | null) => handle({ connection: connection(), ...input } as never),
    ]),
  ) as unknown as FreeHandlers<P>
