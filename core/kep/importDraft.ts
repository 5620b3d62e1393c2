import type { Kind, ObjectSet } from '../config/objects.ts'
import type { LocatedFinding, ManifestFile } from '../manifest/manifest.ts'
import { writeManifests } from '../manifest/write.ts'
import { convertDraft, lossText } from './convertDraft.ts'
import type { DraftFlowSchema, DraftSet } from './draftObjects.ts'
import { EXAMPLES } from './examples.ts'
import { readDraft } from './readDraft.ts'

export const withKinds = ({ levels, schemas }: ObjectSet) => [
  ...levels.map((object) => ({ kind: 'PriorityLevelConfiguration' as const satisfies Kind, object })),
  ...schemas.map((object) => ({ kind: 'FlowSchema' as const satisfies Kind, object })),
]

/** Objects of the draft of KEP-1040 from several files; `others`: files that contain none. */
export interface GivenDraft<F extends ManifestFile> extends DraftSet {
  readonly findings: readonly LocatedFinding[]
  readonly others: readonly F[]
}

export function readDrafts<F extends ManifestFile>(files: readonly F[]): GivenDraft<F> {
  const read = files.map((given) => ({ given, ...readDraft(given.text, given.file) }))
  const found = read.filter((one) => one.found)
  return {
    levels: found.flatMap(({ levels }) => levels),
    schemas: found.flatMap(({ schemas }) => schemas),
    findings: found.flatMap(({ findings }) => findings),
    others: read.filter((one) => !one.found).map(({ given }) => given),
  }
}

/** Files whose objects of the draft of KEP-1040 are replaced by v1 objects, and what is lost with that, in sentences. */
export function draftsAsV1(files: readonly ManifestFile[]): {
  readonly files: readonly ManifestFile[]
  readonly losses: readonly string[]
  readonly findings: readonly LocatedFinding[]
} {
  const { others, findings, ...draft } = readDrafts(files)
  const { losses, ...objects } = convertDraft(draft)
  const text = writeManifests(withKinds(objects))
  const first = files.find((one) => !others.includes(one))
  return {
    files: first === undefined ? others : [...others, { file: first.file, text }],
    losses: losses.map(lossText),
    findings,
  }
}

/**
 * With the objects that the draft's server creates (KEP-1040, Default Behavior): its example levels while none is
 * exempt, and its example schemas while none refers to an exempt level, except those whose names are in use.
 */
export function withDefaults(set: DraftSet): DraftSet {
  const examples = readDraft(EXAMPLES['kep-draft'], '')
  const missing = <T extends { readonly name: string }>(own: readonly T[], given: readonly T[]): readonly T[] =>
    given.filter(({ name }) => !own.some((one) => one.name === name))
  const levels = [
    ...set.levels,
    ...(set.levels.some(({ exempt }) => exempt) ? [] : missing(set.levels, examples.levels)),
  ]
  const isExempt = ({ level }: DraftFlowSchema): boolean => levels.some(({ name, exempt }) => name === level && exempt)
  return {
    levels,
    schemas: [...set.schemas, ...(set.schemas.some(isExempt) ? [] : missing(set.schemas, examples.schemas))],
  }
}
