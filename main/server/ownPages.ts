import { randomBytes } from 'node:crypto'
import { SECRET_KEY } from '../../core/contract/webSession.ts'
import type { Answer } from './assets.ts'
import { TOKEN_MINUTES } from './sessions.ts'

/** The pages that the server makes itself. */

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0) ?? 0};`)

/** `{nonce}` in the text becomes the nonce of the only script and style that may apply. */
function page(text: string): Answer {
  const nonce = randomBytes(18).toString('base64url')
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  const head =
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    '<meta name="color-scheme" content="dark light"><link rel="icon" href="data:,"><title>APF Console</title>'
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
    },
    body: Buffer.from(
      `<!doctype html><html lang="en"><head>${head}</head><body>${text.replaceAll('{nonce}', nonce)}\n`,
    ),
  }
}

/**
 * Answers a valid one-time address: stores the secret in the browser and goes on to the page, which takes the address with
 * its token out of the address bar and the tab's history.
 *
 * `localStorage`, because a second tab, or a browser closed and opened again, belongs to the same session.
 */
export const entryPage = (secret: string): Answer =>
  page(
    `<script nonce="{nonce}">localStorage.setItem(${JSON.stringify(SECRET_KEY)}, ${JSON.stringify(secret)})
location.replace('/')</script><noscript>APF Console needs JavaScript.</noscript>`,
  )

const STYLE = `
body { margin: 0; background: #0e1315; color: #b3bdbd; font: 15px/1.5 Inter, 'Segoe UI', 'Noto Sans', system-ui, sans-serif }
main { max-width: 36rem; margin: 18vh auto 0; padding: 0 1.5rem }
h1 { color: #e9ecea; font-size: 20px; font-weight: 600 }
code { font-family: 'JetBrains Mono', 'DejaVu Sans Mono', monospace; color: #e9ecea }
a, b { color: #e9ecea }
@media (prefers-color-scheme: light) {
  body { background: #fff; color: #3f4a4e }
  h1, code, a, b { color: #14191b }
}`

/** Answers a browser without a session. `ways`: how to get a new address, each a clause such as "press Enter". */
export function noSessionPage(ways: readonly string[]): Answer {
  const remedy =
    ways.length === 0
      ? 'Start the console again to get an address.'
      : `To get a new address, ${ways.map(escaped).join(', or ')}.`
  return page(
    `<style nonce="{nonce}">${STYLE}</style><main><h1>This browser has no session</h1>
<p>Each address works once, within ${TOKEN_MINUTES} minutes. It may have been used already, or belong to an earlier run of the
console.</p>
<p><b>${remedy}</b> Then open the address or the file that the console prints.</p>
<p>The browser must allow cookies and site data for 127.0.0.1. If it has a session already, <a href="/">open the
console</a>.</p></main>`,
  )
}
