import { bytesToMegabytes } from '../units.ts'
import type { Client, ProcedureName, ProcedureOutput, StreamEvent, StreamName } from './contract.ts'
import { ProblemError, type Problem } from '../errors.ts'
import { LIMITS, encode, replyIn, type Port, type Reply } from './protocol.ts'

/** Milliseconds before the first, and the most before any, retry to reach the other side. */
const RETRY_MS = { first: 250, most: 5_000 } as const

export interface ClientOptions {
  /** Opens a line; called again, after a growing pause, whenever the last one closed or could not be opened. */
  readonly connect: () => Promise<Port>
  /** Calls back once after `ms` unless the returned function was called. */
  readonly after: (ms: number, callback: () => void) => () => void
  /** Uniform in [0, 1). */
  readonly random: () => number
  readonly reading: Reading
}

/** Validates the messages of the other side against the contract, or returns what is wrong with them. */
export interface Reading {
  output<N extends ProcedureName>(name: N, value: unknown): Read<ProcedureOutput<N>>
  event<N extends StreamName>(name: N, value: unknown): Read<StreamEvent<N>>
}
export type Read<T> = { readonly value: T } | { readonly mismatch: string }

export interface ConnectedClient extends Client {
  /** Closes the line for good. */
  close(): void
}

interface Pending {
  readonly text: string
  readonly settle: (reply: { readonly output: unknown } | { readonly problem: Problem }) => void
}
interface Subscription {
  readonly text: string
  readonly onEvent: (event: unknown) => void
  readonly onProblem: (problem: Problem) => void
}

const LOST = new ProblemError('cancelled', 'The connection to the console was lost before it responded. Try again.')
const AWAY = new ProblemError('unreachable', 'The console does not respond. Check that it is still running.')

/**
 * The calling side over any kind of line. Calls made before the first connection wait for it; calls made while the line
 * is lost reject with `unreachable`; those in flight when it is lost reject with `cancelled`. Subscriptions survive the
 * line: they are renewed on the next one.
 */
export function createClient({ connect, after, random, reading }: ClientOptions): ConnectedClient {
  const calls = new Map<number, Pending>()
  const subscriptions = new Map<number, Subscription>()
  const linkListeners = new Set<(up: boolean) => void>()
  let state: 'first-try' | 'up' | 'down' | 'closed' = 'first-try'
  let port: Port | undefined
  let lastId = 0
  let failures = 0
  let cancelRetry: (() => void) | undefined

  const setState = (next: typeof state): void => {
    const changed = (state === 'up') !== (next === 'up')
    state = next
    if (changed) for (const listener of linkListeners) listener(next === 'up')
  }

  const rejectCalls = (reason: ProblemError): void => {
    const rejected = [...calls.values()]
    calls.clear()
    for (const { settle } of rejected) settle({ problem: reason.problem })
  }

  const lose = (reason: ProblemError): void => {
    if (state === 'closed') return
    port = undefined
    setState('down')
    rejectCalls(reason)
    const pause = Math.min(RETRY_MS.first * 2 ** failures, RETRY_MS.most)
    failures += 1
    // Between half and all of the pause, so that several pages do not reconnect in step.
    cancelRetry = after(pause * (0.5 + random() / 2), () => void open())
  }

  const receive = (from: Port, message: Reply): void => {
    switch (message.type) {
      case 'result':
      case 'problem': {
        const pending = calls.get(message.id)
        calls.delete(message.id)
        if (pending !== undefined) pending.settle(message)
        else if (message.type === 'problem') subscriptions.get(message.id)?.onProblem(message.problem)
        return
      }
      case 'event':
        try {
          subscriptions.get(message.id)?.onEvent(message.event)
        } finally {
          from.post(encode({ type: 'ack', id: message.id }))
        }
        return
      case 'end': {
        const ended = subscriptions.get(message.id)
        subscriptions.delete(message.id)
        ended?.onProblem(message.problem)
      }
    }
  }

  const open = async (): Promise<void> => {
    let opened: Port
    try {
      opened = await connect()
    } catch {
      return lose(AWAY)
    }
    if (state === 'closed') return opened.close()
    port = opened
    failures = 0
    opened.onClose(() => {
      if (port === opened) lose(LOST)
    })
    opened.onMessage((data) => {
      const message = replyIn(data, LIMITS.messageLength)
      if (message === undefined) opened.close()
      else receive(opened, message)
    })
    for (const { text } of [...subscriptions.values(), ...calls.values()]) opened.post(text)
    setState('up')
  }

  const call = async <N extends ProcedureName>(name: N, input: unknown): Promise<ProcedureOutput<N>> => {
    if (state === 'down' || state === 'closed') throw AWAY
    lastId += 1
    const id = lastId
    const text = encode({ type: 'call', id, name, input })
    if (text.length > LIMITS.messageLength) {
      const megabytes = Math.floor(bytesToMegabytes(LIMITS.messageLength))
      throw new ProblemError('too-large', `More than ${megabytes} MB cannot be sent at once; choose fewer files.`)
    }
    return new Promise((resolve, reject) => {
      const settle: Pending['settle'] = (reply) => {
        if ('problem' in reply) return reject(ProblemError.of(reply.problem))
        const answer = reading.output(name, reply.output)
        if ('value' in answer) return resolve(answer.value)
        reject(new ProblemError('bad-answer', `The response to ${name} is invalid.`, answer.mismatch))
      }
      calls.set(id, { text, settle })
      port?.post(text)
    })
  }

  const subscribe = <N extends StreamName>(
    name: N,
    params: unknown,
    onEvent: (event: StreamEvent<N>) => void,
    onProblem: (problem: Problem) => void = () => undefined,
  ): (() => void) => {
    lastId += 1
    const id = lastId
    const text = encode({ type: 'subscribe', id, name, params })
    const take = (event: unknown): void => {
      const read = reading.event(name, event)
      if ('value' in read) return onEvent(read.value)
      onProblem({
        code: 'bad-answer',
        message: `An update of ${name} is invalid and was dropped.`,
        details: read.mismatch,
      })
    }
    subscriptions.set(id, { text, onEvent: take, onProblem })
    port?.post(text)
    return () => {
      if (subscriptions.delete(id)) port?.post(encode({ type: 'unsubscribe', id }))
    }
  }

  void open()
  return {
    call,
    subscribe,
    onLink(listener) {
      linkListeners.add(listener)
      listener(state === 'up')
      return () => void linkListeners.delete(listener)
    },
    close() {
      const last = port
      cancelRetry?.()
      setState('closed')
      rejectCalls(LOST)
      last?.close()
    },
  }
}
