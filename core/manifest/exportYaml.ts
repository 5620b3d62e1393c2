import { shownLine } from '../text/controls.ts'
import type { Kind } from '../config/objects.ts'
import { writeManifest, type WritableObject } from './write.ts'

/** One object of a draft: made when `from` is null, deleted when `to` is. */
export interface DraftChange {
  readonly kind: Kind
  readonly name: string
  readonly from: WritableObject | null
  readonly to: WritableObject | null
}

export interface ExportedFile {
  /** Relative, with slashes. */
  readonly path: string
  readonly text: string
}

/** Plural of the kind, as the API has it in its paths. */
export const pluralOf = (kind: Kind): string => `${kind.toLowerCase()}s`

/** Where the object lives when nobody has said it: `flowschemas/NAME.yaml`. */
export const defaultPath = ({ kind, name }: Pick<DraftChange, 'kind' | 'name'>): string =>
  `${pluralOf(kind)}/${encodeURIComponent(name.toWellFormed())}.yaml`

/** What is to be there, as one text for `kubectl apply`; what is to go is a comment with its command. */
export function exportYaml(changes: readonly DraftChange[]): string {
  const gone = changes.filter(({ to }) => to === null)
  const commands = gone.map(({ kind, name }) => `#   kubectl delete ${kind.toLowerCase()} ${shownLine(name)}\n`)
  const head =
    commands.length === 0
      ? ''
      : `# Applying this text deletes nothing. To delete what the draft deletes:\n${commands.join('')}`
  const documents = changes.flatMap(({ kind, to }) => (to === null ? [] : [writeManifest(kind, to)]))
  return [...(head === '' ? [] : [head]), ...documents].join('---\n')
}
