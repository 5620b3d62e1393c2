import type { AddressCredentials } from '../../core/contract/credentials.ts'
import type { PrometheusTarget } from '../../core/contract/prometheus.ts'
import type { SourceSpec, Target } from '../../core/contract/source.ts'

type UrlsTarget = Extract<Target, { kind: 'urls' }>

/**
 * Whether a source may be stored as recent. Only sources that are reopened by name are: a simulation by its seed and
 * version, but not the demo, not the text of files, and no address that contains a user name, password or query, which
 * may be a secret.
 */
export function isRememberable(spec: SourceSpec): boolean {
  if (spec.kind === 'simulation' || spec.kind === 'feed') return true
  if (spec.kind === 'demo' || spec.kind === 'files' || spec.kind === 'recording' || spec.kind === 'run') return false
  return addressesOf(spec).every((address) => {
    const url = new URL(address)
    return url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  })
}

function addressesOf(
  spec: Extract<SourceSpec, { kind: 'scrape' | 'proxy' | 'prometheus' | 'etcd' }>,
): readonly string[] {
  if (spec.kind === 'etcd') return spec.of.kind === 'start' ? [spec.of.upstream] : []
  if (spec.kind === 'prometheus') return [spec.url]
  if (spec.kind === 'proxy') return spec.upstream.kind === 'url' ? [spec.upstream.url] : []
  const past = spec.past === undefined ? [] : [spec.past.url]
  return [...past, ...(spec.target.kind === 'urls' ? spec.target.urls : (spec.target.servers ?? []))]
}

/**
 * The part of a specification that readers receive: texts of files are left out, because they may be many megabytes,
 * and so are credentials inside addresses.
 */
export function publicSpec(spec: SourceSpec): SourceSpec {
  switch (spec.kind) {
    case 'demo':
    case 'simulation':
    case 'feed':
    case 'recording':
      return spec
    case 'run':
      return { kind: 'run', of: spec.of }
    case 'etcd':
      return spec.of.kind === 'start'
        ? { ...spec, of: { ...spec.of, upstream: withoutCredentials(spec.of.upstream) } }
        : spec
    case 'proxy':
      return spec.upstream.kind === 'url'
        ? { ...spec, upstream: { kind: 'url', url: withoutCredentials(spec.upstream.url) } }
        : spec
    case 'prometheus':
      return publicPrometheus(spec)
    case 'files':
      return { kind: 'files', files: spec.files.map(({ name }) => ({ name, text: '' })) }
    case 'scrape':
      return { ...spec, target: publicTarget(spec.target), ...(spec.past && { past: publicPrometheus(spec.past) }) }
  }
}

function publicTarget(target: Target): Target {
  if (target.kind === 'urls') return { ...withoutSecrets(target), urls: target.urls.map(withoutCredentials) }
  return { ...target, ...(target.servers && { servers: target.servers.map(withoutCredentials) }) }
}

/** Headers are left out completely: one without its value would make a different request. */
export function publicPrometheus<T extends PrometheusTarget>({
  headers: _headers,
  credentials,
  ...rest
}: T): Omit<T, 'headers' | 'credentials'> & Pick<PrometheusTarget, 'url' | 'credentials'> {
  return { ...rest, url: withoutCredentials(rest.url), ...withoutTyped(credentials) }
}

function withoutSecrets({ credentials, ...rest }: UrlsTarget): UrlsTarget {
  return { ...rest, ...withoutTyped(credentials) }
}

/** Typed credentials are left out; paths stay. */
function withoutTyped(credentials: AddressCredentials | undefined): { credentials?: AddressCredentials } {
  const { token: _token, password: _password, ...paths } = credentials ?? {}
  return Object.keys(paths).length === 0 ? {} : { credentials: paths }
}

function withoutCredentials(address: string): string {
  const url = new URL(address)
  url.username = ''
  url.password = ''
  return url.href
}
