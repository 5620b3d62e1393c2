// What a release is made of: the packages that the bundler took code from and the runtimes that come with them, as a
// CycloneDX bill of materials, and the licences of the packages as text; runtimes bring theirs. The same build always gives
// the same files.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { RUNTIMES, root } from './runtime.mjs'

const out = path.join(root, 'out')

/**
 * @typedef {{ readonly name: string, readonly version: string, readonly license: string, readonly integrity: string | undefined, readonly texts: readonly string[] }} Part
 * @typedef {{ readonly packages: Readonly<Record<string, { readonly version?: string, readonly license?: string, readonly integrity?: string }>> }} Lock
 */

/** Folders like `node_modules/zod`, as listed by the builds of main process, preload and page (electron.vite.config.ts). */
function bundledFolders() {
  const notes = readdirSync(out).filter((name) => /^packages-[a-z]+\.json$/.test(name))
  /** @type {string[]} */
  const all = notes.flatMap((name) => JSON.parse(readFileSync(path.join(out, name), 'utf8')))
  return [...new Set(all)].sort()
}

/**
 * @param {string} folder
 * @param {Lock} lock
 * @returns {Part}
 */
function partIn(folder, lock) {
  const {
    name,
    version,
    license = 'NOASSERTION',
  } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
  const texts = readdirSync(path.join(root, folder))
    .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
    .sort()
    .map((file) => readFileSync(path.join(root, folder, file), 'utf8').trim())
  return { name, version, license, integrity: lock.packages[folder]?.integrity, texts }
}

/**
 * Electron, in the desktop application, and Node for each system, which npm and the portable archives take.
 * @param {Lock} lock
 */
export function runtimesIn(lock) {
  return ['electron', ...Object.values(RUNTIMES)].map((name) => {
    const found = lock.packages[`node_modules/${name}`]
    if (found?.version === undefined) throw new Error(`package-lock.json has no ${name}`)
    const { version, license = 'MIT', integrity } = found
    return component({ name, version, license, integrity, texts: [] }, 'framework')
  })
}

/**
 * @param {Part} part
 * @param {'library' | 'framework'} [type]
 */
function component({ name, version, license, integrity }, type = 'library') {
  const [, digest] = /^sha512-(.+)$/.exec(integrity ?? '') ?? []
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: [{ expression: license }],
    ...(digest === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
  }
}

/** Writes `out/sbom.cdx.json` and `out/licenses.txt`. */
export function writeBill() {
  /** @param {string} file */
  const read = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'))
  const lock = read('package-lock.json')
  const found = bundledFolders().map((folder) => partIn(folder, lock))
  // The same version may lie in several folders.
  const parts = [...new Map(found.map((part) => [`${part.name}@${part.version}`, part])).values()]
  const { name, version, license } = read('package.json')
  const own = {
    type: 'application',
    'bom-ref': `${name}@${version}`,
    name,
    version,
    licenses: [{ expression: license }],
  }
  const components = [...parts.map((part) => component(part)), ...runtimesIn(lock)]
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: own },
    components,
    dependencies: [{ ref: own['bom-ref'], dependsOn: components.map((part) => part['bom-ref']) }],
  }
  writeFileSync(path.join(out, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`)
  const chapters = parts.map((part) => [`${part.name} ${part.version} (${part.license})`, ...part.texts].join('\n\n'))
  const heading = `Software of others in ${name} ${version}, with its licences`
  writeFileSync(path.join(out, 'licenses.txt'), `${[heading, ...chapters].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}
