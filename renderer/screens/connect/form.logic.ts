import { z } from 'zod'
import type { AddressCredentials } from '../../../core/contract/credentials.ts'
import type { PrometheusPast } from '../../../core/contract/prometheus.ts'
import type { FoundContext, SourceSpec, Target } from '../../../core/contract/source.ts'
import { isLoopback } from '../../../core/live/proxyReach.ts'

/** The form as typed; lists have one address per line. */
export interface DirectForm {
  readonly method: 'kubeconfig' | 'urls'
  /** Path of a kubeconfig; empty means the default one. */
  readonly file: string
  /** Empty means the current context. */
  readonly context: string
  readonly servers: string
  readonly urls: string
  /** For the metrics addresses; a kubeconfig includes its own. */
  readonly auth: AuthForm
  readonly intervalMs: number
  readonly dumpsEveryMs: number | null
  /** The source of the time before the connection; absent: none. */
  readonly past?: PrometheusPast
}

export const EMPTY_AUTH: AuthForm = {
  kind: 'token',
  token: '',
  username: '',
  password: '',
  clientCertificate: '',
  clientKey: '',
  certificateAuthority: '',
  insecure: false,
}

export const EMPTY_FORM: DirectForm = {
  method: 'kubeconfig',
  file: '',
  context: '',
  servers: '',
  urls: '',
  auth: EMPTY_AUTH,
  intervalMs: 1_000,
  dumpsEveryMs: 5_000,
}

export type FormErrors = Partial<Record<'servers' | 'urls', string>> & { readonly auth?: AuthErrors }

export type FormResult =
  | { readonly ok: true; readonly target: Target; readonly spec: SourceSpec }
  | { readonly ok: false; readonly errors: FormErrors }

/** The form as a target and a source, or what is wrong with it, field by field. */
export function readForm(form: DirectForm): FormResult {
  const cadence = { intervalMs: form.intervalMs, dumpsEveryMs: form.dumpsEveryMs }
  const spec = (target: Target): SourceSpec => ({
    kind: 'scrape',
    target,
    cadence,
    ...(form.past && { past: form.past }),
  })
  if (form.method === 'urls') {
    const urls = addresses(form.urls)
    if (urls.length === 0) return { ok: false, errors: { urls: 'Enter the address of at least one metrics page.' } }
    const wrong = urls.find((url) => !isAddress(url))
    if (wrong !== undefined) return { ok: false, errors: { urls: notAnAddress(wrong) } }
    const auth = readAuth(form.auth, urls)
    if (!auth.ok) return { ok: false, errors: { auth: auth.errors } }
    const target: Target = { kind: 'urls', urls, ...(auth.credentials && { credentials: auth.credentials }) }
    return { ok: true, target, spec: spec(target) }
  }
  const servers = addresses(form.servers)
  const wrong = servers.find((url) => !isAddress(url))
  if (wrong !== undefined) return { ok: false, errors: { servers: notAnAddress(wrong) } }
  const target: Target = {
    kind: 'kubeconfig',
    ...(form.file.trim() === '' ? {} : { file: form.file.trim() }),
    ...(form.context === '' ? {} : { context: form.context }),
    ...(servers.length === 0 ? {} : { servers }),
  }
  return { ok: true, target, spec: spec(target) }
}

const addresses = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((part) => part !== ''))]

const Address = z.url({ protocol: /^https?$/ })
export const isAddress = (text: string): boolean => Address.safeParse(text).success

export const notAnAddress = (text: string): string => `“${text}” is not an address; enter it as https://host:port.`

/** The form filled from a recent source; `undefined` when it was not a direct one. */
export function formOf(spec: SourceSpec): DirectForm | undefined {
  if (spec.kind !== 'scrape') return undefined
  const { target, cadence, past } = spec
  const common = { ...EMPTY_FORM, ...cadence, ...(past && { past }) }
  if (target.kind === 'urls') {
    return { ...common, method: 'urls', urls: target.urls.join('\n'), auth: authFormOf(target.credentials) }
  }
  const { file = '', context = '', servers = [] } = target
  return { ...common, file, context, servers: servers.join('\n') }
}

