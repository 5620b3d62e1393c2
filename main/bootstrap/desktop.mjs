// Whether the desktop window can open here, and if not, why, in a few words that follow "Opening in the browser: ".
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { nodePath } from './install.mjs'
import { root, run } from './runtime.mjs'

const electronFolder = path.join(root, 'node_modules', 'electron')

/** Where the binary is inside Electron's folder, unless path.txt contains another path.
 * @type {Readonly<Partial<Record<NodeJS.Platform, string>>>}
 */
const BINARY = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }

/**
 * Path of the Electron binary, found by checking files: importing `electron` would download it.
 * @param {Readonly<Record<string, string | undefined>>} [env]
 */
export function electronBinary(env = process.env) {
  const named = path.join(electronFolder, 'path.txt')
  const relative = existsSync(named) ? readFileSync(named, 'utf8').trim() : (BINARY[process.platform] ?? 'electron')
  const binary = path.join(env['ELECTRON_OVERRIDE_DIST_PATH'] ?? path.join(electronFolder, 'dist'), relative)
  return existsSync(binary) ? binary : undefined
}

/**
 * What prevents a window, apart from the binary; `undefined` if nothing does.
 * @param {{ platform: string, env: Readonly<Record<string, string | undefined>>, uid: number | undefined }} where
 */
export function windowObstacle({ platform, env, uid }) {
  if (platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return 'there is no display'
  if (platform === 'linux' && uid === 0) return 'the desktop window keeps its sandbox, which root cannot start'
  return undefined
}

/** Searches for the binary and downloads it if it is missing. */
export async function findDesktop() {
  const obstacle = windowObstacle({ platform: process.platform, env: process.env, uid: process.getuid?.() })
  if (obstacle !== undefined) return { reason: obstacle }
  const present = electronBinary()
  if (present !== undefined) return { binary: present }
  process.stderr.write('Fetching Electron (once)\n')
  await run(nodePath(), [path.join(electronFolder, 'install.js')], { stdio: 'ignore' })
  const fetched = electronBinary()
  return fetched === undefined ? { reason: 'Electron could not be fetched from github.com' } : { binary: fetched }
}
