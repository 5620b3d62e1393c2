// `npm run package`: what a release of this platform consists of, in dist/: the tarball for npm, the command line with a
// Node of its own, the desktop packages, and the sums of all of them. With `-- cli`, all but the desktop packages; with
// `-- tarball`, that for npm alone.
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled, npm, runTool } from './install.mjs'
import { archivePortable, makePortable } from './portable.mjs'
import { root } from './runtime.mjs'

const dist = path.join(root, 'dist')
const RELEASED = /\.(?:tgz|tar\.gz|zip|AppImage|deb|rpm|dmg|exe|json)$/

/**
 * Ends the process if a step failed; the output of the step contains the reason.
 * @param {Promise<number>} step
 */
async function must(step) {
  const code = await step
  if (code !== 0) process.exit(code)
}

/** Sums in the form that `sha256sum --check` reads. */
function writeSums() {
  const lines = readdirSync(dist)
    .filter((name) => RELEASED.test(name))
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(path.join(dist, name)))
          .digest('hex')}  ${name}\n`,
    )
  writeFileSync(path.join(dist, `SHA256SUMS-${process.platform}-${process.arch}`), lines.join(''))
}

await ensureInstalled()
await ensureBuilt()
mkdirSync(dist, { recursive: true })
const { name, version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const release = path.join(dist, `${name}-${version}`)
await must(npm('pack', '--ignore-scripts', '--pack-destination', dist))
if (process.argv.includes('tarball')) process.exit(0)
makePortable(`${release}.tgz`, path.join(dist, 'cli'))
archivePortable(path.join(dist, 'cli'), `${release}-cli-${process.platform}-${process.arch}.tar.gz`)
copyFileSync(path.join(root, 'out', 'sbom.cdx.json'), `${release}-sbom.cdx.json`)
if (!process.argv.includes('cli')) await must(runTool('electron-builder', ['--publish', 'never']))
writeSums()
