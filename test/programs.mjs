// Installs the programs that tests use and that are missing: Debian's packages, with one call of apt-get as root.
// Elsewhere one line says how. Plain JavaScript, because it runs before anything is built.
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { hasChromium, onPath, show } from './chromium.mjs'

/**
 * Debian's package of each program whose tests are skipped where it is missing.
 * @type {Readonly<Record<string, string>>}
 */
export const PACKAGES = {
  prometheus: 'prometheus',
  promtool: 'prometheus',
  amtool: 'prometheus-alertmanager',
  fish: 'fish',
  zsh: 'zsh',
}
/** Of those, the ones that run as a service once they are installed, on ports that this machine may use otherwise. */
const SERVICES = ['prometheus', 'prometheus-alertmanager']
/** Asked before a service is started. */
const POLICY = '/usr/sbin/policy-rc.d'

/** Installs what is missing, Chromium included. Never fails: what cannot be installed is skipped, with its reason. */
export async function installPrograms() {
  if (process.platform === 'win32') return
  const missing = Object.keys(PACKAGES).filter((program) => onPath(program) === undefined)
  const packages = new Set(missing.map((program) => PACKAGES[program] ?? program))
  if (!(await hasChromium()) && process.platform === 'linux') packages.add('chromium')
  if (packages.size === 0) return
  const isPossible = process.getuid?.() === 0 && onPath('apt-get') !== undefined
  if ((isPossible && withoutServices([...packages])) || missing.length === 0) return
  const how = isPossible ? 'apt-get could not install them' : 'on Debian, root’s `npm test` installs them'
  process.stderr.write(`Tests that need ${missing.join(', ')} are skipped: ${how}.\n`)
}

/** @param {readonly string[]} packages */
function withoutServices(packages) {
  const started = () => undefined
  // Ctrl+C ends apt-get, and must not leave the policy behind.
  process.on('SIGINT', started)
  const refuses = refuseServices()
  try {
    return (
      show('apt-get', ['update', '-qq']) &&
      show('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages])
    )
  } finally {
    if (refuses) rmSync(POLICY, { force: true })
    process.off('SIGINT', started)
    // Nor when the machine starts again.
    const installed = packages.filter((name) => SERVICES.includes(name))
    if (installed.length > 0 && onPath('systemctl') !== undefined) {
      spawnSync('systemctl', ['disable', '--quiet', ...installed], { stdio: 'ignore' })
    }
  }
}

/** Returns whether a policy was written; one that the machine has stays in force. */
function refuseServices() {
  try {
    writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { flag: 'wx', mode: 0o755 })
    return true
  } catch {
    return false
  }
}
