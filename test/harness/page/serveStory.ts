import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { HttpServer } from 'vite'
import { WebSocketServer } from 'ws'
import type { Handlers, StreamHandlers } from '../../../core/contract/contract.ts'
import { serve } from '../../../core/contract/server.ts'
import { RPC_PATH, RPC_PROTOCOL } from '../../../core/contract/webSession.ts'
import { SettingsSchema } from '../../../core/contract/storedSettings.ts'
import type { SourceSpec } from '../../../core/contract/source.ts'
import { webSocketPorts } from '../../../main/transport/webSocketPort.ts'
import { proxySpec, SIMULATION } from '../../fixtures/sources.ts'
import { openStory, type Story } from '../story.ts'

const SPECS: Readonly<Record<string, SourceSpec>> = {
  enforce: proxySpec('enforce'),
  observe: proxySpec('observe'),
  simulation: SIMULATION,
}
/** Between two moves of a story's clock. */
const STEP_MS = 20

/**
 * A story of its own for each page, in real time, chosen by the query of the page:
 * ?levels=30&servers=3&history=600&connected=no&theme=light&queues=4096&live=observe&rate=1000&before=100000&fleet=1000
 */
export function serveStories(server: HttpServer): void {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, handleProtocols: () => RPC_PROTOCOL })
  const begin = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const query = decodeURIComponent(request.headers['sec-websocket-protocol']?.split(',')[1]?.trim() ?? '')
    let livedMs = Date.now()
    const story = await open(new URLSearchParams(query), livedMs)
    const timer = setInterval(() => {
      const now = Date.now()
      story.advance(now - livedMs)
      livedMs = now
    }, STEP_MS)
    sockets.handleUpgrade(request, socket, head, (line) => {
      line.once('close', () => {
        clearInterval(timer)
        story.stop()
      })
      serve(webSocketPorts()(line), withFleet(story.handlers, new URLSearchParams(query).get('fleet')))
    })
  }
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url === RPC_PATH) void begin(request, socket, head)
  })
}

async function open(query: URLSearchParams, now: number): Promise<Story> {
  const number = (name: string, usual: number): number => Number(query.get(name) ?? usual)
  const live = query.get('live')
  const story = await openStory({
    now,
    levels: number('levels', 8),
    servers: number('servers', 3),
    history: number('history', 600),
    ...(live !== null && {
      spec: SPECS[live] ?? SIMULATION,
      traffic: { perSecond: number('rate', 34.6), before: number('before', 10_000) },
    }),
    ...(query.get('connected') === 'no' && { spec: null }),
    ...(query.has('queues') && { queues: number('queues', 0) }),
  })
  const { theme } = SettingsSchema.parse({ theme: query.get('theme') ?? 'system' })
  await story.handlers.procedures['settings.write']({ theme })
  return story
}

/** The same with so many servers in the summary of the source, each like the first one, at other times of its story. */
function withFleet(handlers: Handlers, servers: string | null): Handlers {
  if (servers === null) return handlers
  const summary: StreamHandlers['summary'] = (params, emit, signal) =>
    handlers.streams.summary(
      params,
      ({ connection, servers: [first] }) => {
        if (first === undefined) return
        const many = Array.from({ length: Number(servers) }, (_, index) => ({
          ...first,
          // Health is reported for the first one.
          id: index === 0 ? first.id : `10.0.${Math.floor(index / 250)}.${index % 250}:6443`,
          executing: first.executing.map((seats) => seats && Math.round((seats * ((index * 37) % 100)) / 100)),
        }))
        emit({ connection, servers: many })
      },
      signal,
    )
  return { ...handlers, streams: { ...handlers.streams, summary } }
}
