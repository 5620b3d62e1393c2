import http, { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../../core/config/builtIn.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { AS_UPSTREAM, profileFor } from '../../core/engine/profiles.ts'
import { RequestLog } from '../../core/live/requestLog.ts'
import { secondsToNs } from '../../core/units.ts'
import { createLiveRun, type LiveRun } from '../../main/live/liveRun.ts'
import { createGuard } from '../../main/proxy/guard.ts'
import { byHeaders, type Identify } from '../../main/proxy/identity.ts'
import { CLIENT_LIMITS, createListener, listen, type ClientLimits, type TlsFiles } from '../../main/proxy/listen.ts'
import { serveProxy, type ProxyOptions } from '../../main/proxy/proxyServer.ts'
import type { Upstream } from '../../main/proxy/upstream.ts'

/** What a test opened, closed in the opposite order. */
export type Cleanups = (() => unknown)[]

export async function cleanUp(cleanups: Cleanups): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
}

export const builtInObjects: ObjectSet = {
  levels: [...mandatoryLevels, ...suggestedLevels],
  schemas: [...mandatorySchemas, ...suggestedSchemas],
}

/** A server whose responses the test defines, on a free port. */
export async function upstreamServer(
  cleanups: Cleanups,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer({ maxHeaderSize: 256 * 1024 }, handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return server
}

export const portOf = (server: { address(): AddressInfo | string | null }): number => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

export const systemClock = {
  now: () => performance.now(),
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

export function liveRun(
  seats: number,
  objects: ObjectSet = builtInObjects,
  mutating = 0,
  requestSeconds = 60,
): LiveRun {
  const run = createLiveRun('enforce', {
    engine: {
      mode: 'priority-and-fairness',
      maxRequestsInFlight: seats,
      maxMutatingRequestsInFlight: mutating,
      profile: profileFor('v1.36.3'),
      corrections: AS_UPSTREAM,
      startUnixMs: Date.now(),
      requestTimeoutNs: secondsToNs(requestSeconds),
    },
    clock: systemClock,
    log: new RequestLog(20_000, 1_000),
  })
  run.configure(objects)
  return run
}

export interface Proxied {
  readonly run: LiveRun
  readonly port: number
  readonly url: string
}

export interface ProxiedOptions {
  readonly seats?: number
  /** After a quarter of it a waiting request is rejected. */
  readonly requestSeconds?: number
  readonly tls?: TlsFiles
  readonly limits?: Partial<ClientLimits>
  readonly identify?: Identify
  readonly serverSays?: ProxyOptions['serverSays']
}

/** A proxy with the engine's built-in objects in front of `port`. */
export async function proxied(cleanups: Cleanups, port: number, options: ProxiedOptions = {}): Promise<Proxied> {
  const { seats = 600, requestSeconds, tls, limits = {}, identify = byHeaders({ impersonate: false }) } = options
  const { serverSays = () => undefined } = options
  const run = liveRun(seats, undefined, undefined, requestSeconds)
  const agent = new http.Agent({ keepAlive: true })
  const upstream: Upstream = {
    base: new URL(`http://127.0.0.1:${port}`),
    agent,
    headers: [],
    classifies: false,
    renewal: () => undefined,
    refused: () => undefined,
  }
  const clientLimits = { ...CLIENT_LIMITS, ...limits }
  const listener = createListener(tls, clientLimits)
  const own = await listen(listener, '127.0.0.1', 0)
  const names = new Set([`127.0.0.1:${own}`, `localhost:${own}`])
  const guard = createGuard({ names, shownAs: `127.0.0.1:${own} or localhost:${own}` })
  const close = serveProxy(listener, {
    run,
    upstream,
    identify,
    guard,
    limits: clientLimits,
    serverSays,
  })
  cleanups.push(
    () => agent.destroy(),
    () => run.close(),
    () => close(),
  )
  return { run, port: own, url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${own}` }
}

/** Seats that are taken, lingering ones too, and requests that wait. */
export const inUse = (run: LiveRun): number => {
  run.settle()
  return run.engine.snapshot().levels.reduce((sum, level) => sum + level.seatsInUse + level.waitingRequests, 0)
}

/** Rejects when something is still held of requests that are over. */
export async function nothingHeld(run: LiveRun, withinMs = 3_000): Promise<void> {
  const deadline = Date.now() + withinMs
  while (inUse(run) + unfinished(run) > 0) {
    if (Date.now() > deadline) {
      throw new Error(`${inUse(run)} seats and waits, ${unfinished(run)} rows are left of requests that are over`)
    }
    await sleep(5)
  }
}

const UNFINISHED: ReadonlySet<string> = new Set(['waiting', 'executing'])

/** Rows of requests that have not ended. */
export const unfinished = ({ log }: LiveRun): number =>
  log.before(20_000).filter(({ state }) => UNFINISHED.has(state)).length
