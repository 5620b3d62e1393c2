import { Dialog } from 'radix-ui'
import type { AppliedChange } from '../../../../core/contract/objects.ts'
import { writeManifest } from '../../../../core/manifest/write.ts'
import dialog from '../../../components/Dialog.module.css'
import { Button } from '../../../components/Button.tsx'
import { Note } from '../../../components/States.tsx'
import { scrollRegion } from '../../../components/classes.ts'
import { DiffView } from '../draft/DiffView.tsx'
import { turnSentence, turnText } from './journal.text.ts'
import dialogs from '../draft/dialogs.module.css'
import styles from './journal.module.css'

export interface TurnRequest {
  readonly way: 'undo' | 'redo'
  readonly changes: readonly AppliedChange[]
  /** Takes over fields of other managers. */
  readonly force: boolean
}

/** Asks before an entry is undone or redone, and shows the change that this makes. */
export function TurnDialog(props: {
  readonly asked: TurnRequest | undefined
  readonly target: string
  readonly onClose: () => void
  readonly onConfirm: (asked: TurnRequest) => void
}) {
  const { asked, onClose } = props
  return (
    <Dialog.Root open={asked !== undefined} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={dialog['veil']} />
        <Dialog.Content className={dialog['dialog']} aria-describedby={undefined}>
          {asked !== undefined && <Content {...props} asked={asked} />}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Content(props: Omit<Parameters<typeof TurnDialog>[0], 'asked'> & { readonly asked: TurnRequest }) {
  const { asked, target, onClose, onConfirm } = props
  const { way, changes, force } = asked
  const verb = `${turnText(way, changes)} on ${target}`
  return (
    <>
      <header className={dialog['head']}>
        <Dialog.Title>{`${verb}?`}</Dialog.Title>
      </header>
      <form
        className={dialogs['form']}
        onSubmit={(event) => {
          event.preventDefault()
          onClose()
          onConfirm(asked)
        }}
      >
        {force && <Note kind="warn">Fields that other managers own are taken over.</Note>}
        <div className={styles['turns']} {...scrollRegion('What changes')}>
          {changes.map((change) => (
            <div key={`${change.kind}/${change.name}`}>
              <h3>
                {change.kind} <b>{change.name}</b> {turnSentence(change, way)}
              </h3>
              <DiffView {...turnedTexts(change, way)} />
            </div>
          ))}
        </div>
        <div className={dialogs['buttons']}>
          <Dialog.Close asChild>
            <Button>Cancel</Button>
          </Dialog.Close>
          <Button primary type="submit">
            {verb}
          </Button>
        </div>
      </form>
    </>
  )
}

function turnedTexts({ kind, from, to }: AppliedChange, way: 'undo' | 'redo') {
  const [first, last] = [from, to].map((object) => (object === null ? '' : writeManifest(kind, object)))
  return way === 'undo' ? { before: last ?? '', after: first ?? '' } : { before: first ?? '', after: last ?? '' }
}
