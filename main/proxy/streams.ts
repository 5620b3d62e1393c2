import { posix } from 'node:path'
import { requestInfo } from '../../core/request/requestInfo.ts'
import { parseRequestTarget } from '../../core/request/requestTarget.ts'
import type { Refusal } from './answers.ts'
import type { AnyRequest } from './exchange.ts'
import { mayUpgrade } from './listen.ts'

/** Subresources that run programs in a container or lead past the API, as kubelets do behind `nodes/proxy`. */
const STREAMS: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy'])

const REFUSED: Refusal = {
  status: 403,
  sentence:
    'This proxy lends its own credentials, so it refuses exec, attach, port-forward and proxy; start it with --allow-exec to let them pass.',
}

const UNREADABLE: Refusal = { status: 400, sentence: 'The path of this request cannot be decoded.' }

/**
 * Refuses what lets a caller act in containers and on nodes with the proxy's own credentials, as `kubectl proxy` does. A
 * change of protocol passes for a watch and for logs alone.
 */
export function refuseStreams(request: AnyRequest): Refusal | undefined {
  const { method = 'GET', url = '/' } = request
  const target = parseRequestTarget(url)
  if (target === undefined) return UNREADABLE
  // Gateways in front of an API server may take empty and dot parts out of a path; the server does not.
  const paths = [target.path, posix.normalize(target.path)]
  const infos = paths.map((path) => requestInfo(method, { ...target, path }).info)
  if (infos.some(({ verb, subresource }) => verb === 'proxy' || STREAMS.has(subresource))) return REFUSED
  const reads = infos.every(({ verb, subresource }) => verb === 'watch' || subresource === 'log')
  return reads || request.headers.upgrade === undefined || !mayUpgrade(request) ? undefined : REFUSED
}
