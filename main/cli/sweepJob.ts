import { stringify } from 'yaml'
import { basename, dirname, join } from 'node:path'
import { ProblemError } from '../../core/errors.ts'
import { readSweep } from '../../core/sweep/read.ts'
import { containerfile, type JobFile, sweepJob } from '../../core/sweep/job.ts'
import { scenarioNames } from '../files/scenarioLibrary.ts'
import type { Console, ExitCode } from './console.ts'
import { oneText, readTexts } from './inputFiles.ts'
import { sweepFrom } from './sweepFiles.ts'
import { type Given, UsageError } from './usage.ts'

/** A ConfigMap holds at most 1 MiB. */
const MOST_BYTES = 1_000_000

const YAML = { aliasDuplicateObjects: false, blockQuote: 'literal' } as const

/** Prints the manifests that run a sweep as an Indexed Job, or with `--containerfile` how its image is built. */
export async function printJob(
  file: string,
  shards: number | undefined,
  given: Given,
  console: Console,
): Promise<ExitCode> {
  if (given.flag('containerfile')) {
    console.printText(containerfile(console.version))
    return 0
  }
  const image = given.value('image')
  if (image === undefined || shards === undefined) {
    throw new UsageError('sweep job needs --image NAME and --shards N; --containerfile prints how to build the image.')
  }
  if (file === '-') throw new UsageError('sweep job needs a file: the scenario is read from the same folder.')
  const { plan } = await sweepFrom(file, console)
  const manifests = sweepJob({
    name: plan.name,
    image,
    shards,
    claim: given.value('claim'),
    namespace: given.value('namespace'),
    sweepFile: basename(file),
    files: await filesOf(file, console),
  })
  console.printText(manifests.map((one) => stringify(one, YAML).trimEnd()).join('\n---\n'))
  return 0
}

/** The sweep and the files that it names, by their base names. */
async function filesOf(file: string, console: Console): Promise<readonly JobFile[]> {
  const read = await oneText(file, console, 'a sweep file')
  const { base } = readSweep(read.text, read.file).value ?? {}
  const library = await scenarioNames(console.scenarioFolder)
  const named = base?.kind === 'requests' ? base.files : [base?.scenario ?? '']
  const beside = named.filter((one) => !library.includes(one))
  const nested = beside.find((one) => basename(one) !== one)
  if (nested !== undefined) {
    throw new ProblemError('invalid-input', `A Job needs its files in one folder: put ${nested} next to ${file}.`)
  }
  const texts = await readTexts(
    beside.map((one) => join(dirname(file), one)),
    console,
  )
  const files = [
    { name: basename(file), text: read.text },
    ...texts.map(({ text }, index) => ({ name: beside[index] ?? '', text })),
  ]
  const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  if (bytes > MOST_BYTES) {
    const mend = 'Put the recording into the image, or sweep a scenario.'
    throw new ProblemError(
      'too-large',
      `The files have ${bytes} bytes, and a ConfigMap holds at most ${MOST_BYTES}. ${mend}`,
    )
  }
  return files
}
