import type { RequestSample } from '../contract/objects.ts'

const MOST = 12

/** Two identical requests have the same key. */
export const keyOfRequest = ({ user, groups, method, url }: RequestSample): string =>
  JSON.stringify([user, groups.toSorted(), method, url])

/** With a request at the first place, each once. */
export function remembered(recent: readonly RequestSample[], request: RequestSample): readonly RequestSample[] {
  const key = keyOfRequest(request)
  return [request, ...recent.filter((one) => keyOfRequest(one) !== key)].slice(0, MOST)
}
