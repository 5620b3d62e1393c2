import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { serve } from '../../core/contract/server.ts'
import { toProblem, type Problem } from '../../core/errors.ts'
import type { Consent } from '../cluster/consent.ts'
import { namedByOperator } from '../cluster/namedByOperator.ts'
import { systemEnvironment } from '../ports/environment.ts'
import { createTopic } from '../ports/topic.ts'
import { openStore } from '../store/store.ts'
import { threadPort } from '../transport/threadPort.ts'
import { systemAccess } from '../workspace/access.ts'
import { openSource, type SourceHere } from '../workspace/connectedSource.ts'
import type { Assignment, News, ThreadData, Wish } from './messages.ts'
import { answer, ask } from './question.ts'

// A thread of connected sources: it contains everything about them and answers all requests about them, so that they do
// not block the process that serves windows, proxies and other sources.

if (parentPort === null) throw new Error('This file runs in a thread of the console.')
const { stateDir, recording, words }: ThreadData = workerData
const store = openStore(stateDir)

/** Settles once the source has released everything. */
async function host({ id, spec, line: main }: NonNullable<Assignment>): Promise<void> {
  const tell = (news: News, transfer: MessagePort[] = []): void => main.postMessage(news, transfer)
  const ended = new AbortController()
  /** Problems of the store, and of the flight recorder. */
  let unkept: readonly Problem[] = []
  let unrecorded: readonly Problem[] = []
  const tellNotices = (): void => tell({ kind: 'notices', notices: [...unkept, ...unrecorded] })
  store.notices.subscribe((notices) => {
    unkept = notices
    tellNotices()
  }, ended.signal)
  /** The process prompts the operator, because all sources share the prompt. */
  const consent: Consent = {
    named: namedByOperator(words, process.env),
    async confirm(request) {
      await ask((line) => tell({ kind: 'consent', request, answer: line }, [line]))
    },
    state: createTopic(),
  }

  let source: SourceHere | undefined
  const left = Promise.withResolvers<void>()
  main.on('message', (wish: Wish) => {
    switch (wish.kind) {
      case 'line':
        if (source !== undefined) serve(threadPort(wish.line), source.handlers)
        return
      case 'metrics':
        return void answer(wish.answer, async () => source?.metrics?.() ?? '')
      case 'serve-simulation':
        return void answer(wish.answer, async () => source?.serveSimulation?.(wish.port) ?? '')
      case 'end':
        return left.resolve()
    }
  })
  try {
    const opened = await openSource(
      {
        id,
        spec,
        onConnection() {
          if (source !== undefined) tell({ kind: 'connection', connection: source.connection })
        },
      },
      {
        environment: systemEnvironment,
        store,
        makeSource: systemAccess(recording, stateDir, consent).makeSource,
        stateDir,
      },
    )
    source = opened
    opened.recorder?.subscribe(({ problem }) => {
      const before = unrecorded[0]?.message
      unrecorded = problem === undefined ? [] : [{ ...problem, message: `Recording is paused. ${problem.message}` }]
      if (unrecorded[0]?.message !== before) tellNotices()
    }, ended.signal)
    const { connection, port, metrics, serveSimulation } = opened
    tell({
      kind: 'connected',
      connection,
      port,
      has: { metrics: metrics !== undefined, simulation: serveSimulation !== undefined },
    })
    await left.promise
    await opened.end()
  } catch (error) {
    tell({ kind: 'refused', problem: toProblem(error) })
  }
  ended.abort()
  main.close()
}

const hosted = new Set<Promise<void>>()
parentPort.on('message', (given: Assignment) => {
  if (given !== null) {
    const one = host(given)
    hosted.add(one)
    return void one.finally(() => hosted.delete(one))
  }
  void Promise.all(hosted).then(() => {
    store.close()
    process.exit()
  })
})
