import { DESKTOP_BRIDGE, isMenuCommand, type DesktopBridge, type MenuCommand } from '../../core/contract/desktop.ts'
import { portOver } from '../../core/contract/messageLine.ts'
import type { Port } from '../../core/contract/protocol.ts'

declare global {
  interface Window {
    readonly [DESKTOP_BRIDGE]?: DesktopBridge
  }
}

/** Milliseconds within which the main process must hand over a line; it takes a few. */
const PATIENCE_MS = 5_000

/** Requests a MessagePort from the main process and accepts the one that matches this request's nonce. */
export function openDesktopPort(bridge: DesktopBridge): Promise<Port> {
  return new Promise((resolve, reject) => {
    const nonce = crypto.randomUUID()
    const stop = new AbortController()
    const timer = setTimeout(() => {
      stop.abort()
      reject(new Error('the main process did not respond'))
    }, PATIENCE_MS)
    window.addEventListener(
      'message',
      (event: MessageEvent<unknown>) => {
        const [channel] = event.ports
        const own = event.source === window && event.origin === window.location.origin
        if (!own || event.data !== nonce || channel === undefined) return
        clearTimeout(timer)
        stop.abort()
        resolve(portOver(channel))
      },
      { signal: stop.signal },
    )
    bridge.connect(nonce)
  })
}

/** Calls back for the application menu of the desktop window; never in a browser. */
export function onMenuCommand(listener: (command: MenuCommand) => void): () => void {
  const end = window[DESKTOP_BRIDGE]?.onCommand((name) => {
    if (isMenuCommand(name)) listener(name)
  })
  return () => end?.()
}
