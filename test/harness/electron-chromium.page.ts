/**
 * Replaces Electron's renderer side in the page: the text of a script that runs before any other. It
 * gives the built preload script a `require('electron')` whose messages go to the harness through two bindings.
 *
 * In Electron a port that is posted to the main process arrives there; here it stays in the page and what goes through
 * it is carried over by the bindings. Electron also notifies a page when the other end of a port is closed, which
 * Chromium by itself does not: so the script keeps the port that the page received, and notifies it.
 */
export const preloadScript = (preload: string): string => `(() => {
  const { __apfPost: post, __apfPort: fromPort } = window
  delete window.__apfPost
  delete window.__apfPort
  const ports = new Map()
  const handedOver = new Map()
  const hearing = new Map()
  let lastId
  const keep = (port) => {
    const id = crypto.randomUUID()
    ports.set(id, port)
    lastId = id
    port.onmessage = ({ data }) => fromPort(id, data)
    return id
  }
  Object.defineProperty(window, '__apfDeliver', {
    value: (kind, target, data) => {
      if (kind === 'message') ports.get(target)?.postMessage(data)
      if (kind === 'close') handedOver.get(target)?.then((port) => port.dispatchEvent(new Event('close')))
      if (kind === 'send') for (const listener of hearing.get(target) ?? []) listener({}, data)
    },
  })
  const electron = {
    contextBridge: {
      exposeInMainWorld: (name, value) => Object.defineProperty(window, name, { value: Object.freeze(value), enumerable: true }),
    },
    ipcRenderer: {
      postMessage: (channel, message, transfer = []) => post(channel, message, transfer.map(keep)),
      on: (channel, listener) => hearing.set(channel, (hearing.get(channel) ?? new Set()).add(listener)),
      off: (channel, listener) => hearing.get(channel)?.delete(listener),
    },
  }
  const preloadWindow = {
    location: window.location,
    postMessage: (nonce, origin, transfer) => {
      const id = lastId
      const arrival = new Promise((resolve) => {
        const remember = ({ data, ports: [port] }) => {
          if (data !== nonce) return
          window.removeEventListener('message', remember, true)
          // After the page's own listeners have had it.
          setTimeout(resolve, 0, port)
        }
        window.addEventListener('message', remember, true)
      })
      handedOver.set(id, arrival)
      window.postMessage(nonce, origin, transfer)
    },
  }
  const module = { exports: {} }
  const require = (name) => {
    if (name === 'electron') return electron
    throw new Error('a sandboxed preload script cannot require ' + name)
  }
  ;(function (require, module, exports, window) {
${preload}
  })(require, module, module.exports, preloadWindow)
})()`
