import { z } from 'zod'
import { FeedSpecSchema, ProxySpecSchema, type FeedSpec, type ProxySpec } from '../../../core/contract/live.ts'
import type { FoundContext, SourceSpec } from '../../../core/contract/source.ts'
import type { Algorithm } from '../../../core/engine/profiles.ts'
import { inUrl, LOOPBACK, type Lender } from '../../../core/live/proxyReach.ts'
import {
  EMPTY_REACH,
  reachFormOf,
  readReach,
  settle,
  type ReachErrors,
  type ReachForm,
  type SettledReach,
} from './reach.logic.ts'

/** Settings of the engine of a proxy or a feed, as typed. */
export interface EngineForm {
  readonly maxRequestsInFlight: string
  readonly maxMutatingRequestsInFlight: string
  readonly algorithm: Algorithm
}

export interface ProxyForm extends EngineForm, ReachForm {
  readonly upstream: 'kubeconfig' | 'url'
  /** Path of a kubeconfig; empty means the default one. */
  readonly file: string
  /** Empty means the current context. */
  readonly context: string
  readonly url: string
  /** Empty means a free one. */
  readonly port: string
  readonly mode: ProxySpec['mode']
  readonly identity: ProxySpec['identity']
  readonly objects: ProxySpec['objects']
  readonly allowExec: boolean
}

export interface FeedForm extends EngineForm {
  readonly kind: FeedSpec['feed']['kind']
  readonly path: string
  readonly follow: boolean
  readonly port: string
  /** Whether objects and counts are read from a cluster. */
  readonly withCluster: boolean
  readonly file: string
  readonly context: string
}

export const EMPTY_PROXY: ProxyForm = {
  ...EMPTY_REACH,
  // Empty: the limits of the upstream.
  maxRequestsInFlight: '',
  maxMutatingRequestsInFlight: '',
  algorithm: 'upstream',
  allowExec: false,
  upstream: 'kubeconfig',
  file: '',
  context: '',
  url: '',
  port: '',
  mode: 'observe',
  identity: 'kubeconfig',
  objects: 'upstream',
}

export const EMPTY_FEED: FeedForm = {
  maxRequestsInFlight: '400',
  maxMutatingRequestsInFlight: '200',
  algorithm: 'upstream',
  kind: 'audit-file',
  path: '',
  follow: true,
  port: '',
  withCluster: true,
  file: '',
  context: '',
}

type Errors<F> = Partial<Record<keyof F, string>>
export type Read<S, F> = { readonly ok: true; readonly spec: S } | { readonly ok: false; readonly errors: Errors<F> }

const Address = z.url({ protocol: /^https?$/ })

export const lenderOf = ({ upstream: kind, identity }: ProxyForm): Lender => ({ upstream: { kind }, identity })

/** Who can connect: as typed, otherwise the default for the upstream and the identity. */
export const settledReach = (form: ProxyForm): SettledReach => settle(form, lenderOf(form))

/** The form as a source, or what is wrong with it, field by field. */
export function readProxyForm(form: ProxyForm): Read<ProxySpec, ProxyForm> {
  const url = form.url.trim()
  const reach = readReach(settledReach(form), lenderOf(form))
  const errors: Errors<ProxyForm> & ReachErrors = {
    ...engineErrors(form),
    ...(!reach.ok && reach.errors),
    ...portError(form.port),
    ...(form.upstream === 'url' && urlError(url)),
  }
  if (!reach.ok || Object.keys(errors).length > 0) return { ok: false, errors }
  const spec = ProxySpecSchema.parse({
    kind: 'proxy',
    upstream: form.upstream === 'url' ? { kind: 'url', url } : { kind: 'kubeconfig', ...kubeconfig(form) },
    port: numberOf(form.port) ?? 0,
    ...(reach.listen && { listen: reach.listen }),
    mode: form.mode,
    identity: form.identity,
    objects: form.objects,
    allowExec: form.allowExec,
    ...engine(form),
  })
  return { ok: true, spec }
}

export function readFeedForm(form: FeedForm): Read<FeedSpec, FeedForm> {
  const path = form.path.trim()
  const isFile = form.kind !== 'audit-webhook'
  const errors: Errors<FeedForm> = {
    ...engineErrors(form),
    ...neededLimits(form),
    ...(isFile ? path === '' && { path: 'Enter the path of the file.' } : portError(form.port)),
  }
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  const spec = FeedSpecSchema.parse({
    kind: 'feed',
    feed: isFile
      ? { kind: form.kind, path, follow: form.follow }
      : { kind: 'audit-webhook', port: numberOf(form.port) ?? 0 },
    ...(form.withCluster && { cluster: kubeconfig(form) }),
    ...engine(form),
  })
  return { ok: true, spec }
}

function urlError(url: string): { readonly url?: string } {
  if (url === '') return { url: 'Enter the address of the server.' }
  if (!Address.safeParse(url).success) return { url: `“${url}” is not an address; enter it as https://host:port.` }
  const { username, password } = new URL(url)
  if (username === '' && password === '') return {}
  return { url: 'The address contains a user name or password. Use a kubeconfig instead.' }
}

const portError = (text: string): { readonly port?: string } =>
  isWithin(text, 65_535) ? {} : { port: 'A port is a number from 1 to 65535; leave it empty for any free port.' }

const MOST_SEATS = 100_000

const engineErrors = (form: EngineForm): Errors<EngineForm> => ({
  ...(!isLimit(form.maxRequestsInFlight) && { maxRequestsInFlight: NO_LIMIT }),
  ...(!isLimit(form.maxMutatingRequestsInFlight) && { maxMutatingRequestsInFlight: NO_LIMIT }),
})
const NO_LIMIT = `A limit is a whole number from 0 to ${MOST_SEATS}.`
const isLimit = (text: string): boolean => isWithin(text, MOST_SEATS)

