import { Agent, request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { ADMIN } from './identities.ts'

/** One request of a client. */
export interface Plan {
  readonly user: string
  /**
   * Groups of a user whom the administrator impersonates: the server adds those of every service account and of everyone
   * authenticated. Without, the user is an identity of the cluster.
   */
  readonly groups?: readonly string[]
  readonly path: string
  readonly method?: string
  readonly body?: string
  /** Of the body; JSON without. */
  readonly contentType?: string
  /**
   * Milliseconds between the headers and the body. The server reads a body inside the handler, after flow control has
   * admitted the request: load that costs neither side CPU. Seats are occupied for what of this time is left when the
   * request is admitted, so for less of it the longer it waited, unless the client is {@link patient}.
   */
  readonly holdMs?: number
  /** Whether the time begins only when the server requests the body (`Expect: 100-continue`). */
  readonly holdsOnceAsked?: boolean
  /** Milliseconds until the client hangs up: for watches. */
  readonly hangUpMs?: number
  /** Milliseconds for which it does not read the body of the answer: of a large one, the server keeps the rest that long. */
  readonly unreadMs?: number
}

/** A group of workers that repeat a request: closed loop, so the number of workers bounds what can wait. */
export interface LoadClient {
  readonly workers: number
  plan(worker: number, turn: number): Plan
  /** Milliseconds between a served request and the next one, varied by ± half. */
  readonly thinkMs?: number
  /** At most so many requests a second of all workers together, evenly spaced, as a client library limits itself. */
  readonly perSecond?: number
  /** Open loop: so many requests per second together, whatever becomes of the others; `workers` bounds how many are open. */
  readonly openPerSecond?: number
  /** Requests are only sent in the first `activeSeconds` of each period, which begins `fromSeconds` late. */
  readonly waves?: { readonly fromSeconds: number; readonly activeSeconds: number; readonly periodSeconds: number }
  /** After a 429 the same request is sent again after `Retry-After`, as client-go does; otherwise the next one follows. */
  readonly retries?: boolean
  /** Seconds after the start of the load. */
  readonly from?: number
  readonly to?: number
}

/**
 * The same clients with seats occupied for exactly the time of each request, however long it waited, as those of a busy
 * server are. A rejected request costs its connection: the server cannot predict whether the body will arrive.
 */
export const patient = (clients: readonly LoadClient[]): readonly LoadClient[] =>
  clients.map((client) => ({
    ...client,
    plan: (worker, turn) => ({ ...client.plan(worker, turn), holdsOnceAsked: true }),
  }))

/** Answers by status code; 0 counts broken connections. */
export type Answers = Map<number, number>

/** One answer that a client got. */
export interface Answered {
  readonly user: string
  /** 0 for a broken connection. */
  readonly status: number
  /** Seconds after the start of the load when the request was sent. */
  readonly sentAt: number
  readonly tookMs: number
}

/** Wait after anything but success: real clients honour Retry-After, which is at least one second. */
const BACKOFF_MS = 1_000

/** Runs all clients until `seconds` have passed or the signal aborts; open requests are then cut off. */
export async function runLoad(
  cluster: Cluster,
  clients: readonly LoadClient[],
  seconds: number,
  signal: AbortSignal = new AbortController().signal,
  onAnswer?: (answer: Answered) => void,
): Promise<Answers> {
  const began = performance.now()
  const agents = new Map<string, Agent>()
  const answers: Answers = new Map()
  const over = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000)])
  const agentOf = (user: string): Agent => {
    const agent = agents.get(user) ?? new Agent({ ca: cluster.ca, keepAlive: true, maxSockets: Infinity })
    agents.set(user, agent)
    return agent
  }
  const send = async (client: LoadClient, plan: Plan, end: AbortSignal): Promise<Answer> => {
    const sent = performance.now()
    const answer = await sendOnce(cluster, agentOf(plan.user), plan, end)
    if (end.aborted) return answer
    const { status } = answer
    answers.set(status, (answers.get(status) ?? 0) + 1)
    onAnswer?.({ user: plan.user, status, sentAt: (sent - began) / 1_000, tookMs: performance.now() - sent })
    if (client.retries !== true || answer.status !== 429) return answer
    await pause(answer.retryAfterMs, end)
    return end.aborted ? answer : send(client, plan, end)
  }
  const untilActive = async ({ waves }: LoadClient, end: AbortSignal): Promise<void> => {
    if (waves === undefined) return
    const [period, active] = [waves.periodSeconds * 1_000, waves.activeSeconds * 1_000]
    const at = (performance.now() - began + period - waves.fromSeconds * 1_000) % period
    if (at >= active) await pause(period - at, end)
  }
  const worker = async (client: LoadClient, index: number, turnOf: () => number): Promise<void> => {
    const end = AbortSignal.any([over, AbortSignal.timeout((client.to ?? seconds) * 1_000)])
    // Workers start spread over a second, as clients do.
    await pause((client.from ?? 0) * 1_000 + Math.random() * 1_000, end)
    for (let turn = 0; !end.aborted; turn++) {
      await pause(turnOf() - performance.now(), end)
      await untilActive(client, end)
      if (end.aborted) return
      const { status } = await send(client, client.plan(index, turn), end)
      if (end.aborted) return
      const served = status >= 200 && status < 300
      await pause((served ? (client.thinkMs ?? 0) : BACKOFF_MS) * (0.5 + Math.random()), end)
    }
  }
  const stream = async (client: LoadClient, perSecond: number): Promise<void> => {
    let open = 0
    for (let turn = 0; !over.aborted; turn++) {
      await pause((-Math.log(1 - Math.random()) * 1_000) / perSecond, over)
      await untilActive(client, over)
      if (open >= client.workers) continue
      open++
      void send(client, client.plan(turn, turn), over).finally(() => open--)
    }
  }
  await Promise.all(
    clients.flatMap((client) => {
      if (client.openPerSecond !== undefined) return [stream(client, client.openPerSecond)]
      const turnOf = turnsOf(client.perSecond)
      return Array.from({ length: client.workers }, (_, index) => worker(client, index, turnOf))
    }),
  )
  for (const agent of agents.values()) agent.destroy()
  return answers
}

