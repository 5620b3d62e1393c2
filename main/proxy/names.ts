import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { inUrl, isLoopback, isWildcard, LOOPBACK_NAMES } from '../../core/live/proxyReach.ts'

/** Under what clients reach a proxy that listens on `host`, the best first; `machine` are the names of this machine. */
export function reachedAs(host: string, machine: readonly string[]): readonly string[] {
  if (!isWildcard(host)) return [host]
  const reachable = machine.filter((name) => host.includes(':') || isIP(name) !== 6)
  return reachable.length === 0 ? [...LOOPBACK_NAMES] : reachable
}

export interface OwnNamesOptions {
  readonly scheme: 'http' | 'https'
  /** What it listens on, and under what it is reached. */
  readonly hosts: readonly string[]
  readonly port: number
  readonly certificate?: X509Certificate | undefined
}

/** Whether the proxy may be asked as `host:port`, in lower case. */
export interface OwnNames {
  has(authority: string): boolean
}

/**
 * By which names the proxy may be asked, so that no page can come under a name of its own that leads here. On loopback:
 * those of loopback, at its port. Beyond it, where ports may be forwarded: any address, as a page needs a name for that,
 * and every name that its certificate is for.
 */
export function ownNames({ scheme, hosts, port, certificate }: OwnNamesOptions): OwnNames {
  const usual = `:${scheme === 'http' ? 80 : 443}`
  const names = new Set(
    [...LOOPBACK_NAMES, ...hosts].flatMap((name) => {
      const host = inUrl(name.toLowerCase())
      // Clients leave the usual port out.
      return `:${port}` === usual ? [host, `${host}${usual}`] : [`${host}:${port}`]
    }),
  )
  const beyond = hosts.some((host) => !isLoopback(host))
  return {
    has(authority) {
      if (names.has(authority)) return true
      const asked = URL.parse(`${scheme}://${authority}`)
      // Whatever else may stand in an address, a host alone is what is asked for.
      if (asked === null || (authority !== asked.host && authority !== `${asked.host}${usual}`)) return false
      if (!beyond && (asked.port === '' ? usual : `:${asked.port}`) !== `:${port}`) return false
      const host = asked.hostname.replace(/^\[(.*)\]$/, '$1')
      if (isIP(host) !== 0) return beyond
      return certificate !== undefined && isFor(certificate, host)
    },
  }
}

/** Whether clients that ask for `host` accept the certificate (RFC 6125). */
export const isFor = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined
