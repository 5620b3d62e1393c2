// Finds a Chromium for the tests, or downloads one: an environment variable, Playwright's own, the system's (on Debian
// programs.mjs has installed it), Playwright's download. Plain JavaScript, because it runs before anything is built.
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
export function onPath(name) {
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
export function show(command, args) {
  process.stderr.write(`${command} ${args.join(' ')}\n`)
  return (
    spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
      .status === 0
  )
}

/** Whether `findChromium` needs no download. */
export async function hasChromium() {
  return process.env['CHROMIUM_PATH'] !== undefined || ((await playwrightChromium()) ?? systemChromium()) !== undefined
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
  process.stderr.write('No Chromium found; downloading one\n')
  if (show(process.execPath, [playwrightCli, 'install', 'chromium'])) {
    const fetched = await playwrightChromium()
    if (fetched !== undefined) return { path: fetched }
  }
  return {
    problem:
      'The browser tests need a Chromium and none could be installed: install Chrome or Chromium and run again, or set CHROMIUM_PATH to one.',
  }
}
