import { isMandatory } from '../../core/config/builtIn.ts'
import { CONVERTED } from '../../core/config/checkObject.ts'
import { EXAMPLES } from '../../core/kep/examples.ts'
import { convertDraft, lossText } from '../../core/kep/convertDraft.ts'
import { withDefaults, withKinds } from '../../core/kep/importDraft.ts'
import { type LocatedFinding, type ManifestDocument, objectsOf } from '../../core/manifest/manifest.ts'
import { readManifests } from '../../core/manifest/read.ts'
import { cleanManifest, writeManifests } from '../../core/manifest/write.ts'
import type { Console, ExitCode } from './console.ts'
import { draftFrom, tellDraftFindings } from './draftObjects.ts'
import { switches, texts } from './options.ts'
import { type Command, type Given, readChoice, UsageError } from './usage.ts'
import { versionFrom } from './validate.ts'

/** Converts objects of the draft of KEP-1040, of v1alpha1 and of beta versions to v1. */
export const convert: Command = {
  options: { ...texts('kube-version', 'example'), ...switches('defaults'), output: { type: 'string', short: 'o' } },
  operands: 'files',
  run: runConvert,
}

const OUTPUTS = ['yaml', 'json'] as const
const EXAMPLE_NAMES = ['kep-draft', 'kep-exempt', '1.18'] as const satisfies readonly (keyof typeof EXAMPLES)[]

async function runConvert(given: Given, console: Console): Promise<ExitCode> {
  const output = readChoice(given, 'output', OUTPUTS) ?? 'yaml'
  const version = versionFrom(given)
  const example = readChoice(given, 'example', EXAMPLE_NAMES)
  if (example !== undefined) {
    if (given.operands.length > 0) throw new UsageError('--example prints a text to convert; leave out the files.')
    console.printText(EXAMPLES[example])
    return 0
  }
  if (given.operands.length === 0) throw new UsageError('convert needs files or folders, or - for standard input.')
  const { others, findings, ...draft } = await draftFrom(given.operands, console)
  const manifests = others.map(({ text, file }) => readManifests(text, { file, version }))
  const converted = convertDraft(given.flag('defaults') ? withDefaults(draft) : draft)
  const fixed = new Set(manifests.flatMap(({ documents }) => documents.filter(isFixedNow)))
  const objects = [
    converted,
    ...manifests.map(({ documents }) => objectsOf(documents.filter((one) => !fixed.has(one)))),
  ]
  const excused = new Set([...fixed].flatMap((one) => one.findings))
  for (const { file, name } of fixed)
    console.tell(`${file}: note: Servers keep the built-in spec of ${name}: left out.`)
  for (const { file, line, column, message } of manifests.flatMap(({ notes }) => notes)) {
    console.tell(`${file}:${line}:${column}: note: ${message}`)
  }
  const failed = tellDraftFindings(
    [...findings, ...manifests.flatMap((one) => one.findings).filter((one) => isOurs(one) && !excused.has(one))],
    console,
  )
  if (failed) return 1
  const written = objects.flatMap(withKinds)
  if (written.length === 0) throw new UsageError('The files hold no flow-control objects.')
  if (output === 'yaml') for (const loss of converted.losses) console.tell(lossText(loss))
  if (output === 'yaml') console.printText(writeManifests(written))
  else {
    const manifestsOf = written.map(({ kind, object }) => cleanManifest(kind, object))
    console.printJson({ objects: manifestsOf, losses: converted.losses }, 2)
  }
  return 0
}

/** The finding that an earlier version is not served is expected: it is why the file is converted. */
const isOurs = ({ field, message }: LocatedFinding): boolean =>
  field !== 'apiVersion' || !CONVERTED.some((version) => message.includes(version))

/** An object of an earlier version, other than the mandatory one of its name, which was not fixed there. */
const isFixedNow = ({ kind, name, findings }: ManifestDocument): boolean =>
  kind !== '' && isMandatory(kind, name) && findings.some(isOurs) && !findings.every(isOurs)
