import type { Port } from '../../core/contract/protocol.ts'
import {
  BASE_PATH,
  RPC_PATH,
  RPC_PROTOCOL,
  SECRET_HEADER,
  secretKey,
  SESSION_PATH,
} from '../../core/contract/webSession.ts'

/**
 * Opens a WebSocket to the server of this page as a port. Rejects when it cannot be opened; if that is because this
 * browser has no session, the page with the instructions for a new session replaces this one.
 */
export async function openWebSocket(): Promise<Port> {
  const base = document.querySelector<HTMLMetaElement>(`meta[name="${BASE_PATH}"]`)?.content ?? '/'
  const at = (path: string): URL => new URL(`.${path}`, window.location.origin + base)
  // Read each time: another tab may have opened a new session.
  const secret = localStorage.getItem(secretKey(base))
  try {
    if (secret === null) throw new Error('this browser has no session')
    return await open(at(RPC_PATH).href.replace('http', 'ws'), secret)
  } catch (error) {
    if (await isSignedOut(at(SESSION_PATH), secret)) window.location.replace(at(SESSION_PATH))
    throw error
  }
}

async function isSignedOut(session: URL, secret: string | null): Promise<boolean> {
  if (secret === null) return true
  // Without an answer the console is not running, and may come back.
  const answer = await fetch(session, { headers: { [SECRET_HEADER]: secret } }).catch(() => undefined)
  return answer?.status === 401
}

function open(url: string, secret: string): Promise<Port> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, [RPC_PROTOCOL, secret])
    let isOpen = false
    socket.addEventListener('close', () => {
      if (!isOpen) reject(new Error('the connection was refused'))
    })
    socket.addEventListener('open', () => {
      isOpen = true
      resolve({
        post: (text) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(text)
        },
        onMessage: (listener) => socket.addEventListener('message', ({ data }) => listener(data)),
        onClose: (listener) => socket.addEventListener('close', () => listener(), { once: true }),
        backlog: () => socket.bufferedAmount,
        onDrain: () => undefined,
        close: () => socket.close(),
      })
    })
  })
}
