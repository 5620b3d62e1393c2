import { contextBridge, ipcRenderer } from 'electron'
import { COMMAND_CHANNEL, CONNECT_CHANNEL, DESKTOP_BRIDGE, type DesktopBridge } from '../../core/contract/desktop.ts'

/** The part of the page's window that this script uses; main is compiled without the DOM. */
declare const window: {
  readonly location: { readonly origin: string }
  postMessage(message: string, targetOrigin: string, transfer: readonly object[]): void
}

/*
 * Everything that the page gets from Electron. No channel name, no event object and no Electron function passes
 * through: the page can request a line and receive names of commands, and the main process decides which page gets a
 * line.
 */
const bridge: DesktopBridge = {
  connect(nonce) {
    if (typeof nonce !== 'string') return
    const { port1, port2 } = new MessageChannel()
    ipcRenderer.postMessage(CONNECT_CHANNEL, null, [port2])
    window.postMessage(nonce, window.location.origin, [port1])
  },
  onCommand(listener) {
    const hear = (_event: unknown, name: unknown): void => listener(name)
    ipcRenderer.on(COMMAND_CHANNEL, hear)
    return () => void ipcRenderer.off(COMMAND_CHANNEL, hear)
  },
}
contextBridge.exposeInMainWorld(DESKTOP_BRIDGE, bridge)
