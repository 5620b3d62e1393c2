/**
 * The messages between a page of Headlamp and the console inside it. The console runs in a frame of its own origin: it
 * has no access to Headlamp, its page or its credentials, and reads the cluster by these messages alone.
 */

/** The frame may read below these paths of the API server; Headlamp's side rejects all others. */
export const HEADLAMP_PATHS = [
  '/metrics',
  '/version',
  '/debug/api_priority_and_fairness/',
  '/apis/flowcontrol.apiserver.k8s.io/',
] as const

/** Whether the frame may request a path: one below those above, without segments that lead elsewhere. */
export function isHeadlampPath(path: string): boolean {
  const plain = path.split('?', 1)[0] ?? ''
  if (/\.\.|\/\/|[%\\#]/.test(plain)) return false
  return HEADLAMP_PATHS.some((known) => (known.endsWith('/') ? plain.startsWith(known) : plain === known))
}

/** From the frame: a GET that Headlamp executes with the permissions of its user, and its cancellation. */
export type HeadlampRequest =
  | { readonly kind: 'get'; readonly id: number; readonly path: string; readonly accept: string }
  | { readonly kind: 'stop'; readonly id: number }

/** To the frame: the head of a response, its body in pieces, and its end. */
export type HeadlampReply = { readonly id: number } & (
  | { readonly kind: 'head'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'piece'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  /** `status` is absent if the server did not respond; `words` are the server's, or Headlamp's. */
  | { readonly kind: 'failed'; readonly status?: number; readonly words: string }
)

/** To the frame, once it is loaded, with two ports: for requests, and for the page. */
export interface HeadlampStart {
  readonly kind: 'apf-console'
  /** The name in Headlamp. */
  readonly cluster: string
  readonly theme: 'light' | 'dark'
}

/** From the frame: its current location, for the address of the page. */
export interface HeadlampPlace {
  readonly screen: 'overview' | 'level'
  readonly level?: string
}

/** To the thread of the frame that reads the cluster, with two ports: for requests, and for the contract. */
export interface HeadlampThread {
  readonly cluster: string
  readonly version: string
}
