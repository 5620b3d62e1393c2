import { withMandatory } from '../../core/config/builtIn.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { applyManifests } from '../../core/impact/applyManifests.ts'
import type { LocatedFinding } from '../../core/manifest/manifest.ts'
import { configurationFrom, fromSource, namesObjects } from './configurationSource.ts'
import type { Console } from './console.ts'
import { isError, readConfiguration, refuseEmpty, tellFindings } from './inputFiles.ts'
import type { ReadFrame } from './snapshot.ts'
import { type Given, type OptionInfo, UsageError } from './usage.ts'

/** Options that name an edit and the objects that it changes. */
export const EDIT_OPTIONS = {
  config: { type: 'string', multiple: true, list: true },
  edit: { type: 'string', multiple: true, list: true },
  whole: { type: 'boolean' },
  patch: { type: 'boolean' },
  'kube-version': { type: 'string' },
} as const satisfies Readonly<Record<string, OptionInfo>>

/** The edit that a command evaluates. */
export interface GivenEdit {
  /** Display name of `before`: `files a.yaml`, `cluster prod-eu-1`, `the built-in objects of v1.37`. */
  readonly name: string
  readonly origin: 'cluster' | 'files'
  readonly before: ObjectSet
  readonly after: ObjectSet
  /** gitVersion whose behaviour applies. */
  readonly version: string
  /** What a server would reject in the edit or in the objects that it changes. */
  readonly errors: readonly LocatedFinding[]
  readonly notes: readonly string[]
}

/** Throws `UsageError` when no edit is given. */
export function checkNamesEdit(given: Given, command: string): void {
  if (given.values('edit').length > 0) return
  throw new UsageError(`${command} needs --edit with the manifests of the edit, or - for standard input.`)
}

/** Information about the server, in addition to the named objects. */
export interface Beside {
  /** The version of the server that is read along with the edit. */
  readonly reported: string | undefined
  /** A source whose own objects are edited unless others are named. */
  readonly source: Pick<ReadFrame, 'frame' | 'objects'> | undefined
}

/** Reads the edit and applies it; without one nothing changes. Rejects with `ProblemError` or `UsageError`. */
export async function editFrom(given: Given, console: Console, beside: Beside): Promise<GivenEdit> {
  const edits = given.values('edit')
  const before = await configurationBefore(given, console, beside)
  const { version, name, objects } = before
  const origin = before.from === 'cluster' ? 'cluster' : 'files'
  if (edits.length === 0) {
    return { name, origin, before: objects, after: objects, version, errors: before.errors, notes: before.notes }
  }
  const edit = await readConfiguration(edits, { version, reading: console })
  refuseEmpty(edit, edits)
  const whole = given.flag('whole')
  const documents = edit.files.flatMap((file) => file.documents)
  const applied = applyManifests(objects, documents, {
    version,
    before: given.flag('patch') ? 'patched' : before.from === 'files' ? 'applied' : 'live',
  })
  return {
    name,
    origin,
    before: objects,
    after: whole ? withMandatory(edit.objects) : applied.objects,
    version,
    errors: [
      ...before.errors,
      ...edit.findings.filter((finding) => isError(finding) && (whole || !applied.supplied.has(finding))),
      ...(whole ? [] : applied.findings),
    ],
    notes: [
      ...before.notes,
      ...edit.notes.flatMap(({ file, line, about, message }) =>
        about === 'text' ? [`${file}:${line}: ${message}`] : [],
      ),
    ],
  }
}

/** The objects of --config, else those of the cluster or the source, else the built-in ones. */
export async function configurationBefore(given: Given, console: Console, { reported, source }: Beside) {
  if (source !== undefined && !namesObjects(given)) return fromSource(given, source)
  const before = await configurationFrom(given, console, reported)
  if (before.from !== 'built-in') return before
  return {
    ...before,
    notes: [`Neither --config nor --kubeconfig is given: the edit is compared with ${before.name}.`],
  }
}

/**
 * Prints what a server would reject, and returns whether there is any: then it keeps the objects that it has, and
 * nothing is computed.
 */
export function rejects(errors: readonly LocatedFinding[], console: Console): boolean {
  if (errors.length === 0) return false
  tellFindings(errors, console)
  console.tell('A server rejects this and keeps the objects that it has, so nothing was computed: correct it first.')
  return true
}
