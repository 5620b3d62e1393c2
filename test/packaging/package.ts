import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { makeStubElectron } from './stub.ts'

export interface Packaged {
  /** The unpacked application. */
  readonly application: string
  /** What the Debian package would install beside it, under its absolute paths. */
  readonly system: string
}

const require = createRequire(import.meta.url)

function run(tool: string, args: readonly string[], root: string, env: Record<string, string> = {}): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [require.resolve(tool), ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  if (status !== 0) throw new Error(`${tool} failed\n${stdout}${stderr}`)
}

/** Builds and packages the application for Linux into `folder`, without a network and without Electron. */
export function packageApplication(root: string, folder: string): Packaged {
  rmSync(folder, { recursive: true, force: true })
  const [stub, dist, system] = ['stub', 'dist', 'system'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(system, { recursive: true })
  makeStubElectron(stub, root)
  packCommandLine(root)
  const config = [`-c.electronDist=${stub}`, `-c.directories.output=${dist}`]
  run('electron-builder/cli.js', ['--linux', 'dir', 'deb', '--x64', '--publish', 'never', ...config], root, {
    CUSTOM_FPM_PATH: path.join(import.meta.dirname, 'capture-fpm.mjs'),
    APF_CAPTURE: system,
    // Looked up, but not used by either target.
    ELECTRON_BUILDER_7ZIP_PATH: '/bin/true',
  })
  return { application: path.join(dist, 'linux-unpacked'), system: path.join(system, 'root') }
}

/**
 * Builds what is stale, and packs the command line into `dist/`: the tarball, and the folder that the application
 * takes.
 */
export function packCommandLine(root: string): void {
  run(path.join(root, 'main', 'bootstrap', 'package.mjs'), ['cli'], root)
}

/** Folders that are no sources. */
const NOT_COPIED = new Set(['.cache', '.git', 'dist', 'node_modules', 'out', 'test-results'])

/** Builds a copy of the sources in `folder`, as `out/` is in use by other tests, and packs the tarball for npm there. */
export function packCopy(root: string, folder: string): void {
  for (const name of readdirSync(root).filter((one) => !NOT_COPIED.has(one))) {
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  }
  // Hard links: through a symbolic one the bundler finds packages outside the folder, and names chunks otherwise.
  execFileSync('cp', ['-al', 'node_modules', folder], { cwd: root })
  run(path.join(folder, 'main', 'bootstrap', 'package.mjs'), ['tarball'], folder)
}
