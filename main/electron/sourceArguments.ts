import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { CadenceSchema, type Cadence, type SourceSpec } from '../../core/contract/source.ts'
import { nearest } from '../../core/text/text.ts'
import type { Reading } from '../cli/inputFiles.ts'
import type { Shelf } from '../cli/recordingOptions.ts'
import { cadenceFrom, simulationFrom, SOURCE_OPTIONS, sourceFrom } from '../cli/sourceOptions.ts'
import { readOptions, UsageError, type OptionInfo } from '../cli/usage.ts'
import { systemEnvironment } from '../ports/environment.ts'
import { isLink, parseLink } from './link.ts'

/** What to open: a source, and how often it is read. */
export interface Opening {
  readonly spec: SourceSpec
  readonly cadence: Cadence
}

/** A window has no standard input and no place for progress yet, and reads files to their end. */
const readingIn = (stateDir: string): Reading & Shelf => ({
  readStdin: () => Promise.reject(new UsageError('The desktop application has no standard input.')),
  signal: new AbortController().signal,
  stateDir,
  environment: systemEnvironment,
  tell: () => undefined,
})
const KNOWN: Readonly<Record<string, OptionInfo>> = SOURCE_OPTIONS
const NAMES = Object.keys(KNOWN)
const PATHS: ReadonlySet<string> = new Set([
  'kubeconfig',
  'token-file',
  'password-file',
  'client-certificate',
  'client-key',
  'certificate-authority',
])
const WEB_ONLY: ReadonlySet<string> = new Set(['port', 'open', 'serve-simulation', 'metrics-port'])

/** The arguments of the application, without the executable and, in a checkout, the folder of the application. */
export const argumentsOf = (argv: readonly string[], packaged: boolean): readonly string[] =>
  argv.slice(packaged ? 1 : 2)

/**
 * The source that the arguments name, with the same options as in web mode; `undefined` when they name none. A path
 * alone is a file or folder to open. Switches of Chromium are ignored, and everything that comes with a link. Throws
 * `UsageError` or `ProblemError`.
 */
export async function openingOf(
  given: readonly string[],
  { cwd, stateDir }: { readonly cwd: string; readonly stateDir: string },
): Promise<Opening | undefined> {
  if (given.some(isLink)) return undefined
  const options = readOptions(ownArguments(given), KNOWN, 'files')
  const files = [...options.values('file'), ...options.operands.map(pathIn)].map((file) => path.resolve(cwd, file))
  const absolute = {
    ...options,
    value: (name: string) => resolved(name, options.value(name), cwd),
    values: (name: string) => (name === 'file' ? files : options.values(name)),
  }
  const spec = await sourceFrom(absolute, true, readingIn(stateDir))
  return spec && { spec, cadence: cadenceFrom(absolute, true) }
}

/**
 * The address in the page of a link among the arguments; `undefined` when there is none. Throws `UsageError`, also when
 * options of ours come with the link: a link that a browser quoted badly must not smuggle options in.
 */
export function addressIn(given: readonly string[]): string | undefined {
  if (!given.some(isLink)) return undefined
  const [link, ...more] = ownArguments(given)
  if (link === undefined || more.length > 0) throw new UsageError('Open a link without options and files.')
  const parsed = parseLink(link)
  if (!parsed.ok) throw new UsageError(parsed.why)
  return parsed.address
}

/** A simulation, so that live data is shown from the start. */
export const usualOpening = (): Opening => ({
  spec: simulationFrom(readOptions([], KNOWN)),
  cadence: CadenceSchema.parse({}),
})

/** Linux desktops pass the opened file as a URL. */
const pathIn = (operand: string): string =>
  URL.parse(operand)?.protocol === 'file:' ? fileURLToPath(operand) : operand

const resolved = (name: string, value: string | undefined, cwd: string): string | undefined =>
  PATHS.has(name) && value !== undefined ? path.resolve(cwd, value) : value

/** The arguments without those of Chromium. A possible misspelling of our options stays, so that it is reported. */
function ownArguments(given: readonly string[]): readonly string[] {
  return given.filter((argument) => {
    const [, name] = /^--([a-z-]+)/.exec(argument) ?? []
    if (name === undefined) return !/^-[a-zA-Z]/.test(argument)
    if (WEB_ONLY.has(name)) throw new UsageError(`--${name} belongs to the web mode: npm start -- --web --${name}.`)
    return Object.hasOwn(KNOWN, name) || nearest(name, NAMES) !== undefined
  })
}
