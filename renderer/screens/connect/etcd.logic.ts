import { type EtcdSpec, EtcdSpecSchema, PROXY_NAME } from '../../../core/contract/etcd.ts'
import type { SourceSpec } from '../../../core/contract/source.ts'

/** A running etcd proxy, or one to start, as typed. Paths are of PEM files except for the rules; empty means none. */
export interface EtcdForm {
  readonly kind: 'proxy' | 'start'
  /** Empty: the only running one, or the default name of one to start. */
  readonly name: string
  readonly upstream: string
  /** Empty means a free one. */
  readonly port: string
  readonly rulesFile: string
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
  readonly tlsCertFile: string
  readonly tlsKeyFile: string
  readonly clientCaFile: string
  readonly editing: boolean
}

const EMPTY: EtcdForm = {
  kind: 'proxy',
  name: '',
  upstream: 'http://127.0.0.1:2379',
  port: '2381',
  rulesFile: '',
  caFile: '',
  certFile: '',
  keyFile: '',
  tlsCertFile: '',
  tlsKeyFile: '',
  clientCaFile: '',
  editing: false,
}

export function etcdFormOf(shown: SourceSpec | undefined): EtcdForm {
  if (shown?.kind !== 'etcd' || shown.of.kind === 'story') return EMPTY
  const { of } = shown
  if (of.kind === 'proxy') return { ...EMPTY, name: of.name ?? '', editing: of.editing }
  const { tls, port, ...rest } = of
  return {
    ...EMPTY,
    ...rest,
    port: port === 0 ? '' : String(port),
    tlsCertFile: tls?.certFile ?? '',
    tlsKeyFile: tls?.keyFile ?? '',
    clientCaFile: tls?.clientCaFile ?? '',
  }
}

export type EtcdErrors = { readonly [K in keyof EtcdForm]?: string }

export type ReadEtcdForm =
  { readonly ok: true; readonly spec: EtcdSpec } | { readonly ok: false; readonly errors: EtcdErrors }

/** The specification that a form describes, or what is wrong with its fields. */
export function readEtcdForm(form: EtcdForm): ReadEtcdForm {
  const { editing } = form
  const name = form.name.trim()
  const errors: { -readonly [K in keyof EtcdForm]?: string } = {}
  if (name !== '' && !PROXY_NAME.test(name))
    errors.name = 'Use 1 to 63 of a–z, 0–9 and “-”, with a letter or digit at both ends.'
  const named = name === '' ? {} : { name }
  if (form.kind === 'start') checkStart(form, errors)
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  const paths = pathsOf(form, ['rulesFile', 'caFile', 'certFile', 'keyFile'])
  const tls = { certFile: form.tlsCertFile.trim(), keyFile: form.tlsKeyFile.trim() }
  const of =
    form.kind === 'proxy'
      ? { kind: 'proxy', ...named, editing }
      : {
          kind: 'start',
          ...named,
          upstream: form.upstream.trim(),
          port: Number(form.port),
          ...paths,
          ...(tls.certFile !== '' && { tls: { ...tls, ...pathsOf(form, ['clientCaFile']) } }),
          editing,
        }
  return { ok: true, spec: EtcdSpecSchema.parse({ kind: 'etcd', of }) }
}

function checkStart(form: EtcdForm, errors: { -readonly [K in keyof EtcdForm]?: string }): void {
  const url = URL.parse(form.upstream.trim())
  if (url === null || !/^https?:$/.test(url.protocol))
    errors.upstream = 'Enter an address that begins with http:// or https://.'
  else if (url.username !== '' || url.password !== '')
    errors.upstream = 'Leave out the user name: clients bring their own through the proxy.'
  if (!/^\d{0,5}$/.test(form.port.trim()) || Number(form.port) > 65_535) errors.port = 'Enter a port from 1 to 65535.'
  const [certFile, keyFile] = [form.certFile.trim(), form.keyFile.trim()]
  const [tlsCert, tlsKey, clientCa] = [form.tlsCertFile.trim(), form.tlsKeyFile.trim(), form.clientCaFile.trim()]
  if ((certFile === '') !== (keyFile === ''))
    errors[certFile === '' ? 'certFile' : 'keyFile'] = 'Certificate and key belong together.'
  if ((tlsCert === '') !== (tlsKey === ''))
    errors[tlsCert === '' ? 'tlsCertFile' : 'tlsKeyFile'] = 'Certificate and key belong together.'
  else if (clientCa !== '' && tlsCert === '')
    errors.clientCaFile = 'Client certificates need TLS: enter a certificate and its key.'
  else if (certFile !== '' && clientCa === '')
    errors.clientCaFile = 'Required with a client certificate: every user of this machine would reach etcd with it.'
}

const pathsOf = (form: EtcdForm, fields: readonly (keyof EtcdForm)[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const path = String(form[field]).trim()
      return path === '' ? [] : [[field, path]]
    }),
  )