/** When the next request may be sent, by the clock of `performance`: in the past where nothing limits the client. */
function turnsOf(perSecond: number | undefined): () => number {
  let next = -Infinity
  return () => {
    if (perSecond === undefined) return next
    next = Math.max(next + 1_000 / perSecond, performance.now())
    return next
  }
}

/** Sends each plan when it is due, milliseconds after the start, whatever becomes of the others: an open loop. */
export async function sendEach(
  cluster: Cluster,
  plans: readonly { readonly atMs: number; readonly plan: Plan }[],
): Promise<Answers> {
  const answers: Answers = new Map()
  const agent = new Agent({ ca: cluster.ca, keepAlive: true, maxSockets: Infinity })
  const began = performance.now()
  await Promise.all(
    plans.map(async ({ atMs, plan }) => {
      await sleep(Math.max(0, began + atMs - performance.now()))
      const { status } = await sendOnce(cluster, agent, plan, new AbortController().signal)
      answers.set(status, (answers.get(status) ?? 0) + 1)
    }),
  )
  agent.destroy()
  return answers
}

const pause = async (ms: number, signal: AbortSignal): Promise<unknown> =>
  ms <= 0 ? undefined : sleep(ms, undefined, { signal }).catch(() => undefined)

const credentials = (
  cluster: Cluster,
  { user, groups }: Plan,
): Readonly<Record<string, string | readonly string[]>> => ({
  authorization: `Bearer ${cluster.identity(groups === undefined ? user : ADMIN).token}`,
  ...(groups !== undefined && { 'impersonate-user': user }),
  ...(groups !== undefined && groups.length > 0 && { 'impersonate-group': groups }),
})

interface Answer {
  /** 0 when there was none. */
  readonly status: number
  /** At least a second. */
  readonly retryAfterMs: number
}

/** Resolves when the answer is over. */
function sendOnce(cluster: Cluster, agent: Agent, plan: Plan, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const length = Buffer.byteLength(plan.body ?? '')
    const headers = {
      ...credentials(cluster, plan),
      'user-agent': 'apf-load',
      ...(plan.holdMs !== undefined && plan.holdsOnceAsked === true && { expect: '100-continue' }),
      ...(plan.body === undefined
        ? {}
        : { 'content-type': plan.contentType ?? 'application/json', 'content-length': length }),
    }
    const timers: NodeJS.Timeout[] = []
    let [status, retryAfterMs] = [0, BACKOFF_MS]
    const sent = request(
      cluster.url + plan.path,
      { agent, method: plan.method ?? 'GET', headers, signal },
      (response) => {
        status = response.statusCode ?? 0
        retryAfterMs = Math.max(1, Number(response.headers['retry-after']) || 1) * 1_000
        // Rejected before the body was sent: the connection is usable again once it has been.
        if (!sent.writableEnded) sent.end(plan.body)
        if (plan.hangUpMs !== undefined) timers.push(setTimeout(() => response.destroy(), plan.hangUpMs))
        if (plan.unreadMs === undefined) response.resume()
        else timers.push(setTimeout(() => response.resume(), plan.unreadMs))
        response.on('error', () => undefined)
      },
    )
    const finish = (): void => {
      timers.forEach(clearTimeout)
      resolve({ status, retryAfterMs })
    }
    sent.on('error', finish)
    sent.on('close', finish)
    if (plan.holdMs === undefined) {
      sent.end(plan.body)
    } else {
      const hold = (): void => {
        timers.push(setTimeout(() => void (sent.writableEnded || sent.end(plan.body)), plan.holdMs))
      }
      if (plan.holdsOnceAsked === true) sent.on('continue', hold)
      else hold()
      sent.flushHeaders()
    }
  })
}
