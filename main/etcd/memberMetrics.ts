import { get as httpGet } from 'node:http'
import { get as httpsGet } from 'node:https'
import { gather } from '../files/files.ts'
import type { Upstream } from './upstream.ts'

const MOST_PAGE_BYTES = 8 * 1024 * 1024
const PAGE_MS = 2_000

/** The metrics page at the client address of a member; empty where it cannot be read. */
export async function memberMetrics({ url, tls }: Upstream): Promise<string> {
  const signal = AbortSignal.timeout(PAGE_MS)
  const get = url.startsWith('https') ? httpsGet : httpGet
  return new Promise<string>((resolve, reject) => {
    get(`${url}/metrics`, { ...tls, signal }, (response) => {
      gather('The metrics page of etcd', response, { mostBytes: MOST_PAGE_BYTES, signal }).then(
        (bytes) => resolve(bytes.toString('utf8')),
        reject,
      )
    }).on('error', reject)
  }).catch(() => '')
}
