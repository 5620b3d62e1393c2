/**
 * Stands for `etcd` in etcd's own tests: opens a proxy on the port that clients connect to, and becomes the real etcd on
 * another one, so that signals reach etcd itself. Arguments: the real etcd, the address of `proxies.ts`, the fixtures,
 * and the arguments of etcd.
 */
import process from 'node:process'

const [etcd = '', service = '', fixtures = '', ...given] = process.argv.slice(2)

/** Members listen from port 20000 on, and those of a mirror from 10000, so nothing else listens this much lower. */
const LOWER = 5_000
const LISTEN = '--listen-client-urls'

/** The value of `--name=value` or `--name value`. */
function valueOf(name: string): string | undefined {
  const at = given.indexOf(name)
  return at === -1 ? given.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) : given[at + 1]
}
const has = (name: string): boolean => given.some((arg) => arg === name || arg.startsWith(`${name}=`))
/** The same arguments, without those names. */
const without = (...names: readonly string[]): readonly string[] =>
  given.filter(
    (arg, index) => !names.some((name) => arg === name || arg.startsWith(`${name}=`) || given[index - 1] === name),
  )

/** The arguments of etcd behind a proxy; `undefined` for one that the proxy cannot stand in front of. */
async function behindProxy(): Promise<readonly string[] | undefined> {
  const listen = URL.parse(valueOf(LISTEN) ?? '')
  if (listen === null || !['http:', 'https:'].includes(listen.protocol)) return undefined
  const port = Number(listen.port)
  if (has('--client-crl-file')) {
    await fetch(`${service}/front?close=${port}`, { method: 'POST' })
    return undefined
  }
  const query = new URLSearchParams({ tcp: `localhost:${port - LOWER}`, listen: String(port) })
  // etcd makes a certificate of its own, which clients do not verify.
  const automatic = has('--auto-tls')
  if (listen.protocol === 'https:') {
    query.set('tls', automatic ? `${fixtures}/server.crt` : (valueOf('--cert-file') ?? ''))
    query.set('key', automatic ? `${fixtures}/server.key.insecure` : (valueOf('--key-file') ?? ''))
    query.set('ca', valueOf('--trusted-ca-file') ?? `${fixtures}/ca.crt`)
    // That etcd verifies clients by it is enough for it to require certificates.
    if (has('--trusted-ca-file')) query.set('clients', 'true')
    if (automatic) query.set('upstream', 'plain')
  }
  const answer = await fetch(`${service}/front?${query.toString()}`, { method: 'POST' })
  if (!answer.ok) throw new Error(await answer.text())
  const scheme = automatic ? 'http' : listen.protocol.slice(0, -1)
  return [`${LISTEN}=${scheme}://localhost:${port - LOWER}`, ...without(LISTEN).filter((arg) => arg !== '--auto-tls')]
}

const proxied = await behindProxy()
process.execve?.(etcd, [etcd, ...(proxied ?? given)], process.env)
