import { z } from 'zod'
import type { FoundContext, SourceSpec, Target } from '../../../core/contract/source.ts'
import { authFormOf, EMPTY_AUTH, readAuth, type AuthErrors, type AuthForm } from './auth.logic.ts'

/** The form as typed; lists are one address a line. */
export interface DirectForm {
  readonly method: 'kubeconfig' | 'urls'
  /** Path of a kubeconfig; empty means the usual one. */
  readonly file: string
  /** Empty means the current context. */
  readonly context: string
  readonly servers: string
  readonly urls: string
  /** For the metrics addresses; a kubeconfig brings its own. */
  readonly auth: AuthForm
  readonly intervalMs: number
  readonly dumpsEveryMs: number | null
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
  if (form.method === 'urls') {
    const urls = addresses(form.urls)
    if (urls.length === 0) return { ok: false, errors: { urls: 'Enter the address of at least one metrics page.' } }
    const wrong = urls.find((url) => !isAddress(url))
    if (wrong !== undefined) return { ok: false, errors: { urls: notAnAddress(wrong) } }
    const auth = readAuth(form.auth, urls)
    if (!auth.ok) return { ok: false, errors: { auth: auth.errors } }
    const target: Target = { kind: 'urls', urls, ...(auth.credentials && { credentials: auth.credentials }) }
    return { ok: true, target, spec: { kind: 'scrape', target, cadence } }
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
  return { ok: true, target, spec: { kind: 'scrape', target, cadence } }
}

const addresses = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((part) => part !== ''))]

const Address = z.url({ protocol: /^https?$/ })
const isAddress = (text: string): boolean => Address.safeParse(text).success

const notAnAddress = (text: string): string => `“${text}” is not an address; write it as https://host:port.`

/** The form filled from a source that was used before; `undefined` when it was not a direct one. */
export function formOf(spec: SourceSpec): DirectForm | undefined {
  if (spec.kind !== 'scrape') return undefined
  const { target, cadence } = spec
  const common = { ...EMPTY_FORM, ...cadence }
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
