import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { inUrl, isLoopback, isWildcard, LOOPBACK_NAMES } from '../../core/live/proxyReach.ts'

/**
 * The names by which clients reach a proxy that listens on `host`, the best first; `machine` are the names of this
 * machine.
 */
export function reachedAs(host: string, machine: readonly string[]): readonly string[] {
  if (!isWildcard(host)) return [host]
  const reachable = machine.filter((name) => host.includes(':') || isIP(name) !== 6)
  return reachable.length === 0 ? [...LOOPBACK_NAMES] : reachable
}

export interface OwnNamesOptions {
  readonly scheme: 'http' | 'https'
  /** The addresses that it listens on, and the names by which clients reach it. */
  readonly hosts: readonly string[]
  readonly port: number
  readonly certificate?: X509Certificate | undefined
}

/** Whether clients may address the proxy as `host:port`, in lower case. */
export interface OwnNames {
  has(authority: string): boolean
}

/**
 * The names by which clients may address the proxy, so that no page can use a name of its own that resolves here. On
 * loopback: the loopback names, at the proxy's port. Beyond it, where ports may be forwarded: any address, because such
 * a page needs a name, and every name that the certificate is valid for.
 */
export function ownNames({ scheme, hosts, port, certificate }: OwnNamesOptions): OwnNames {
  const usual = `:${scheme === 'http' ? 80 : 443}`
  const names = new Set(
    [...LOOPBACK_NAMES, ...hosts].flatMap((name) => {
      const host = inUrl(name.toLowerCase())
      // Clients omit the default port.
      return `:${port}` === usual ? [host, `${host}${usual}`] : [`${host}:${port}`]
    }),
  )
  const beyond = hosts.some((host) => !isLoopback(host))
  return {
    has(authority) {
      if (names.has(authority)) return true
      const asked = URL.parse(`${scheme}://${authority}`)
      // An authority may contain other parts; only a host with an optional port is accepted.
      if (asked === null || (authority !== asked.host && authority !== `${asked.host}${usual}`)) return false
      if (!beyond && (asked.port === '' ? usual : `:${asked.port}`) !== `:${port}`) return false
      const host = asked.hostname.replace(/^\[(.*)\]$/, '$1')
      if (isIP(host) !== 0) return beyond
      return certificate !== undefined && isFor(certificate, host)
    },
  }
}

/** Whether clients that connect to `host` accept the certificate (RFC 6125). */
export const isFor = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined
