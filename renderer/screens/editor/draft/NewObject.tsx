import { format } from '../../../theme/format.ts'
import { useState } from 'react'
import type { TypedObject } from '../../../../core/config/decode.ts'
import { withObjects, emptyObject, PRESETS } from '../../../../core/draft/presets.ts'
import { Dialog } from 'radix-ui'
import dialog from '../../../components/Dialog.module.css'
import { Icon } from '../../../components/Icon.tsx'
import styles from './aside.module.css'
import { Button } from '../../../components/Button.tsx'
import { TextArea } from '../../../components/Field.tsx'
import { Note } from '../../../components/States.tsx'
import type { draftsAsV1 } from '../../../../core/kep/importDraft.ts'
import { importManifests } from '../../../../core/draft/importManifests.ts'
import type { ManifestFile } from '../../../../core/manifest/manifest.ts'
import { say } from '../../../state/shell.ts'
import { changeDraft, draftNow } from '../../../state/draft.ts'
import { select } from './draftObject.ts'

export function NewObject(props: { readonly open: boolean; readonly onOpen: (open: boolean) => void }) {
  const { open, onOpen } = props
  const [pasting, setPasting] = useState(false)
  const begin = (objects: readonly [TypedObject, ...TypedObject[]]): void => {
    onOpen(false)
    const { entries, base } = draftNow()
    if (base === undefined) return
    const begun = withObjects(entries, base.objects, objects)
    changeDraft(() => begun.entries)
    select(begun.opened)
  }
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => {
        setPasting(false)
        onOpen(next)
      }}
    >
      <Dialog.Trigger asChild>
        <Button small aria-keyshortcuts="n">
          New
        </Button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={dialog['veil']} />
        <Dialog.Content className={dialog['dialog']} aria-describedby={undefined}>
          <header className={dialog['head']}>
            <Dialog.Title>{pasting ? 'Paste manifests' : 'New object'}</Dialog.Title>
            <Dialog.Close asChild>
              <Button small className="push">
                Close
              </Button>
            </Dialog.Close>
          </header>
          {pasting ? (
            <PasteForm onDone={() => onOpen(false)} />
          ) : (
            <ul className={styles['choices']}>
              <Choice
                label="Priority level"
                about="Limited, with 64 queues; 10 shares."
                onClick={() => begin([emptyObject('PriorityLevelConfiguration', 'new-level')])}
              />
              <Choice
                label="Flow schema"
                about="For one user, into workload-low; precedence 1000."
                onClick={() => begin([emptyObject('FlowSchema', 'new-schema')])}
              />
              {PRESETS.map(({ id, label, about, objects: [first, ...others] }) =>
                first === undefined ? null : (
                  <Choice key={id} label={label} about={about} onClick={() => begin([first, ...others])} />
                ),
              )}
              <Choice
                label="Paste manifests"
                about="YAML or JSON with one or many objects; v1beta1 to v1beta3 and the draft of KEP-1040 are accepted. Files can be dropped on the list."
                onClick={() => setPasting(true)}
              />
            </ul>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const Choice = (props: { readonly label: string; readonly about: string; readonly onClick: () => void }) => (
  <li>
    <button type="button" onClick={props.onClick}>
      <Icon name="plus" size={13} />
      <b>{props.label}</b>
      <span>{props.about}</span>
    </button>
  </li>
)

function PasteForm({ onDone }: { readonly onDone: () => void }) {
  const [text, setText] = useState('')
  const [refusals, setRefusals] = useState<readonly string[]>([])
  const take = async (): Promise<void> => {
    const { taken, problems } = await takeManifests([{ file: 'pasted', text }])
    if (taken > 0) onDone()
    else setRefusals(problems.length === 0 ? ['This text contains no flow-control object.'] : problems)
  }
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault()
        void take()
      }}
    >
      <TextArea label="YAML or JSON; several documents are several objects" rows={14} value={text} onChange={setText} />
      {refusals.map((sentence) => (
        <Note key={sentence} kind="bad" alert>
          {sentence}
        </Note>
      ))}
      <div className={`${styles['buttons']} flex at-end gap-8`}>
        <Button primary type="submit" disabled={text.trim() === ''}>
          Add to the draft
        </Button>
      </div>
    </form>
  )
}

/** Imports manifests into the draft, reports the result and opens the first. */
export async function takeManifests(given: readonly ManifestFile[]): Promise<{
  readonly taken: number
  readonly problems: readonly string[]
}> {
  const { files, losses, findings: drafted } = await inV1(given)
  const { entries, base } = draftNow()
  if (base === undefined)
    return { taken: 0, problems: ['The objects of the source are still loading. Try again in a moment.'] }
  const imported = importManifests(entries, base.objects, files, base.version)
  const { taken, notes } = imported
  const problems = [...drafted, ...imported.findings].map(
    ({ file, line, message }) => `${file}, line ${line}: ${message}`,
  )
  if (taken === 0) return { taken, problems }
  changeDraft(() => imported.entries)
  const first = imported.entries.find((entry) => !entries.includes(entry))
  if (first !== undefined) select(first)
  const more = [...new Set([...losses, ...notes.map(({ message }) => message)])]
  const count = format.counted(taken, 'object is', 'objects are')
  say([`${count} added to the draft.`, ...more.slice(0, 2), ...problems.slice(0, 1)].join(' '))
  return { taken, problems }
}

/** Only files that may have objects of the draft of KEP-1040 are looked through for them. */
async function inV1(files: readonly ManifestFile[]): Promise<ReturnType<typeof draftsAsV1>> {
  if (!files.some(({ text }) => /requestPriority\b/i.test(text))) return { files, losses: [], findings: [] }
  const { draftsAsV1: convert } = await import('../../../../core/kep/importDraft.ts')
  return convert(files)
}
