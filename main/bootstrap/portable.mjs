// The command line in one folder with a Node of its own: for kubectl's plugin manager, for machines without npm, and inside
// the desktop packages, whose Electron is no Node (electron-builder.yml, `runAsNode`).
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { nodePath } from './install.mjs'

/**
 * A path in a form that tar accepts on every system: for GNU tar, a colon ends a host name.
 * @param {string} from
 * @param {string} to
 */
const relative = (from, to) => path.relative(from, to).replaceAll('\\', '/')

const COMMANDS = { 'apf-console': 'command.mjs', 'kubectl-apf': 'kubectlApf.mjs' }

/** For a shell: the folder of a program that may be called through a link. */
const HERE = `self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in /*) self=$target ;; *) self=$(dirname "$self")/$target ;; esac
done
here=$(dirname "$self")`

/**
 * @param {string} script
 * @param {string} runtime
 */
const forShell = (script, runtime) =>
  `#!/bin/sh\n${HERE}\nexec "$here/../node/bin/${runtime}" "$here/../lib/main/bootstrap/${script}" "$@"\n`
/**
 * @param {string} script
 * @param {string} runtime
 */
const forWindows = (script, runtime) =>
  `@"%~dp0..\\node\\bin\\${runtime}" "%~dp0..\\lib\\main\\bootstrap\\${script}" %*\r\n`

/**
 * Makes that folder of a packed tarball: `bin` with the commands, `lib` with the package, `node` with the runtime.
 * @param {string} tarball
 * @param {string} folder
 */
export function makePortable(tarball, folder) {
  const bin = path.join(folder, 'bin')
  const lib = path.join(folder, 'lib')
  const node = path.join(folder, 'node')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(bin, { recursive: true })
  mkdirSync(lib)
  mkdirSync(path.join(node, 'bin'), { recursive: true })
  execFileSync('tar', ['-xzf', relative(lib, tarball), '--strip-components=1'], { cwd: lib })
  const runtime = nodePath()
  copyFileSync(runtime, path.join(node, 'bin', path.basename(runtime)))
  copyFileSync(path.join(runtime, '..', '..', 'LICENSE'), path.join(node, 'LICENSE'))
  const windows = process.platform === 'win32'
  for (const [name, script] of Object.entries(COMMANDS)) {
    const file = path.join(bin, windows ? `${name}.cmd` : name)
    writeFileSync(file, (windows ? forWindows : forShell)(script, path.basename(runtime)))
    chmodSync(file, 0o755)
  }
  if (windows) return
  const complete = path.join(bin, 'kubectl_complete-apf')
  cpSync(path.join(lib, 'main', 'bootstrap', 'kubectl_complete-apf'), complete)
  chmodSync(complete, 0o755)
}

/**
 * Packs the folder into an archive whose bytes depend on its files alone, if tar is GNU tar.
 * @param {string} folder
 * @param {string} archive
 */
export function archivePortable(folder, archive) {
  const seconds = process.env['SOURCE_DATE_EPOCH'] ?? '499162500'
  const same = ['--sort=name', `--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=go-w,a+rX']
  const gnu = process.platform === 'linux' ? same : []
  execFileSync('tar', [...gnu, '-czf', relative(folder, archive), '.'], { cwd: folder })
}
