import type { Kind, ObjectSet } from '../config/objects.ts'
import type { LocatedFinding, ManifestFile } from '../manifest/manifest.ts'
import { writeManifests } from '../manifest/write.ts'
import { convertDraft, lossText } from './convertDraft.ts'
import { readDraft } from './readDraft.ts'

export const withKinds = ({ levels, schemas }: ObjectSet) => [
  ...levels.map((object) => ({ kind: 'PriorityLevelConfiguration' as const satisfies Kind, object })),
  ...schemas.map((object) => ({ kind: 'FlowSchema' as const satisfies Kind, object })),
]

/** Files whose objects of the draft of KEP-1040 are replaced by v1 objects, and what is lost with that, in sentences. */
export function draftsAsV1(files: readonly ManifestFile[]): {
  readonly files: readonly ManifestFile[]
  readonly losses: readonly string[]
  readonly findings: readonly LocatedFinding[]
} {
  const read = files.map(({ file, text }) => ({ given: { file, text }, ...readDraft(text, file) }))
  const drafts = read.filter(({ found }) => found)
  const others = read.filter(({ found }) => !found).map(({ given }) => given)
  const { losses, ...objects } = convertDraft({
    levels: drafts.flatMap(({ levels }) => levels),
    schemas: drafts.flatMap(({ schemas }) => schemas),
  })
  const text = writeManifests(withKinds(objects))
  const [first] = drafts
  return {
    files: first === undefined ? others : [...others, { file: first.given.file, text }],
    losses: losses.map(lossText),
    findings: drafts.flatMap(({ findings }) => findings),
  }
}