export const formOfContext = (form: DirectForm, { context }: FoundContext): DirectForm => ({
  ...form,
  method: 'kubeconfig',
  context,
  servers: '',
})

export const INTERVALS: readonly number[] = [500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000]
export const DUMP_INTERVALS: readonly (number | null)[] = [2_000, 5_000, 10_000, 30_000, 60_000, 300_000, null]

/** `0.5 s`, `1 min`; `off` for null. */
export function intervalText(ms: number | null): string {
  if (ms === null) return 'off'
  return ms < 60_000 ? `${ms / 1_000} s` : `${ms / 60_000} min`
}

/**
 * Credentials for metrics addresses, as typed; fields that the chosen kind does not show are not sent. An empty token
 * is none.
 */
export interface AuthForm {
  readonly kind: 'token' | 'basic' | 'certificate'
  readonly token: string
  readonly username: string
  readonly password: string
  readonly clientCertificate: string
  readonly clientKey: string
  readonly certificateAuthority: string
  readonly insecure: boolean
}

export type AuthErrors = Partial<Record<keyof AuthForm, string>>

type ReadAuth =
  { readonly ok: true; readonly credentials?: AddressCredentials } | { readonly ok: false; readonly errors: AuthErrors }

/** The form as a part of a target for these addresses, or what is wrong with it, field by field. */
export function readAuth(form: AuthForm, urls: readonly string[]): ReadAuth {
  const errors: AuthErrors = {
    ...missing(form),
    ...(((form.kind === 'token' && form.token.trim() !== '') || form.kind === 'basic') &&
      urls.some(isOpenWire) && {
        kind: 'Credentials are not sent unencrypted; use an https:// address.',
      }),
  }
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  const authority = form.certificateAuthority.trim()
  const credentials: AddressCredentials = {
    ...own(form),
    ...(authority !== '' && { certificateAuthority: authority }),
    ...(form.insecure && { insecureSkipTlsVerify: true }),
  }
  return { ok: true, ...(Object.keys(credentials).length > 0 && { credentials }) }
}

function own(form: AuthForm): AddressCredentials {
  switch (form.kind) {
    case 'token':
      return form.token.trim() === '' ? {} : { token: form.token.trim() }
    case 'basic':
      return { username: form.username, password: form.password }
    case 'certificate':
      return { clientCertificate: form.clientCertificate.trim(), clientKey: form.clientKey.trim() }
  }
}

function missing(form: AuthForm): AuthErrors {
  const token = form.token.trim()
  switch (form.kind) {
    case 'token':
      return /^[\x21-\x7e]*$/.test(token) ? {} : { token: 'A token contains no spaces or line breaks.' }
    case 'basic':
      return form.username === '' ? { username: 'Enter a user name.' } : {}
    case 'certificate':
      return {
        ...(form.clientCertificate.trim() === '' && { clientCertificate: 'Enter the path of the certificate.' }),
        ...(form.clientKey.trim() === '' && { clientKey: 'Enter the path of its key.' }),
      }
  }
}

export const isOpenWire = (address: string): boolean => {
  const url = URL.parse(address)
  return url?.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, ''))
}

/** The form filled from a known source; secrets are not kept, so they have to be typed again. */
export function authFormOf(credentials: AddressCredentials | undefined): AuthForm {
  if (credentials === undefined) return EMPTY_AUTH
  const { username = '', clientCertificate = '', clientKey = '', certificateAuthority = '' } = credentials
  return {
    ...EMPTY_AUTH,
    kind: username !== '' ? 'basic' : clientCertificate !== '' ? 'certificate' : 'token',
    username,
    clientCertificate,
    clientKey,
    certificateAuthority,
    insecure: credentials.insecureSkipTlsVerify === true,
  }
}
