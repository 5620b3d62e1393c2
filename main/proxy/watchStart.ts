import type { IncomingMessage } from 'node:http'

/** What ends the initial events of a watch that asked for them (`sendInitialEvents`). */
const INITIAL_EVENTS_END = Buffer.from('k8s.io/initial-events-end')
/** A watch that says nothing for so long has said what there was. */
const QUIET_MS = 20

/**
 * Notices when a watch has sent its initial events, which the server itself signals inside (specification 4.13): by the
 * bookmark that ends them, or else by the first silence after the answer began. Calls back once, at the latest with the
 * end of the answer.
 */
export function watchStart(answer: IncomingMessage, initialised: () => void): void {
  const finish = (): void => {
    clearTimeout(timer)
    answer.off('data', look)
    initialised()
  }
  const look = (piece: Buffer): void => {
    if (piece.includes(INITIAL_EVENTS_END)) finish()
    else timer.refresh()
  }
  const timer = setTimeout(finish, QUIET_MS)
  answer.on('data', look)
  answer.once('close', () => clearTimeout(timer))
}
