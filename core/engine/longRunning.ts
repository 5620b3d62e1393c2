import type { RequestInfo } from '../classify/requestInfo.ts'

const LONG_RUNNING_SUBRESOURCES = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])

/** Whether kube-apiserver expects the request to last: such requests have no deadline (specification 4.13). */
export const isLongRunning = ({ verb, isResource, subresource, path }: RequestInfo): boolean =>
  verb === 'watch' ||
  verb === 'proxy' ||
  (isResource ? subresource !== '' && LONG_RUNNING_SUBRESOURCES.has(subresource) : path.startsWith('/debug/pprof/'))

/** Whether it counts as read-only among the requests of the whole server (specification 8.2, 9). */
export const isReadOnly = ({ verb }: RequestInfo): boolean => verb === 'get' || verb === 'list' || verb === 'watch'
