import type { AddressCredentials } from '../../../core/contract/source.ts'
import { isLoopback } from '../../../core/live/proxyReach.ts'

/** Credentials for metrics addresses, as typed; what the chosen kind does not show is not sent. An empty token is none. */
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

export type AuthErrors = Partial<Record<keyof AuthForm, string>>

export type ReadAuth =
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

const isOpenWire = (address: string): boolean => {
  const url = URL.parse(address)
  return url?.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, ''))
}

/** The form filled from what is known of a source; secrets are not, so they have to be typed again. */
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
