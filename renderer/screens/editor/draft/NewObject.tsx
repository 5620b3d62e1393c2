import { useState } from 'react'
import { withObjects, emptyObject, PRESETS, type PresetObject } from '../../../../core/draft/presets.ts'
import { Dialog } from 'radix-ui'
import dialog from '../../../components/Dialog.module.css'
import { Button } from '../../../components/Button.tsx'
import { Icon } from '../../../components/Icon.tsx'
import { changeDraft, draftNow } from '../../../state/draft.ts'
import { PasteForm } from './PasteForm.tsx'
import { select } from './useSelected.ts'
import styles from './dialogs.module.css'

/** Everything that a draft can begin with: an empty object, a preset, manifests. */
export function NewObject(props: { readonly open: boolean; readonly onOpen: (open: boolean) => void }) {
  const { open, onOpen } = props
  const [pasting, setPasting] = useState(false)
  const begin = (objects: readonly [PresetObject, ...PresetObject[]]): void => {
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
              <Button small className={dialog['close']}>
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
                about="YAML or JSON with one or many objects, also of v1beta1 to v1beta3. Files can be dropped on the list."
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
