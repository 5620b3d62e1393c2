import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import { createClient } from '../../core/contract/client.ts'
import { checked } from '../../core/contract/shapes.ts'
import { ProblemError, messageOf } from '../../core/errors.ts'
import type { Port } from '../../core/contract/protocol.ts'
import type { SourceSpec } from '../../core/contract/source.ts'
import type { Consent } from '../cluster/consent.ts'
import { systemEnvironment } from '../ports/environment.ts'
import { threadPort } from '../transport/threadPort.ts'
import type { OpenSource } from '../workspace/connectedSource.ts'
import type { Assignment, News, ThreadData, Wish } from './messages.ts'
import { answer, ask } from './question.ts'

export interface ThreadSurroundings extends Pick<ThreadData, 'stateDir' | 'recording' | 'words'> {
  /** `thread.ts`, or what it was built into. */
  readonly file: string
  readonly consent: Consent
}

/** How long a source may take to release what it acquired, milliseconds; then it is left to itself. */
const PATIENCE_MS = 5_000
/** Of scraped sources. Each thread has its own copy of the program, its store and its garbage: about 100 MB. */
const SHARED_THREADS = 4
/** Pages of many servers are garbage at once, which would fill each thread's young generation, and keep their buffers. */
const SHARED = { resourceLimits: { maxYoungGenerationSizeMb: 12 } }

interface Thread {
  readonly worker: Worker
  /** How many sources it has. */
  sources: number
  /** Settles to the error that ended it, if one did. */
  readonly exited: Promise<string>
}

/**
 * Connects sources in threads, with the engine, the sockets and the history that belong to them. A scraped source shares
 * its thread with others once there are more than a few; every other source has one to itself.
 */
export function openInThread({ file, consent, ...data }: ThreadSurroundings): OpenSource {
  const shared = new Set<Thread>()
  const threadOf = ({ kind }: SourceSpec): Thread => {
    const shares = kind === 'scrape'
    const least = [...shared].toSorted((one, other) => one.sources - other.sources)[0]
    if (shares && shared.size >= SHARED_THREADS && least !== undefined) return least
    const worker = new Worker(file, { workerData: data satisfies ThreadData, ...(shares && SHARED) })
    let failure = 'Its thread stopped.'
    worker.on('error', (error) => void (failure = messageOf(error)))
    const exited = new Promise<string>((resolve) => {
      worker.once('exit', () => {
        shared.delete(thread)
        resolve(failure)
      })
    })
    const thread = { worker, sources: 0, exited }
    if (shares) shared.add(thread)
    return thread
  }
  const leave = (thread: Thread): void => {
    if (--thread.sources > 0) return
    shared.delete(thread)
    thread.worker.postMessage(null satisfies Assignment, [])
  }

  return async ({ id, spec, onConnection, onNotices }) => {
    const thread = threadOf(spec)
    thread.sources++
    const { port1: news, port2: end } = new MessageChannel()
    thread.worker.postMessage({ id, spec, line: end } satisfies Assignment, [end])
    const wish = (wished: Wish, transfer: MessagePort[] = []): void => news.postMessage(wished, transfer)
    const ended = new AbortController()

    const first = Promise.withResolvers<Extract<News, { kind: 'connected' }>>()
    let latest: Extract<News, { kind: 'connected' }>['connection'] | undefined
    news.on('message', (told: News) => {
      switch (told.kind) {
        case 'connected':
          latest = told.connection
          return first.resolve(told)
        case 'refused':
          leave(thread)
          return first.reject(ProblemError.of(told.problem))
        case 'connection':
          latest = told.connection
          return onConnection(told.connection)
        case 'notices':
          return onNotices(told.notices)
        case 'consent':
          void answer(told.answer, async () => {
            await consent.confirm(told.request)
            return ''
          })
      }
    })
    const released = new Promise((resolve) => void news.once('close', resolve))
    const lose = (failure: string): void => {
      const lost = new ProblemError(
        'internal',
        `The connection to ${latest?.source.name ?? 'the source'} ended because of an error in the console. Connect it again.`,
        failure,
      )
      first.reject(lost)
      ended.abort(lost)
    }
    void thread.exited.then(lose)

    const { port, has, connection } = await first.promise
    const line = (): Port => {
      const { port1: own, port2: other } = new MessageChannel()
      wish({ kind: 'line', line: other }, [other])
      return threadPort(own)
    }
    const client = createClient({ ...systemEnvironment, reading: checked, connect: async () => line() })
    ended.signal.addEventListener('abort', () => client.close(), { once: true })
    return {
      get connection() {
        return latest ?? connection
      },
      port,
      call: (name, input) => client.call(name, input),
      hear(name, params, emit, signal) {
        const stop = client.subscribe(name, params, emit)
        signal.addEventListener('abort', stop, { once: true })
      },
      line,
      ...(has.metrics && {
        metrics: () => ask((answerTo) => wish({ kind: 'metrics', answer: answerTo }, [answerTo])),
      }),
      ...(has.simulation && {
        serveSimulation: (on) =>
          ask((answerTo) => wish({ kind: 'serve-simulation', port: on, answer: answerTo }, [answerTo])),
      }),
      ended: ended.signal,
      async end() {
        wish({ kind: 'end' })
        ended.abort()
        leave(thread)
        const isLast = thread.sources === 0
        const impatient = systemEnvironment.after(PATIENCE_MS, () => {
          if (isLast) void thread.worker.terminate()
          else news.close()
        })
        await (isLast ? thread.exited : released)
        impatient()
      },
    }
  }
}
