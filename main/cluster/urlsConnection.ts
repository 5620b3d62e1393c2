import { createHash } from 'node:crypto'
import { ProblemError } from '../../core/contract/errors.ts'
import type { Target } from '../../core/contract/source.ts'
import { assertPrivate, createAgents, parseAddress, urlServer, withIds, type Connection } from './connection.ts'
import type { Consent } from './consent.ts'
import { resolveAddressCredentials, type Credentials } from './credentials.ts'

type UrlsTarget = Extract<Target, { kind: 'urls' }>

/** Metrics addresses with the credentials given beside them, if any. Rejects with `ProblemError`. */
export async function urlsConnection(target: UrlsTarget, now: () => number, consent: Consent): Promise<Connection> {
  const urls = target.urls.map(parseAddress)
  const given = target.credentials ?? {}
  await confirmFiles(target, urls, consent)
  const agents = createAgents(urls)
  let known: Credentials | undefined
  const credentials = async (): Promise<Credentials> => {
    if (known === undefined || known.validUntil <= now()) known = await resolveAddressCredentials(given, now())
    return known
  }
  return {
    name: urls.length === 1 ? (urls[0]?.host ?? '') : `${urls.length} API servers`,
    via: `${[...new Set(urls.map((url) => url.pathname))].join(', ')} direct`,
    servers: withIds(urls, urlServer),
    notes:
      given.insecureSkipTlsVerify === true && urls.some((url) => url.protocol === 'https:')
        ? ['Certificates are not verified, as you asked: anyone on the way could read the credentials.']
        : [],
    async settings(server) {
      const { tls, proxyAgent: _, ...own } = await credentials()
      assertPrivate(server.metrics, own.headers)
      return { ...own, agent: agents.agentFor(server.metrics, tls) }
    },
    renew() {
      known = undefined
    },
    close: () => agents.close(),
  }
}

/** A page must not have any file sent to any address: what the command line did not name, the operator confirms. */
async function confirmFiles({ credentials }: UrlsTarget, urls: readonly URL[], consent: Consent): Promise<void> {
  const hosts = [...new Set(urls.map(({ host }) => host))].join(', ')
  for (const file of [credentials?.tokenFile, credentials?.passwordFile]) {
    if (file === undefined) continue
    const found = await consent.named.file(file)
    if (found.by === 'command-line') continue
    const what = `send the contents of ${found.path} to ${hosts}`
    await consent.confirm({
      key: createHash('sha256').update(what).digest('hex'),
      what,
      lines: [`The console would ${what}, as a credential.`],
      remedy: 'Name the file when you start the console: --token-file or --password-file.',
    })
  }
  if (credentials?.token !== undefined && credentials.tokenFile !== undefined) {
    throw new ProblemError('invalid-input', 'Give a token or a token file, not both.')
  }
}
