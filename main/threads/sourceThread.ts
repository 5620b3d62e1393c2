import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import { createClient } from '../../core/contract/client.ts'
import { checked } from '../../core/contract/shapes.ts'
import { ProblemError, messageOf } from '../../core/errors.ts'
import type { Port } from '../../core/contract/protocol.ts'
import type { Consent } from '../cluster/consent.ts'
import { systemEnvironment } from '../ports/environment.ts'
import { threadPort } from '../transport/threadPort.ts'
import type { OpenSource } from '../workspace/connectedSource.ts'
import type { News, ThreadData, Wish } from './messages.ts'
import { answer, ask } from './question.ts'

export interface ThreadSurroundings extends Pick<ThreadData, 'stateDir' | 'recording' | 'words'> {
  /** `thread.ts`, or what it was built into. */
  readonly file: string
  readonly consent: Consent
}

/** How long a thread may take to release what it acquired, milliseconds; then it is terminated. */
const PATIENCE_MS = 5_000

/** Connects each source in a thread of its own, with the engine, the sockets and the history that belong to it. */
export const openInThread =
  ({ file, consent, ...surroundings }: ThreadSurroundings): OpenSource =>
  async ({ id, spec, onConnection, onNotices }) => {
    const data: ThreadData = { id, spec, ...surroundings }
    const worker = new Worker(file, { workerData: data })
    const wish = (wished: Wish, transfer: MessagePort[] = []): void => worker.postMessage(wished, transfer)
    const ended = new AbortController()

    const first = Promise.withResolvers<Extract<News, { kind: 'connected' }>>()
    let latest: Extract<News, { kind: 'connected' }>['connection'] | undefined
    worker.on('message', (news: News) => {
      switch (news.kind) {
        case 'connected':
          latest = news.connection
          return first.resolve(news)
        case 'refused':
          return first.reject(ProblemError.of(news.problem))
        case 'connection':
          latest = news.connection
          return onConnection()
        case 'notices':
          return onNotices(news.notices)
        case 'consent':
          void answer(news.answer, async () => {
            await consent.confirm(news.request)
            return ''
          })
      }
    })
    let failure = 'Its thread stopped.'
    worker.on('error', (error) => void (failure = messageOf(error)))
    const gone = Promise.withResolvers<void>()
    worker.once('exit', () => {
      const lost = new ProblemError(
        'internal',
        `The connection to ${latest?.source.name ?? 'the source'} ended because of an error in the console. Connect it again.`,
        failure,
      )
      first.reject(lost)
      ended.abort(lost)
      gone.resolve()
    })

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
        const impatient = systemEnvironment.after(PATIENCE_MS, () => void worker.terminate())
        await gone.promise
        impatient()
      },
    }
  }
