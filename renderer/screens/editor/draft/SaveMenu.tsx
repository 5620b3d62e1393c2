import { exportedChanges } from '../../../../core/draft/readEntry.ts'
import { exportDiff, exportKustomize, exportYaml } from '../../../../core/manifest/export.ts'
import { say } from '../../../state/shell.ts'
import { Button } from '../../../components/Button.tsx'
import { download } from '../../../components/csv.ts'
import { Menu } from '../../../components/Menu.tsx'
import type { UnderstoodEntry } from '../../../state/draft.logic.ts'
import { tarOf } from './tar.ts'

/** The draft as files for elsewhere. Objects with errors are left out, and the message says how many. */
export function SaveMenu({ reads }: { readonly reads: readonly UnderstoodEntry[] }) {
  const changes = exportedChanges(reads)
  const left = reads.length - changes.length
  const told = (what: string): void =>
    say(
      left === 0
        ? `${what}.`
        : `${what}; ${left} of ${reads.length} objects are left out because their text has errors.`,
    )
  const save = (name: string, text: string): void => {
    download(name, new Blob([text], { type: 'text/plain;charset=utf-8' }))
    told(`${name} is saved`)
  }
  const entries = [
    { label: 'YAML, for kubectl apply', onSelect: () => save('draft.yaml', exportYaml(changes)) },
    {
      label: 'Kustomize folder',
      onSelect: () => {
        download('draft-kustomize.tar', new Blob([tarOf(exportKustomize(changes))], { type: 'application/x-tar' }))
        told('draft-kustomize.tar is saved')
      },
    },
    { label: 'Diff, for a pull request', onSelect: () => save('draft.patch', exportDiff(changes).text) },
    {
      label: 'Copy YAML',
      onSelect: () =>
        void navigator.clipboard.writeText(exportYaml(changes)).then(
          () => told('The YAML is copied'),
          () => say('The browser does not allow copying here. Save the YAML instead.'),
        ),
    },
  ]
  return (
    <Menu entries={entries}>
      <Button disabled={changes.length === 0}>Save as</Button>
    </Menu>
  )
}
