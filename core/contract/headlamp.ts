/**
 * What a page of Headlamp and the console inside it say to each other. The console runs in a frame of its own origin: it has
 * no access to Headlamp, its page or its credentials, and reads the cluster by these messages alone.
 */

/** Below these paths of the API server the frame may read; Headlamp's side refuses all others. */
export const HEADLAMP_PATHS = [
  '/metrics',
  '/version',
  '/debug/api_priority_and_fairness/',
  '/apis/flowcontrol.apiserver.k8s.io/',
] as const

/** Whether the frame may ask for a path: one of those above, without steps that lead elsewhere. */
export function isHeadlampPath(path: string): boolean {
  const plain = path.split('?', 1)[0] ?? ''
  if (/\.\.|\/\/|[%\\#]/.test(plain)) return false
  return HEADLAMP_PATHS.some((known) => (known.endsWith('/') ? plain.startsWith(known) : plain === known))
}

/** From the frame: a GET that Headlamp carries out with the rights of its user, and the wish to hear no more of it. */
export type HeadlampRequest =
  | { readonly kind: 'get'; readonly id: number; readonly path: string; readonly accept: string }
  | { readonly kind: 'stop'; readonly id: number }

/** To the frame: the head of an answer, its body piece by piece, and its end. */
export type HeadlampReply = { readonly id: number } & (
  | { readonly kind: 'head'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'piece'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  /** `status` is absent where the server did not answer; `words` are its own, or Headlamp's. */
  | { readonly kind: 'failed'; readonly status?: number; readonly words: string }
)

/** To the frame, once it is loaded, with two ports: for requests, and for what concerns the page. */
export interface HeadlampStart {
  readonly kind: 'apf-console'
  /** As Headlamp calls it. */
  readonly cluster: string
  readonly theme: 'light' | 'dark'
}

/** From the frame: what it shows now, so that the address of the page says so. */
export interface HeadlampPlace {
  readonly screen: 'overview' | 'level'
  readonly level?: string
}

/** To the thread of the frame that reads the cluster, with two ports: for requests, and for the contract. */
export interface HeadlampThread {
  readonly cluster: string
  readonly version: string
}
