import { createClient, type Reading } from '../../core/contract/client.ts'
import type { Client } from '../../core/contract/contract.ts'
import { DESKTOP_BRIDGE } from '../../core/contract/desktop.ts'
import type { Port } from '../../core/contract/protocol.ts'
import { openDesktopPort } from './bridge.desktop.ts'
import { openWebSocket } from './bridge.webSocket.ts'

/** A line to the main side: through the preload script in the desktop window, a WebSocket in a browser. */
function connect(): Promise<Port> {
  const bridge = window[DESKTOP_BRIDGE]
  return bridge === undefined ? openWebSocket() : openDesktopPort(bridge)
}

const after = (ms: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

/**
 * The console checks what it sends against the contract; the page, which the console serves, does not check it again
 * (decision 010). TypeScript cannot see that the value has the type of the contract.
 */
const asSent: Reading = {
  output: (_name, value: never) => ({ value }),
  event: (_name, value: never) => ({ value }),
}

let shared: Client | undefined

/** The one client of this page; the first use opens the line. */
export function client(): Client {
  return shared ?? openClient(connect)
}

/** The same over the page's own line, where it has one. */
export function openClient(open: () => Promise<Port>): Client {
  shared = createClient({ connect: open, after, random: () => Math.random(), reading: asSent })
  return shared
}

/** For tests: a separate client in place of the page's. */
export function setClient(replacement: Client | undefined): void {
  shared = replacement
}
