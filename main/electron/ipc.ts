import type { IpcMain, WebContents, WebFrameMain } from 'electron'
import { COMMAND_CHANNEL, CONNECT_CHANNEL } from '../../core/contract/desktop.ts'
import type { MenuCommand } from '../../core/contract/desktop.ts'
import type { Port } from '../../core/contract/protocol.ts'
import { messagePort } from '../transport/messagePort.ts'
import { isOwnUrl } from './scheme.ts'

/*
 * The only file that touches Electron's raw message channels. There are two: one by which the page asks for a line,
 * and one by which the menu speaks to the page. Everything else goes through the contract, over the line.
 */

/** Only the page itself, in the main frame; a frame that is gone has no say. */
export function isTrustedFrame(frame: Pick<WebFrameMain, 'url' | 'parent' | 'detached'> | null): boolean {
  return frame !== null && !frame.detached && frame.parent === null && isOwnUrl(frame.url)
}

/**
 * Calls `accept` with a line for each request of the page. A page has one line: a new one (after a reload) closes the
 * line before it. Requests from anywhere else have their ports closed and are reported to `onRefused`.
 */
export function onConnect(
  ipcMain: Pick<IpcMain, 'on'>,
  accept: (port: Port) => void,
  onRefused: (url: string) => void,
): void {
  let current: Port | undefined
  ipcMain.on(CONNECT_CHANNEL, (event) => {
    const [channel, ...more] = event.ports
    if (!isTrustedFrame(event.senderFrame) || channel === undefined || more.length > 0) {
      for (const port of event.ports) port.close()
      return onRefused(event.senderFrame?.url ?? 'a frame that is gone')
    }
    current?.close()
    current = messagePort(channel)
    accept(current)
  })
}

export function sendCommand(contents: Pick<WebContents, 'send'>, command: MenuCommand): void {
  contents.send(COMMAND_CHANNEL, command)
}
