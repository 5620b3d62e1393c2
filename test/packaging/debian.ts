// `npm run package:debian`: a clean Debian in a folder (debootstrap, which needs root, and the network once), and in it what a
// user does: npm installs the tarball, dpkg the package of the desktop, manifests are validated by relative paths, both are
// removed. Electron is a stub. One line an assertion; exit code 1 when one does not hold.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { nodePath } from '../../main/bootstrap/install.mjs'
import { packageApplication } from './package.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const folder = path.join(root, '.cache', 'debian')
const debian = path.join(folder, 'root')
const SUITE = 'bookworm'

const works = (program: string): boolean => spawnSync(program, ['--version']).error === undefined
const lacks = [
  process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'root on Linux',
  ...['debootstrap', 'npm'].map((program) => (works(program) ? undefined : program)),
].find((one) => one !== undefined)
if (lacks !== undefined) {
  process.stdout.write(`skipped: it needs ${lacks}\n`)
  process.exit(0)
}

let failed = 0
function assert(sentence: string, holds: boolean, shown = ''): void {
  if (!holds) failed += 1
  process.stdout.write(
    `${holds ? 'ok    ' : 'FAILED'} ${sentence}${holds || shown === '' ? '' : `: ${shown.slice(0, 1_000)}`}\n`,
  )
}
interface Ran {
  readonly code: number | null
  readonly all: string
}
function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Ran {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...env } })
  return { code: status, all: `${stdout}${stderr}` }
}
/** A line of a shell in that Debian, as its user root in an empty home. */
const inside = (line: string): Ran =>
  run('chroot', [
    debian,
    '/usr/bin/env',
    '-i',
    'HOME=/root',
    'PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    '/bin/sh',
    '-c',
    line,
  ])

/** Every file but those that packages of Debian and tools write for themselves. */
function files(): ReadonlySet<string> {
  const { all } = inside(
    'find / -xdev \\( -path /proc -o -path /sys -o -path /dev -o -path /var/lib/dpkg -o -path /var/log -o -path /var/cache -o -path /tmp -o -path /root/.npm \\) -prune -o -print',
  )
  return new Set(all.split('\n'))
}

const application = packageApplication(root, path.join(folder, 'packages'))
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const packages = path.join(application.application, '..')
const deb = readdirSync(packages).find((name) => name.endsWith('.deb')) ?? ''
if (!existsSync(path.join(debian, 'etc', 'debian_version'))) {
  rmSync(debian, { recursive: true, force: true })
  const made = run('debootstrap', ['--variant=minbase', SUITE, debian])
  if (made.code !== 0) {
    process.stdout.write(`skipped: debootstrap could not make a Debian: ${made.all.trim().split('\n').at(-1) ?? ''}\n`)
    process.exit(0)
  }
}

// Node and npm, as they are unpacked from an archive into /usr/local.
const local = path.join(debian, 'usr', 'local')
mkdirSync(path.join(local, 'lib', 'node_modules'), { recursive: true })
copyFileSync(nodePath(), path.join(local, 'bin', 'node'))
const npm = path.resolve(path.dirname(realpathSync(run('which', ['npm']).all.trim())), '..')
cpSync(npm, path.join(local, 'lib', 'node_modules', 'npm'), { recursive: true })
writeFileSync(
  path.join(local, 'bin', 'npm'),
  '#!/bin/sh\nexec /usr/local/bin/node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"\n',
  { mode: 0o755 },
)
const work = path.join(debian, 'root', 'repository', 'deploy')
mkdirSync(work, { recursive: true })
const manifest = (spec: string): string =>
  `apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: { name: devs }\nspec: ${spec}\n`
writeFileSync(
  path.join(work, 'good.yaml'),
  manifest('{ matchingPrecedence: 700, priorityLevelConfiguration: { name: workload-low } }'),
)
writeFileSync(path.join(work, '..', 'bad.yaml'), manifest('{ matchingPrecedence: "700" }'))
copyFileSync(path.join(root, 'dist', `apf-console-${version}.tgz`), path.join(debian, 'root', 'apf-console.tgz'))
copyFileSync(path.join(packages, deb), path.join(debian, 'root', 'apf-console.deb'))

const before = files()
/** What is there and was not, but for the state folder. */
const left = (): readonly string[] =>
  [...files()].filter(
    (file) =>
      !before.has(file) && !file.startsWith('/root/.local/state/apf-console') && !'/root/.local/state'.startsWith(file),
  )
function uses(name: string): void {
  const printed = inside('kubectl-apf --version')
  assert(`${name}: kubectl-apf runs`, printed.all === `${version}\n`, printed.all)
  const good = inside('cd /root/repository && kubectl-apf validate deploy')
  assert(`${name}: manifests of a folder are validated by relative path`, good.code === 0, good.all)
  const bad = inside('cd /root/repository/deploy && kubectl-apf validate ../bad.yaml')
  assert(`${name}: a fault is named with its place`, bad.code === 1 && bad.all.includes('bad.yaml:4:'), bad.all)
  const demo = inside('kubectl-apf snapshot --demo --compact')
  assert(`${name}: the demo is read`, demo.code === 0 && demo.all.startsWith('{"'), demo.all)
}

const installed = inside('npm install --global --offline --omit=optional --no-audit --no-fund /root/apf-console.tgz')
assert('npm installs the tarball without a network', installed.code === 0, installed.all)
assert(
  'npm: what it installs is seen',
  left().some((file) => file.endsWith('/bin/kubectl-apf')),
)
uses('npm')
assert('npm: the manual page is there', inside('test -e /usr/local/share/man/man1/kubectl-apf.1').code === 0)
const removed = inside('npm uninstall --global apf-console')
assert('npm removes it', removed.code === 0, removed.all)
// npm makes the folders of manual pages, and leaves them.
const ofNpm = left().filter((file) => !'/usr/local/share/man/man1'.startsWith(file))
assert('npm: nothing is left but the state folder', ofNpm.length === 0, ofNpm.join(' '))

// What Electron itself needs of Debian stays away: the stub needs none of it.
const unpacked = inside('dpkg --install --force-depends /root/apf-console.deb')
assert('dpkg installs the package of the desktop', unpacked.code === 0, unpacked.all)
assert('dpkg: what it installs is seen', left().includes('/usr/bin/kubectl-apf'))
uses('dpkg')
assert('dpkg: the desktop entry is there', inside('test -e /usr/share/applications/apf-console.desktop').code === 0)
const purged = inside('dpkg --purge --force-depends apf-console')
assert('dpkg removes it', purged.code === 0, purged.all)
const ofDpkg = left().filter((file) => !ofNpm.includes(file) && !'/usr/local/share/man/man1'.startsWith(file))
assert('dpkg: nothing is left but the state folder', ofDpkg.length === 0, ofDpkg.join(' '))

process.stdout.write(
  failed === 0 ? 'A clean Debian installs, uses and removes it.\n' : `${failed} of the above do not hold.\n`,
)
process.exitCode = failed === 0 ? 0 : 1
