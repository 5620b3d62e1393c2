import type { HttpRequest, Send } from './http.ts'

/** For each lane, when its last request will be over. */
const lanes = new Map<string, Promise<void>>()

/**
 * Sends the reads to a server one at a time, whoever in this thread sends them, so that reading costs the server no
 * more seats at once than its dearest request. Writes, which may wait for webhooks for half a minute, have a lane of
 * their own. A watch gives up its turn when it begins: from then on it costs no seat (specification 4.14). A dump that
 * hangs must not age the pages: a request that the server leaves unanswered does not stop the others for long.
 */
export const inTurn =
  (send: Send): Send =>
  async (request, onChunk) => {
    const { url, write, signal } = request
    const lane = `${write === undefined ? 'read' : 'write'} ${url.origin}`
    const before = lanes.get(lane) ?? Promise.resolve()
    const turn = Promise.withResolvers<void>()
    const over = before.then(() => turn.promise)
    lanes.set(lane, over)
    void forget(lane, over)
    try {
      await turnOf(before, signal)
      request.onTurn?.()
      return await send(isWatch(request) ? { ...request, onHead: begun(request, turn.resolve) } : request, onChunk)
    } finally {
      turn.resolve()
    }
  }

/** Removes a lane that nothing waits in. */
async function forget(lane: string, over: Promise<void>): Promise<void> {
  await over
  if (lanes.get(lane) === over) lanes.delete(lane)
}

const isWatch = ({ url }: HttpRequest): boolean => url.searchParams.get('watch') === 'true'

const begun =
  ({ onHead }: HttpRequest, release: () => void) =>
  (): void => {
    release()
    onHead?.()
  }

/** A request that a server leaves unanswered for so long does not hold up the next: most likely it waits without a seat. */
const LONGEST_TURN_MS = 2_000

/** Also ends when the request is no longer wanted: then it is not sent. */
function turnOf(before: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', go)
      resolve()
    }
    const timer = setTimeout(go, LONGEST_TURN_MS)
    signal?.addEventListener('abort', go)
    if (signal?.aborted === true) go()
    void before.then(go)
  })
}
