import type { ObjectSet } from '../../core/config/objects.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import type { RequestTest } from '../../core/contract/objects.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { applyManifests } from '../../core/impact/applyManifests.ts'
import type { LocatedFinding } from '../../core/manifest/manifest.ts'
import { testsFrom } from './classifyRequests.ts'
import { configurationFrom } from './configurationSource.ts'
import type { Console } from './console.ts'
import { readConfiguration } from './inputFiles.ts'
import { readFrame } from './snapshot.ts'
import { cadenceFrom, sourceFrom } from './sourceOptions.ts'
import { type Given, UsageError } from './usage.ts'

/** The edit that is asked about, and what is known of its server. */
export interface ImpactInput {
  /** What `before` is, for people: `files a.yaml`, `cluster prod-eu-1`, `the built-in objects of v1.37`. */
  readonly name: string
  readonly origin: 'cluster' | 'files'
  readonly before: ObjectSet
  readonly after: ObjectSet
  /** gitVersion whose behaviour applies. */
  readonly version: string
  /** What a server would reject in the edit or in what it changes. */
  readonly errors: readonly LocatedFinding[]
  /** Live servers, by id; empty without a source. */
  readonly servers: readonly ServerFrame[]
  readonly tests: readonly RequestTest[]
  /** Sentences about what could not be read. */
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

const SECONDS = 30

/** `undefined` when the command is to end. Rejects with `ProblemError` or `UsageError`. */
export async function impactInput(given: Given, console: Console): Promise<ImpactInput | undefined> {
  const edits = given.values('edit')
  if (edits.length === 0)
    throw new UsageError('impact needs --edit with the manifests of the edit, or - for standard input.')
  const live = await liveServers(given, console)
  if (live === undefined) return undefined
  const { servers, problems } = live
  const before = await configurationBefore(given, console, servers[0]?.version)
  const { version } = before
  const edit = await readConfiguration(edits, { version, reading: console })
  if (edit.objects.levels.length + edit.objects.schemas.length === 0) {
    throw new ProblemError(
      'not-found',
      edit.findings[0]?.message ?? `${edits.join(', ')} holds no FlowSchema and no PriorityLevelConfiguration.`,
    )
  }
  const whole = given.flag('whole')
  const documents = edit.files.flatMap((file) => file.documents)
  const applied = applyManifests(before.objects, documents, {
    version,
    before: before.from === 'files' ? 'applied' : 'live',
  })
  const table = given.value('test')
  return {
    name: before.name,
    origin: before.from === 'cluster' ? 'cluster' : 'files',
    before: before.objects,
    after: whole ? edit.objects : applied.objects,
    version,
    errors: [
      ...before.errors,
      ...edit.findings.filter(({ severity }) => severity === 'error'),
      ...(whole ? [] : applied.findings),
    ],
    servers,
    tests: table === undefined ? [] : await testsFrom(table, console),
    problems,
    notes: before.notes,
  }
}

/** The objects of --config, else those of the cluster, else the built-in ones. */
async function configurationBefore(given: Given, console: Console, reported: string | undefined) {
  const before = await configurationFrom(given, console, reported)
  if (before.from !== 'built-in') return before
  return {
    ...before,
    notes: [`Neither --config nor --kubeconfig is given: the edit is compared with ${before.name}.`],
  }
}

/** Demand is read where a source is given; that none can be read is told and does not end the command. */
async function liveServers(
  given: Given,
  console: Console,
): Promise<Pick<ImpactInput, 'servers' | 'problems'> | undefined> {
  const spec = await sourceFrom(given, false, console)
  if (spec === undefined) return { servers: [], problems: [] }
  const read = await readFrame(console, spec, cadenceFrom(given, false), SECONDS)
  return read && { servers: read.frame?.servers ?? [], problems: read.findings }
}
