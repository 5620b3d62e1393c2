import { importManifests, type ManifestFile } from '../../../../core/draft/importManifests.ts'
import { say } from '../../../state/shell.ts'
import { changeDraft, draftNow } from '../../../state/draft.ts'
import { select } from './useSelected.ts'

/** Takes manifests over into the draft, says what became of them and opens the first. */
export function takeManifests(files: readonly ManifestFile[]): {
  readonly taken: number
  readonly problems: readonly string[]
} {
  const { entries, base } = draftNow()
  if (base === undefined)
    return { taken: 0, problems: ['The objects of the source are still loading. Try again in a moment.'] }
  const imported = importManifests(entries, base.objects, files, base.version)
  const { taken, notes, findings } = imported
  const problems = findings.map(({ file, line, message }) => `${file}, line ${line}: ${message}`)
  if (taken === 0) return { taken, problems }
  changeDraft(() => imported.entries)
  const first = imported.entries.find((entry) => !entries.includes(entry))
  if (first !== undefined) select(first)
  const more = [...new Set(notes.map(({ message }) => message))]
  const count = taken === 1 ? '1 object is' : `${taken} objects are`
  say([`${count} added to the draft.`, ...more.slice(0, 2), ...problems.slice(0, 1)].join(' '))
  return { taken, problems }
}
