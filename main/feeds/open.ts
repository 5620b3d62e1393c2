import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { ProblemError } from '../../core/errors.ts'
import type { FeedSpec, LiveState } from '../../core/contract/live.ts'
import type { EngineConfiguration } from '../../core/engine/apfEngine.ts'
import type { FeedRecord } from '../../core/feeds/request.ts'
import { createLogReader } from '../../core/feeds/logReader.ts'
import { type FeedRun, type FeedRunOptions, createFeedRun } from '../../core/feeds/feedRun.ts'
import { createPositionStore } from './placeKeeper.ts'
import type { Places } from '../ports/places.ts'
import { startTail } from './tail.ts'
import { startWebhook } from './webhook.ts'
import type { CertificateAndKey } from '../listen/certificate.ts'
import { refuseOthers } from '../files/files.ts'

/** Time and a timer, passed in. */
export interface FeedClock {
  /** Unix milliseconds. */
  now(): number
  /** Calls back once after `ms` unless the returned function was called. */
  after(ms: number, callback: () => void): () => void
}

export interface FeedOptions extends Omit<FeedRunOptions, 'identity' | 'startUnixMs'> {
  readonly spec: FeedSpec['feed']
  /** Initial objects of the engine. */
  readonly configuration: EngineConfiguration
  readonly clock: FeedClock
  /** Stores the positions in followed files; if absent, a restart reads them from the start. */
  readonly places?: Places | undefined
  /** Generates key and certificate for `127.0.0.1` and `localhost`, for a webhook; not used with `plain-http`. */
  readonly certificate?: (() => Promise<CertificateAndKey>) | 'plain-http'
  /** Token of the webhook for its whole life; a random one if absent. */
  readonly token?: string
  /** Called with sentences for the operator: a position that cannot be written, a file that cannot be read. */
  readonly warn: (sentence: string) => void
}

/** A feed that was opened. */
export interface Feed {
  /** `audit log /var/log/kubernetes/audit.log`. */
  readonly title: string
  /** For a webhook: the address to which the API server posts. */
  readonly address: string | undefined
  /**
   * For a webhook: text of the file for `--audit-webhook-config-file`. It contains a token: not for logs and
   * recordings.
   */
  readonly kubeconfig: string | undefined
  /** Engine, rows, counts, agreement, limits. */
  readonly run: FeedRun
  /** For a webhook: posts and connections that it did not accept. */
  readonly refused: LiveState['refused']
  /** For a file: settles once it was read to its end, which happens only if it is not followed, or is closed. */
  readonly over: Promise<void> | undefined
  /**
   * For a webhook that ends: processes everything that is held back. A file is resumed from there at the next start.
   */
  finish(): void
  /**
   * Brings `run` to the present, except for the time about which the feed may still report; before frames and rows are
   * read.
   */
  settle(): void
  close(): Promise<void>
}

/** How late an event may still come when nothing came since: files are written at once. */
const FILE_LAG_MS = 6_000
/** When a webhook was quiet for this long, no batch with earlier events is under way any more. */
const QUIET_MS = 6_000
/** An API server posts at the latest after `--audit-webhook-batch-max-wait`, which is 30 s. */
const WEBHOOK_LAG_MS = 36_000

