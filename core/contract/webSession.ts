/** Constants of web mode's sessions shared by page and server. The session itself is `main/server/sessions.ts`. */

/** Key in the page's `localStorage`; the value is the secret of the session. */
export const SECRET_KEY = 'apf-console.session'
/** The same for a console at another path than `/`: consoles at several paths of one host share its storage. */
export const secretKey = (base: string): string => (base === '/' ? SECRET_KEY : SECRET_KEY + base)
/** Name of the `meta` element of the page with the path of the console, with a slash at both ends. */
export const BASE_PATH = 'base-path'
/** The WebSocket's subprotocol. The page offers the secret as a second one, which the server never returns. */
export const RPC_PROTOCOL = 'apf-console'
export const RPC_PATH = '/rpc'
/**
 * Responds 204 to a page whose cookie and `SECRET_HEADER` are a session; any other request gets the page that explains
 * how to open one.
 */
export const SESSION_PATH = '/session'
export const SECRET_HEADER = 'apf-console-secret'
