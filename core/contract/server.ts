import type { ZodError } from 'zod'
import { createValve, type Valve } from './backpressure.ts'
import type {
  AbortSignalLike,
  ProcedureHandlers,
  ProcedureName,
  ProcedureOutput,
  StreamEvent,
  StreamHandlers,
  StreamName,
} from './contract.ts'
import { ProblemError, toProblem, type Problem } from '../errors.ts'
import { LIMITS, encode, type Limits, type Port, type Reply } from './protocol.ts'
import { RequestSchema, decode, describeMismatch, type Request } from './messages.ts'
import { createRelay, type LineTo } from './relay.ts'
import { isProcedure, isStream, procedureShapes, streamShapes } from './shapes.ts'

const unknownName = (kind: string, name: string): ProblemError =>
  new ProblemError('unknown-procedure', `There is no ${kind} named ${JSON.stringify(name.slice(0, 80))}.`)

/** Sent in place of an event that violates its contract: an error of this side that does not end the stream. */
const leftOut = (name: string, error: ZodError): Problem => ({
  code: 'internal',
  message: `An update of ${name} was dropped because it violates its contract.`,
  details: describeMismatch(error),
})

/** A side may implement only a part of the contract. */
export interface SomeHandlers {
  readonly procedures: Partial<ProcedureHandlers>
  readonly streams: Partial<StreamHandlers>
}

/** Runs one procedure, validating input and output. */
async function answer<N extends ProcedureName>(
  handlers: SomeHandlers,
  name: N,
  input: unknown,
): Promise<ProcedureOutput<N>> {
  const given = procedureShapes[name].input.safeParse(input)
  if (!given.success) throw new ProblemError('invalid-input', `${name}: ${describeMismatch(given.error)}`)
  const handle: ProcedureHandlers[N] | undefined = handlers.procedures[name]
  if (handle === undefined) throw unknownName('procedure', name)
  const output = procedureShapes[name].output.safeParse(await handle(given.data))
  if (!output.success) throw new Error(`${name} returned an invalid response: ${describeMismatch(output.error)}`)
  return output.data
}

interface Outlet<E> {
  readonly emit: (event: E) => void
  readonly signal: AbortSignalLike
}

/** Starts one stream with parsed parameters. */
function start<N extends StreamName>(
  handlers: SomeHandlers,
  name: N,
  params: unknown,
  out: Outlet<StreamEvent<N>>,
): void {
  const given = streamShapes[name].params.safeParse(params)
  if (!given.success) throw new ProblemError('invalid-input', `${name}: ${describeMismatch(given.error)}`)
  const handle: StreamHandlers[N] | undefined = handlers.streams[name]
  if (handle === undefined) throw unknownName('stream', name)
  handle(given.data, out.emit, out.signal)
}

export interface ServeOptions {
  readonly limits?: Limits
  /** Where sources run elsewhere: calls about one of them are forwarded to it unchanged. */
  readonly lineTo?: LineTo | undefined
  /**
   * Throws a `ProblemError` for the name of a procedure or stream that this peer may not use, wherever it is answered.
   */
  readonly assertAllowed?: ((name: string) => void) | undefined
}

/**
 * Serves one port until it closes. A message that violates the protocol closes the port; one that follows it but
 * contains an invalid call is answered with a problem. Returns the function that closes the port.
 */
