// `npm run package:check`: packages the application around a stub of Electron and looks at what came out. One line an
// assertion; exit code 1 when one does not hold.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { readAsar } from './asar.ts'
import { readFuses } from './fuses.ts'
import { packageApplication, packCopy } from './package.ts'

const MOST_BYTES = 16 * 1024 * 1024
/** The required content of electron-builder.yml, duplicated on purpose. */
const FUSES = {
  runAsNode: false,
  enableCookieEncryption: true,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
}
const root = path.resolve(import.meta.dirname, '..', '..')

if (process.platform !== 'linux') {
  process.stdout.write('skipped: the packaging check makes a Linux package and needs Linux\n')
  process.exit(0)
}

let failed = 0
function assert(sentence: string, faults: readonly unknown[]): void {
  if (faults.length > 0) failed += 1
  const shown = faults.length === 0 ? '' : `: ${JSON.stringify(faults.slice(0, 5))}`
  process.stdout.write(`${faults.length === 0 ? 'ok    ' : 'FAILED'} ${sentence}${shown}\n`)
}
/** The faults of a comparison: none, or the pair that differs. */
const differs = (found: unknown, wanted: unknown): unknown[] =>
  JSON.stringify(found) === JSON.stringify(wanted) ? [] : [{ found, wanted }]

const scratch = path.join(root, '.cache', 'packaging')
const { application, system } = packageApplication(root, scratch)
const { desktopName, version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const resources = path.join(application, 'resources')
const files = readAsar(readFileSync(path.join(resources, 'app.asar')))
const paths = files.map((file) => file.path)
const content = (file: string): string => files.find((one) => one.path === file)?.content.toString() ?? ''

assert(
  'the archive holds out/ and package.json, nothing else',
  paths.filter((file) => !file.startsWith('out/') && file !== 'package.json'),
)
assert(
  'no sources, maps, modules, tests or build stamps are in it',
  paths.filter((file) => /\.(map|tsx?|mts|md)$|node_modules|\.test\.|\.sources$/.test(file)),
)
assert(
  'main, preload and page are in it',
  ['out/main/index.js', 'out/preload/index.cjs', 'out/renderer/index.html'].filter((file) => !paths.includes(file)),
)
assert(
  'the entry of package.json exists',
  [JSON.parse(content('package.json')).main].filter((file) => !paths.includes(file)),
)
assert('the package needs nothing installed', Object.keys(JSON.parse(content('package.json')).dependencies ?? {}))
assert(
  'no file names a folder of the machine that built it',
  files.filter((file) => file.content.includes(root)).map((file) => file.path),
)
assert(
  'every file carries its hash for the integrity check',
  files.filter(({ hash }) => hash === undefined).map((file) => file.path),
)
const size = statSync(path.join(resources, 'app.asar')).size
assert(
  `the archive is smaller than ${MOST_BYTES / 1_048_576} MiB (${(size / 1_048_576).toFixed(1)})`,
  size < MOST_BYTES ? [] : [size],
)
assert(
  'the recording of the demo and the scenarios are resources',
  ['demo/recording.ndjson.br', 'scenarios/S1.yaml'].filter((file) => !existsSync(path.join(resources, file))),
)
const commandLine = path.join(resources, 'cli', 'bin', 'kubectl-apf')
const printed = (command: string, ...args: readonly string[]): string =>
  spawnSync(command, args, { cwd: system, encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } }).stdout
assert('the command line runs inside, on a Node of its own', differs(printed(commandLine, '--version'), `${version}\n`))
assert(
  'the licences of bundled software come along',
  existsSync(path.join(resources, 'LICENSES.others.txt')) ? [] : ['LICENSES.others.txt'],
)
assert(
  'the Debian package installs the plugin, manual pages and completions',
  [
    'usr/bin/kubectl-apf',
    'usr/bin/kubectl_complete-apf',
    'usr/share/man/man1/kubectl-apf.1',
    'usr/share/bash-completion/completions/kubectl-apf',
    'usr/share/fish/vendor_completions.d/kubectl-apf.fish',
  ].filter((file) => !existsSync(path.join(system, file))),
)
const copy = path.join(scratch, 'copy')
packCopy(root, copy)
const [first, second] = [root, copy].map((folder) =>
  createHash('sha256')
    .update(readFileSync(path.join(folder, 'dist', `apf-console-${version}.tgz`)))
    .digest('hex'),
)
assert('a second build of the same sources, in another folder, gives the same tarball', differs(second, first))

assert('only English comes along', differs(readdirSync(path.join(application, 'locales')), ['en-US.pak']))

const config = parse(readFileSync(path.join(root, 'electron-builder.yml'), 'utf8'))
const binary = path.join(application, config.linux.executableName)
const fuses = readFuses(readFileSync(binary))
for (const [name, on] of Object.entries(FUSES)) assert(`fuse ${name} is ${on ? 'on' : 'off'}`, differs(fuses[name], on))
assert('the program may be run', (statSync(binary).mode & 0o111) === 0o111 ? [] : [statSync(binary).mode.toString(8)])

const desktopFile = path.join(system, 'usr/share/applications', desktopName)
const desktop = existsSync(desktopFile) ? readFileSync(desktopFile, 'utf8') : ''
const entry = Object.fromEntries(
  desktop
    .split('\n')
    .filter((line) => line.includes('='))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
)
assert('the desktop entry has the name that package.json gives the windows', differs(desktop !== '', true))
assert('it is called APF Console', differs(entry['Name'], config.productName))
assert(
  'it starts the program',
  entry['Exec']?.includes(`/${config.linux.executableName}`) === true ? [] : [entry['Exec']],
)
assert('it opens recordings', [
  ...(entry['MimeType']?.split(';').includes('application/x-apfrec') === true ? [] : [entry['MimeType']]),
  ...(/ %[uUfF]$/.test(entry['Exec'] ?? '') ? [] : [entry['Exec']]),
])
assert(
  'it opens links',
  entry['MimeType']?.split(';').includes('x-scheme-handler/apf-console') === true ? [] : [entry['MimeType']],
)
const types = path.join(system, 'usr/share/mime/packages', `${config.linux.executableName}.xml`)
assert(
  'recordings are known by the ending of their names',
  existsSync(types) && readFileSync(types, 'utf8').includes('pattern="*.apfrec"') ? [] : [types],
)
assert('its windows are told apart by it', differs(`${entry['StartupWMClass']}.desktop`, desktopName))
assert(
  'its icon is installed',
  [512, 256, 48, 16].filter(
    (one) => !existsSync(path.join(system, `usr/share/icons/hicolor/${one}x${one}/apps/${entry['Icon']}.png`)),
  ),
)
const metainfo = path.join(system, 'usr/share/metainfo', `${config.appId}.metainfo.xml`)
assert(
  'the description for software centres names it',
  existsSync(metainfo) && readFileSync(metainfo, 'utf8').includes(desktopName) ? [] : [metainfo],
)
assert('the version is that of package.json', differs(JSON.parse(content('package.json')).version, version))

process.stdout.write(failed === 0 ? 'The package is as it should be.\n' : `${failed} of the above do not hold.\n`)
process.exitCode = failed === 0 ? 0 : 1