/** Needed where there is no server to read the limits from. */
const neededLimits = (form: EngineForm): Errors<EngineForm> => ({
  ...(form.maxRequestsInFlight.trim() === '' && { maxRequestsInFlight: NO_LIMIT }),
  ...(form.maxMutatingRequestsInFlight.trim() === '' && { maxMutatingRequestsInFlight: NO_LIMIT }),
})

/** An empty text is within all bounds. */
const isWithin = (text: string, most: number): boolean => {
  const number = numberOf(text) ?? 0
  return Number.isInteger(number) && number >= 0 && number <= most
}

const numberOf = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text))

const engine = (form: EngineForm): Partial<Pick<ProxySpec, keyof EngineForm>> => {
  const [reads, writes] = [numberOf(form.maxRequestsInFlight), numberOf(form.maxMutatingRequestsInFlight)]
  return {
    ...(reads !== undefined && { maxRequestsInFlight: reads }),
    ...(writes !== undefined && { maxMutatingRequestsInFlight: writes }),
    ...(form.algorithm !== 'upstream' && { algorithm: form.algorithm }),
  }
}

const kubeconfig = ({ file, context }: { readonly file: string; readonly context: string }) => ({
  ...(file.trim() !== '' && { file: file.trim() }),
  ...(context !== '' && { context }),
})

/** The form filled from the connection; the empty form when that is of another kind. */
export function proxyFormOf(spec: SourceSpec | undefined): ProxyForm {
  if (spec?.kind !== 'proxy') return EMPTY_PROXY
  const { upstream, port, listen, mode, identity, objects, allowExec } = spec
  return {
    ...engineForm(spec),
    ...reachFormOf(listen),
    upstream: upstream.kind,
    file: upstream.kind === 'kubeconfig' ? (upstream.file ?? '') : '',
    context: upstream.kind === 'kubeconfig' ? (upstream.context ?? '') : '',
    url: upstream.kind === 'url' ? upstream.url : '',
    port: port === 0 ? '' : String(port),
    mode,
    identity,
    objects,
    allowExec,
  }
}

export function feedFormOf(spec: SourceSpec | undefined): FeedForm {
  if (spec?.kind !== 'feed') return EMPTY_FEED
  const { feed, cluster } = spec
  const isFile = feed.kind !== 'audit-webhook'
  return {
    ...engineForm(spec),
    kind: feed.kind,
    path: isFile ? feed.path : '',
    follow: isFile ? feed.follow : true,
    port: isFile || feed.port === 0 ? '' : String(feed.port),
    withCluster: cluster !== undefined,
    file: cluster?.file ?? '',
    context: cluster?.context ?? '',
  }
}

const engineForm = ({
  maxRequestsInFlight,
  maxMutatingRequestsInFlight,
  algorithm = 'upstream',
}: ProxySpec | FeedSpec): EngineForm => ({
  algorithm,
  maxRequestsInFlight: maxRequestsInFlight === undefined ? '' : String(maxRequestsInFlight),
  maxMutatingRequestsInFlight: maxMutatingRequestsInFlight === undefined ? '' : String(maxMutatingRequestsInFlight),
})

/** The name of a server before it is connected. */
const nameOf = ({ upstream, context, url }: ProxyForm, contexts: readonly FoundContext[]): string => {
  if (upstream === 'url') return URL.parse(url)?.host ?? 'the server'
  if (context !== '') return context
  return contexts.find(({ current }) => current)?.context ?? 'the server'
}

export function proxySentence(form: ProxyForm, contexts: readonly FoundContext[]): string {
  const name = nameOf(form, contexts)
  const host = form.host.trim() || LOOPBACK
  const where = form.port.trim() === '' ? `a free port of ${host}` : `${inUrl(host)}:${form.port.trim()}`
  const { maxRequestsInFlight, maxMutatingRequestsInFlight } = engine(form)
  const seats =
    maxRequestsInFlight === undefined && maxMutatingRequestsInFlight === undefined
      ? 'the seats that it reports'
      : `${(maxRequestsInFlight ?? 400) + (maxMutatingRequestsInFlight ?? 200)} seats`
  const objects = form.objects === 'upstream' ? `the objects of ${name}` : 'the built-in objects'
  const does =
    form.mode === 'enforce'
      ? `requests run${form.algorithm === 'max-in-flight' ? '' : ', wait'} or are rejected with 429 as on a server with ${seats} and ${objects}; only requests that run reach ${name}.`
      : `every request passes to ${name} immediately; the engine computes what a server with ${seats} and ${objects} would have done.`
  return `Listens on ${where}: ${does} Connecting changes nothing on ${name}.`
}

export function feedSentence(form: FeedForm): string {
  const reads = {
    'audit-file': `Reads the audit log ${form.path.trim() || '…'}${form.follow ? ' and follows it across rotation' : ' to its end'}`,
    httplog: `Reads the request lines (-v=3) of ${form.path.trim() || '…'}${form.follow ? ' and follows it across rotation' : ' to its end'}`,
    'audit-webhook': `Receives what the API server posts to its audit webhook, by HTTPS on ${form.port.trim() === '' ? 'a free port of' : `port ${form.port.trim()} of`} 127.0.0.1`,
  }[form.kind]
  const cluster = form.withCluster
    ? 'with the objects and object counts of the named cluster'
    : 'with the built-in objects'
  return `${reads}. The console’s own engine, ${cluster}, computes what flow control would have done; nothing is sent to the server.`
}
