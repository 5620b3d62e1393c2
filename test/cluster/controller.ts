import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { z } from 'zod'

const bare = <K extends string>(kind: K) => z.object({ at: z.number(), kind: z.literal(kind) })
const named = <K extends string>(kind: K) => bare(kind).extend({ object: z.string() })
const versioned = <K extends string>(kind: K) => named(kind).extend({ version: z.string() })
const said = <K extends string>(kind: K) => bare(kind).extend({ text: z.string() })
const request = <K extends string>(kind: K) => bare(kind).extend({ request: z.string() })
const retried = <K extends string>(kind: K) => request(kind).extend({ retryAfter: z.string().default('') })

/** A line that `server/controller` prints; its teller.go describes each kind. Times in Unix milliseconds. */
const EventSchema = z.discriminatedUnion('kind', [
  versioned('add'),
  versioned('update'),
  versioned('delete'),
  versioned('wrote'),
  named('stale'),
  named('synced'),
  request('asked').extend({ status: z.number(), protocol: z.string(), initial: z.boolean().default(false) }),
  retried('refused'),
  retried('again').extend({ afterMs: z.number().default(0) }),
  said('failed'),
  said('warning'),
  bare('log').extend({ log: z.looseObject({ msg: z.string() }) }),
  bare('leading'),
  bare('lost'),
])
export type ControllerEvent = z.infer<typeof EventSchema>
type Kind = ControllerEvent['kind']
type Of<K extends Kind> = Extract<ControllerEvent, { readonly kind: K }>

export interface ControllerOptions {
  readonly kubeconfig: string
  readonly namespace: string
  readonly name: string
  /** As Go writes durations. */
  readonly lease?: string
  readonly writeEvery?: string
  /** Requests a second that the writer limits itself to; 5 without. */
  readonly qps?: number
  readonly watchSeconds?: number
  readonly protobuf?: boolean
  /** Whether its reflectors get their first objects by a watch; as client-go has it on by default. */
  readonly watchList?: boolean
}

/** A client-go client in a process of its own. */
export interface Controller {
  readonly name: string
  /** Its output so far, in order. */
  readonly events: readonly ControllerEvent[]
  of<K extends Kind>(kind: K, since?: number): readonly Of<K>[]
  /** Adds, updates and deletions of an object: `add 17`, with its resource version. */
  history(object: string): readonly string[]
  /** Whether it is the leader by its last output. */
  leads(): boolean
  /** Lets it come to its end. Rejects when it ended otherwise. */
  stop(): Promise<void>
}

/** Starts a client by its binary ({@link ensureController}). */
export function startController(binary: string, options: ControllerOptions): Controller {
  const {
    kubeconfig,
    namespace,
    name,
    lease,
    writeEvery,
    qps,
    watchSeconds,
    protobuf = false,
    watchList = true,
  } = options
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--namespace=${namespace}`,
    `--name=${name}`,
    ...(lease === undefined ? [] : [`--lease=${lease}`]),
    ...(writeEvery === undefined ? [] : [`--write-every=${writeEvery}`]),
    ...(qps === undefined ? [] : [`--qps=${qps}`]),
    ...(watchSeconds === undefined ? [] : [`--watch-seconds=${watchSeconds}`]),
    `--protobuf=${protobuf}`,
  ]
  const child = spawn(binary, args, {
    env: { PATH: process.env['PATH'], KUBE_FEATURE_WatchListClient: String(watchList) },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  const events: ControllerEvent[] = []
  let complaint = ''
  createInterface({ input: child.stdout }).on('line', (line) => events.push(EventSchema.parse(JSON.parse(line))))
  child.stderr.on('data', (piece: Buffer) => (complaint += piece.toString()))
  child.stdin.on('error', () => undefined)
  const of = <K extends Kind>(kind: K, since = 0): readonly Of<K>[] =>
    events.filter((event): event is Of<K> => event.kind === kind && event.at >= since)
  return {
    name,
    events,
    of,
    history: (object) =>
      events.flatMap((event) =>
        (event.kind === 'add' || event.kind === 'update' || event.kind === 'delete') && event.object === object
          ? [`${event.kind} ${event.version}`]
          : [],
      ),
    leads: () => events.findLast(({ kind }) => kind === 'leading' || kind === 'lost')?.kind === 'leading',
    async stop() {
      // It waits for the end of its input.
      child.stdin.end()
      const [code] = await closed
      if (code !== 0) throw new Error(`the client ${name} ended with ${code}: ${complaint}`)
    },
  }
}

/**
 * What two informers received about an object while both had it: after the version with which the later one began,
 * or a later version, up to the last that both have.
 */
export function sharedHistories(
  one: Controller,
  other: Controller,
  object: string,
  since = 0,
): readonly [readonly string[], readonly string[]] {
  const histories = [one.history(object), other.history(object)] as const
  const from = Math.max(since, ...histories.map((history) => versionOf(history.at(0))))
  const to = Math.min(...histories.map((history) => versionOf(history.at(-1))))
  const within = (line: string): boolean => versionOf(line) > from && versionOf(line) <= to
  return [histories[0].filter(within), histories[1].filter(within)]
}

/** The resource version in a line of a history. */
export const versionOf = (line: string | undefined): number => Number(line?.split(' ')[1] ?? 0)
