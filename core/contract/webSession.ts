/** What page and server of web mode agree on about sessions. The session itself is `main/server/sessions.ts`. */

/** Key in the page's `localStorage`; the value is the secret of the session. */
export const SECRET_KEY = 'apf-console.session'
/** The WebSocket's subprotocol. The page offers the secret as a second one, which the server never answers with. */
export const RPC_PROTOCOL = 'apf-console'
export const RPC_PATH = '/rpc'
/** Answers 204 to a page whose cookie and `SECRET_HEADER` are a session; anything else gets the page that says how to open one. */
export const SESSION_PATH = '/session'
export const SECRET_HEADER = 'apf-console-secret'