export function serve(port: Port, handlers: SomeHandlers, options: ServeOptions = {}): () => void {
  const { limits = LIMITS, lineTo = () => undefined, assertAllowed } = options
  const calls = new Set<number>()
  const subscriptions = new Map<number, { readonly abort: Abort; readonly valve: Valve<StreamEvent<StreamName>> }>()
  let open = true

  const reply = (message: Reply): void => {
    if (open) port.post(encode(message))
  }

  const call = async (id: number, name: string, input: unknown): Promise<void> => {
    try {
      if (!isProcedure(name)) throw unknownName('procedure', name)
      if (calls.size > limits.callsInFlight) {
        throw new ProblemError('throttled', `More than ${limits.callsInFlight} calls are pending; try again.`)
      }
      reply({ type: 'result', id, output: await answer(handlers, name, input) })
    } catch (thrown) {
      reply({ type: 'problem', id, problem: toProblem(thrown) })
    } finally {
      calls.delete(id)
      // A peer that sends calls but never reads must not make this side buffer its replies.
      if (port.backlog() > limits.backlogForResults) port.close()
    }
  }

  const end = (id: number, thrown: unknown): void => {
    subscriptions.get(id)?.abort.abort()
    subscriptions.delete(id)
    reply({ type: 'end', id, problem: toProblem(thrown) })
  }

  const subscribe = (id: number, name: string, params: unknown): void => {
    try {
      if (!isStream(name)) throw unknownName('stream', name)
      if (subscriptions.size >= limits.subscriptions) {
        throw new ProblemError('throttled', `One page may have ${limits.subscriptions} subscriptions.`)
      }
      const abort = createAbort()
      const valve = createValve<StreamEvent<StreamName>>({
        credit: limits.eventsInFlight,
        send: (event) => reply({ type: 'event', id, event }),
        ready: () => port.backlog() <= limits.backlogForEvents,
      })
      subscriptions.set(id, { abort, valve })
      start(handlers, name, params, {
        emit: (event) => {
          if (abort.signal.aborted) return
          const checked = streamShapes[name].event.safeParse(event)
          if (checked.success) return valve.offer(checked.data)
          reply({ type: 'problem', id, problem: leftOut(name, checked.error) })
        },
        signal: abort.signal,
      })
    } catch (thrown) {
      end(id, thrown)
    }
  }

  const relay = createRelay({ port, lineTo, limits, reply })
  /** Rejects what this peer may not use, before anything else processes it; returns whether it did. */
  const refuse = (message: Request): boolean => {
    if (message.type !== 'call' && message.type !== 'subscribe') return false
    try {
      assertAllowed?.(message.name)
      return false
    } catch (thrown) {
      reply({ type: message.type === 'call' ? 'problem' : 'end', id: message.id, problem: toProblem(thrown) })
      if (port.backlog() > limits.backlogForResults) port.close()
      return true
    }
  }
  const receive = (message: Request, text: string): void => {
    if (refuse(message)) return
    if (relay.pass(message, text)) return
    switch (message.type) {
      case 'call':
        if (calls.has(message.id)) return port.close()
        calls.add(message.id)
        void call(message.id, message.name, message.input)
        return
      case 'subscribe':
        if (subscriptions.has(message.id)) return port.close()
        return subscribe(message.id, message.name, message.params)
      case 'ack':
        // An acknowledgement may cross the end of its subscription; one without any event in flight is a violation.
        if (subscriptions.get(message.id)?.valve.acknowledge() === false) port.close()
        return
      case 'unsubscribe':
        subscriptions.get(message.id)?.abort.abort()
        subscriptions.delete(message.id)
    }
  }

  port.onMessage((data) => {
    if (!open) return
    const message = decode<Request>(RequestSchema, data, limits.messageLength)
    if (message === undefined || typeof data !== 'string') port.close()
    else receive(message, data)
  })
  port.onDrain(() => {
    for (const { valve } of subscriptions.values()) valve.retry()
  })
  port.onClose(() => {
    open = false
    for (const { abort } of subscriptions.values()) abort.abort()
    subscriptions.clear()
    relay.close()
  })
  return () => port.close()
}

/** A signal that several parties can listen for; the counterpart of AbortController without a platform. */
interface Abort {
  readonly signal: AbortSignalLike
  /** Calls every listener once; further calls do nothing. A listener added afterwards is not called. */
  abort(): void
}

export function createAbort(): Abort {
  let aborted = false
  let listeners: (() => void)[] = []
  return {
    signal: {
      get aborted() {
        return aborted
      },
      addEventListener: (_type, listener) => {
        if (!aborted) listeners.push(listener)
      },
    },
    abort() {
      if (aborted) return
      aborted = true
      const called = listeners
      listeners = []
      for (const listener of called) listener()
    },
  }
}
