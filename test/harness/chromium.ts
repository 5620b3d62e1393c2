import { existsSync } from 'node:fs'
import path from 'node:path'
import { chromium } from 'playwright'
import type { Browser } from 'playwright'

/** `npm test` names the browser it found; by hand, the first Chromium on the path is used. */
export function chromiumPath(): string | undefined {
  const named = process.env['CHROMIUM_PATH']
  if (named !== undefined) return named
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  return folders.map((folder) => path.join(folder, 'chromium')).find((file) => existsSync(file))
}

/** Without its own sandbox as root, where it could not start with it. */
export const CHROMIUM_ARGS = process.getuid?.() === 0 ? ['--no-sandbox'] : []

/** A headless Chromium. */
export function launchChromium(): Promise<Browser> {
  const file = chromiumPath()
  return chromium.launch({ args: CHROMIUM_ARGS, ...(file === undefined ? {} : { executablePath: file }) })
}