/** Opens a feed. Throws a `ProblemError` where it cannot be opened at all. */
export async function createFeed(options: FeedOptions): Promise<Feed> {
  const { spec, clock, configuration } = options
  const identity = spec.kind === 'httplog' ? 'httplog' : 'audit'
  const run = createFeedRun({ ...options, identity, startUnixMs: clock.now() })
  run.configure(configuration)
  const lagMs = spec.kind === 'audit-webhook' ? WEBHOOK_LAG_MS : FILE_LAG_MS
  let takenAtMs = clock.now()
  /** When nothing was left to take, as far as is known: files may be read late. */
  let emptyAtMs = takenAtMs
  const take = (records: Iterable<FeedRecord>): void => {
    takenAtMs = clock.now()
    run.take(records, takenAtMs)
  }
  const settle = (): void => {
    const { latestMs } = run
    if (spec.kind === 'audit-webhook') emptyAtMs = clock.now()
    if (latestMs !== undefined && emptyAtMs - takenAtMs >= QUIET_MS) run.passTo(latestMs)
    // The clock of the server may differ: time advances from its last event.
    const silentMs = Math.max(0, emptyAtMs - takenAtMs)
    run.passTo((latestMs === undefined ? emptyAtMs : latestMs + silentMs) - lagMs)
  }
  let ended = false
  const input =
    spec.kind === 'audit-webhook'
      ? await openWebhook(spec.port, options, take)
      : await openFile(spec, options, { take, run, onEnd: () => (emptyAtMs = clock.now()) })
  return {
    title: input.title,
    address: input.address,
    kubeconfig: input.kubeconfig,
    close: () => input.close(),
    run,
    get refused() {
      return input.refused
    },
    over: input.over?.then(() => void (ended = true)),
    settle() {
      if (!ended) settle()
    },
    finish() {
      if (spec.kind === 'audit-webhook') run.finish()
    },
  }
}

type Take = (records: Iterable<FeedRecord>) => void
type Input = Pick<Feed, 'title' | 'address' | 'kubeconfig' | 'refused' | 'over' | 'close'>

async function openFile(
  { kind, path, follow }: Extract<FeedSpec['feed'], { path: string }>,
  { clock, places, warn }: FeedOptions,
  { take, run, onEnd }: { readonly take: Take; readonly run: FeedRun; readonly onEnd: () => void },
): Promise<Input> {
  const status = await stat(path).catch(() => undefined)
  if (status?.isDirectory() === true) {
    throw new ProblemError('invalid-input', `${path} is a folder; name the file in it that the API server writes.`)
  }
  if (status !== undefined) refuseOthers(path, status)
  if (status === undefined && !follow) throw new ProblemError('not-found', `There is no file ${path}.`)
  let closed = false
  // A file that is followed may be read from its middle, so that its lines have no numbers.
  const reader = createLogReader(kind === 'httplog' ? 'httplog' : 'audit', { placed: !follow })
  const tail = startTail({
    path,
    follow,
    warn,
    after: (ms, callback) => clock.after(ms, callback),
    onEnd,
    onLines: (lines) => take(lines.flatMap((line) => reader.read(line, clock.now()))),
    // Events that are held back, because earlier requests may still be reported, are read again after a restart.
    progress: { taken: () => run.latestMs ?? Number.NEGATIVE_INFINITY, done: () => run.passedMs },
    onTooLong: (problem) => take([{ kind: 'unreadable', problem }]),
    ...(places !== undefined && { positions: createPositionStore({ places, path, warn }) }),
  })
  const over = async (): Promise<void> => {
    await tail.ended
    if (closed) return
    take(reader.end(clock.now()))
    run.finish()
  }
  return {
    title: `${kind === 'httplog' ? 'request log' : 'audit log'} ${path}`,
    address: undefined,
    kubeconfig: undefined,
    refused: undefined,
    over: over(),
    close() {
      closed = true
      return tail.close()
    },
  }
}

async function openWebhook(
  port: number,
  { certificate, token = randomBytes(24).toString('base64url'), warn }: FeedOptions,
  take: Take,
): Promise<Input> {
  if (certificate === undefined) {
    throw new ProblemError('invalid-input', 'An audit webhook needs a certificate, or must be set to plain HTTP.')
  }
  const refused = { count: 0, last: '' }
  const said = new Set<string>()
  const webhook = await startWebhook({
    port,
    token,
    tls: certificate === 'plain-http' ? certificate : await certificate(),
    onBatch: take,
    onUnreadable: (problem) => take([{ kind: 'unreadable', problem }]),
    onRefused(sentence) {
      refused.count += 1
      refused.last = sentence
      if (said.has(sentence)) return
      said.add(sentence)
      warn(`The webhook refused a post. ${sentence}`)
    },
  })
  return {
    title: `audit webhook at ${webhook.url}`,
    address: webhook.url,
    kubeconfig: webhook.kubeconfig,
    get refused() {
      return refused.count === 0 ? undefined : { ...refused }
    },
    over: undefined,
    close: () => webhook.close(),
  }
}
