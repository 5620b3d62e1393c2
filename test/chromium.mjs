// Finds a Chromium for the tests, or installs one: an environment variable, Playwright's own, the system's, Debian's
// package as root, Playwright's download. Plain JavaScript, because it runs before anything is built.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

/** @type {Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>>} */
const SYSTEM = {
  linux: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
    .flatMap((name) => process.env[name] ?? [])
    .map((folder) => path.join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe')),
}

/** @param {string} name */
function onPath(name) {
  if (path.isAbsolute(name)) return existsSync(name) ? name : undefined
  return (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file))
}

function systemChromium() {
  for (const name of SYSTEM[process.platform] ?? []) {
    const found = onPath(name)
    if (found !== undefined) return found
  }
  return undefined
}

async function playwrightChromium() {
  const { chromium } = await import('playwright')
  const file = chromium.executablePath()
  return existsSync(file) ? file : undefined
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function show(command, args) {
  process.stderr.write(`${command} ${args.join(' ')}\n`)
  return (
    spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
      .status === 0
  )
}

/**
 * Returns the path, or one sentence with the remedy.
 * @param {string} playwrightCli
 * @returns {Promise<{ path: string, problem?: undefined } | { problem: string, path?: undefined }>}
 */
export async function findChromium(playwrightCli) {
  const named = process.env['CHROMIUM_PATH']
  if (named !== undefined) {
    return existsSync(named)
      ? { path: named }
      : { problem: `CHROMIUM_PATH names ${named}, which does not exist: correct it or unset it.` }
  }
  const present = (await playwrightChromium()) ?? systemChromium()
  if (present !== undefined) return { path: present }
  process.stderr.write('No Chromium found; installing one\n')
  if (process.platform === 'linux' && process.getuid?.() === 0 && onPath('apt-get') !== undefined) {
    if (
      show('apt-get', ['update', '-qq']) &&
      show('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'])
    ) {
      const installed = systemChromium()
      if (installed !== undefined) return { path: installed }
    }
  }
  if (show(process.execPath, [playwrightCli, 'install', 'chromium'])) {
    const fetched = await playwrightChromium()
    if (fetched !== undefined) return { path: fetched }
  }
  return {
    problem:
      'The browser tests need a Chromium and none could be installed: install Chrome or Chromium and run again, or set CHROMIUM_PATH to one.',
  }
}
