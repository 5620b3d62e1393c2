import { randomBytes } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { ProblemError } from '../../core/errors.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}
const INDEX = '/index.html'
/** Files whose names the build derives from their contents: such a file never changes under its name. */
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/

interface Asset {
  readonly body: Buffer
  readonly type: string
}

/**
 * The files of the built page by URL path. Read once at the start, so that no URL, however crafted, can name any other
 * file.
 */
export type Assets = ReadonlyMap<string, Asset>

async function read(folder: string, address: string, into: Map<string, Asset>): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  await Promise.all(
    entries.map(async (entry) => {
      const file = path.join(folder, entry.name)
      const type = TYPES[path.extname(entry.name)]
      if (entry.isDirectory()) await read(file, `${address}${entry.name}/`, into)
      else if (entry.isFile() && type !== undefined)
        into.set(address + entry.name, { body: await readFile(file), type })
    }),
  )
}

/**
 * `base`: the path of the console, with a slash at both ends, where its page is reached over the network. Throws
 * `not-found` when the page was not built.
 */
export async function loadAssets(root: string, base?: string): Promise<Assets> {
  const assets = new Map<string, Asset>()
  await read(root, '/', assets).catch(() => undefined)
  const index = assets.get(INDEX)
  if (index === undefined) {
    throw new ProblemError('not-found', 'The page of the console is not built: run `npm run build`.', root)
  }
  if (base !== undefined) assets.set(INDEX, { ...index, body: Buffer.from(basedAt(base, index.body.toString())) })
  return assets
}

/** The page names its files relative to itself, which is not enough where its address lacks the slash at the end. */
const basedAt = (base: string, html: string): string =>
  html.replaceAll('="./', `="${base}`).replace(/(?<=name="base-path" content=")[^"]*/, base)

export interface Answer {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * The response for the path of a URL, still encoded; `undefined` when there is none. The page itself gets a new nonce
 * each time, and the browser does not cache it.
 */
export function assetAnswer(assets: Assets, pathname: string, connect: readonly string[] = []): Answer | undefined {
  const asset = assets.get(pathname === '/' ? INDEX : pathname)
  if (asset === undefined) return undefined
  const html = asset.type === TYPES['.html']
  const nonce = randomBytes(18).toString('base64url')
  return {
    headers: {
      'content-type': asset.type,
      'content-security-policy': contentSecurityPolicy({ nonce, connect }),
      'cache-control': html ? 'no-store' : HASHED.test(pathname) ? 'private, max-age=31536000, immutable' : 'no-cache',
    },
    body: html ? Buffer.from(withNonce(asset.body.toString(), nonce)) : asset.body,
  }
}

/**
 * What the page may do, the same in the desktop window and in a browser. `style-src` has a nonce because a few
 * libraries add style elements; nothing on the page may turn text into code, frame it, or send it anywhere else.
 */
interface PageOrigin {
  /** Fresh for each load of the page. */
  readonly nonce: string
  /** Further origins to connect to, in addition to the page's own: the WebSocket of web mode. */
  readonly connect?: readonly string[]
}

function contentSecurityPolicy({ nonce, connect = [] }: PageOrigin): string {
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

/** Headers of every response. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), ' +
    'microphone=(), midi=(), payment=(), serial=(), usb=(), clipboard-read=(), clipboard-write=(self)',
} as const

/** The placeholder for the nonce in `index.html`, so that the libraries which add style elements can use it. */
const PLACEHOLDER = '__CSP_NONCE__'

const withNonce = (html: string, nonce: string): string => html.replaceAll(PLACEHOLDER, nonce)
