/**
 * What the page may do, the same in the desktop window and in a browser. `style-src` has a nonce because a few
 * libraries add style elements; nothing on the page may turn text into code, frame it, or send it anywhere else.
 */
export interface PageOrigin {
  /** Fresh for each load of the page. */
  readonly nonce: string
  /** Further origins to connect to, next to the page's own: the WebSocket of web mode. */
  readonly connect?: readonly string[]
}

export function contentSecurityPolicy({ nonce, connect = [] }: PageOrigin): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    ['connect-src', "'self'", ...connect].join(' '),
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Headers of every answer, whatever it is. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), ' +
    'microphone=(), midi=(), payment=(), serial=(), usb=(), clipboard-read=(), clipboard-write=(self)',
} as const

/** Where `index.html` takes its nonce, so that the libraries which add style elements can use it. */
const PLACEHOLDER = '__CSP_NONCE__'

export const withNonce = (html: string, nonce: string): string => html.replaceAll(PLACEHOLDER, nonce)
