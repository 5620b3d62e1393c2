import { exportedChanges } from '../../../../core/draft/readEntry.ts'
import {
  exportDiff,
  exportHelm,
  exportKustomize,
  exportYaml,
  type ExportedFile,
} from '../../../../core/manifest/export.ts'
import { say } from '../../../state/shell.ts'
import { Button } from '../../../components/Button.tsx'
import { download } from '../../../components/csv.ts'
import { Menu } from '../../../components/Menu.tsx'
import type { UnderstoodEntry } from '../../../state/draft.logic.ts'

/** The draft as files for use elsewhere. Objects with errors are left out, and the message states how many. */
export function SaveMenu({ reads }: { readonly reads: readonly UnderstoodEntry[] }) {
  const changes = exportedChanges(reads)
  const left = reads.length - changes.length
  const announce = (what: string): void =>
    say(
      left === 0
        ? `${what}.`
        : `${what}; ${left} of ${reads.length} objects are left out because their text has errors.`,
    )
  const save = (name: string, text: string): void => {
    download(name, new Blob([text], { type: 'text/plain;charset=utf-8' }))
    announce(`Saved ${name}`)
  }
  const saveFolder = (name: string, files: readonly ExportedFile[]): void => {
    download(name, new Blob([tarOf(files)], { type: 'application/x-tar' }))
    announce(`Saved ${name}`)
  }
  const entries = [
    { label: 'YAML, for kubectl apply', onSelect: () => save('draft.yaml', exportYaml(changes)) },
    { label: 'Kustomize folder', onSelect: () => saveFolder('draft-kustomize.tar', exportKustomize(changes)) },
    { label: 'Helm chart', onSelect: () => saveFolder('draft-helm.tar', exportHelm(changes)) },
    { label: 'Diff, for a pull request', onSelect: () => save('draft.patch', exportDiff(changes)) },
    {
      label: 'Copy YAML',
      onSelect: () =>
        void navigator.clipboard.writeText(exportYaml(changes)).then(
          () => announce('Copied the YAML'),
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

const BLOCK = 512

/** Files as one tar archive (POSIX ustar), so that a folder is one download. Paths are at most 100 bytes. */
export function tarOf(files: readonly ExportedFile[]): Uint8Array<ArrayBuffer> {
  const parts = files.flatMap(({ path, text }) => {
    const content = new TextEncoder().encode(text)
    const padded = new Uint8Array(Math.ceil(content.length / BLOCK) * BLOCK)
    padded.set(content)
    return [header(path, content.length), padded]
  })
  // Two empty blocks end an archive.
  const all = [...parts, new Uint8Array(2 * BLOCK)]
  const archive = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of all) {
    archive.set(part, at)
    at += part.length
  }
  return archive
}

const CHECKSUM = { from: 148, length: 8 }

function header(path: string, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK)
  const put = (text: string, at: number): void => block.set(new TextEncoder().encode(text), at)
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  put(path, 0)
  put(octal(0o644, 7), 100)
  put(octal(0, 7), 108)
  put(octal(0, 7), 116)
  put(octal(size, 11), 124)
  put(octal(0, 11), 136)
  put(' '.repeat(CHECKSUM.length), CHECKSUM.from)
  put('0', 156)
  put('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(`${octal(sum, 6)} `, CHECKSUM.from)
  return block
}
