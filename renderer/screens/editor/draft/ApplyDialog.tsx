import { Dialog } from 'radix-ui'
import { useState, type ReactNode } from 'react'
import { changesBetween, confirmationsFor, type Confirmation } from '../../../../core/guard/changes.ts'
import dialog from '../../../components/Dialog.module.css'
import { Button, Check } from '../../../components/Button.tsx'
import { TextField } from '../../../components/Field.tsx'
import { Note, Sentences } from '../../../components/States.tsx'
import { viewStore } from '../../../state/view.ts'
import { AUTOUPDATE_ANNOTATION } from '../../../../core/config/objects.ts'
import { guardText, type GuardFinding, type ObjectRef } from '../../../../core/guard/finding.ts'
import type { Impact } from './forecast.ts'
import { countOf } from './apply.logic.ts'
import styles from './aside.module.css'
import type { ObjectChange } from '../../../../core/contract/objects.ts'
import type { SeatImpact } from '../../../../core/impact/seatImpact.ts'
import { format } from '../../../theme/format.ts'

/**
 * Asks for confirmation before anything is applied: what, where, the effect, and the names of objects that must not be
 * changed by accident.
 */
export function ApplyDialog(props: {
  readonly open: boolean
  readonly onOpen: (open: boolean) => void
  readonly target: string
  readonly changes: readonly ObjectChange[]
  readonly impact: Impact
  readonly rails: readonly GuardFinding[]
  /** Whether to force fields of other managers. */
  readonly force: boolean
  /** With the built-in objects to keep as edited. */
  readonly onApply: (label: string, keep: readonly ObjectRef[]) => void
}) {
  return (
    <QuestionDialog open={props.open} onClose={() => props.onOpen(false)}>
      <Content {...props} />
    </QuestionDialog>
  )
}

/** A dialog whose content resets each time it opens. */
export function QuestionDialog(props: {
  readonly open: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const { open, onClose, children } = props
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={dialog['veil']} />
        <Dialog.Content className={dialog['dialog']} aria-describedby={undefined}>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** The question in such a dialog, and its two answers: cancel, or the verb of its title. */
export function Question(props: {
  /** `Apply 2 objects to prod-eu-1`. */
  readonly verb: string
  readonly disabled?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ReactNode
  readonly foot?: ReactNode
}) {
  const { verb, disabled = false, onConfirm, onClose, children, foot } = props
  return (
    <>
      <header className={dialog['head']}>
        <Dialog.Title>{`${verb}?`}</Dialog.Title>
      </header>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault()
          if (disabled) return
          onClose()
          onConfirm()
        }}
      >
        {children}
        <div className={`${styles['buttons']} flex at-end gap-8`}>
          <Dialog.Close asChild>
            <Button>Cancel</Button>
          </Dialog.Close>
          <Button primary type="submit" disabled={disabled}>
            {verb}
          </Button>
        </div>
        {foot}
      </form>
    </>
  )
}

function Content(props: Parameters<typeof ApplyDialog>[0]) {
  const { target, changes, impact, rails, force, onApply, onOpen } = props
  const [label, setLabel] = useState('')
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  // From when the dialog opened: the requests of the next second must not change it.
  const [confirmations] = useState(() => confirmationsOf(impact))
  const [isKept, setKept] = useState(true)
  const restored = rails.filter(isRestored)
  const names = restored.flatMap(({ objects }) => objects)
  const warnings = rails.filter((finding) => finding.severity === 'warns' && !(isKept && restored.includes(finding)))
  return (
    <Question
      verb={`Apply ${countOf(changes)} to ${target}`}
      disabled={confirmations.some(({ kind, name }) => typed[`${kind}/${name}`] !== name)}
      onConfirm={() => onApply(label, isKept ? names : [])}
      onClose={() => onOpen(false)}
      foot={<p className="small prose faint">You can undo it in the journal.</p>}
    >
      <ul className="stack gap-4 leading-145">
        {changes.map((change) => (
          <li key={`${change.kind}/${change.name}`}>
            <b className="strong">{change.name}</b>{' '}
            <span className="muted">{changeSentence(change, impact.impact)}</span>
          </li>
        ))}
      </ul>
      {names.length > 0 && (
        <div>
          <Check label="Keep it" checked={isKept} onChange={setKept} />
          <p className="small prose faint">
            {`Sets the annotation ${AUTOUPDATE_ANNOTATION} of ${names.map(({ name }) => name).join(', ')} to "false": the API server then does not restore its built-in spec.`}
          </p>
        </div>
      )}
      {warnings.map((warning) => (
        <Note key={`${warning.code} ${warning.message}`} kind="warn">
          {guardText(warning)}
        </Note>
      ))}
      {force && <Note kind="warn">Forces fields that other managers own.</Note>}
      {confirmations.map(({ kind, name, reasons }) => (
        <div key={`${kind}/${name}`} className={`${styles['confirm']} stack gap-5`}>
          <Sentences of={reasons} />
          <TextField
            label={`Type the name to confirm: ${name}`}
            value={typed[`${kind}/${name}`] ?? ''}
            onChange={(text) => setTyped({ ...typed, [`${kind}/${name}`]: text })}
          />
        </div>
      ))}
      <TextField kind="text" label="Journal label" hint="Optional." maxLength={200} value={label} onChange={setLabel} />
    </Question>
  )
}

/** The API server would restore the object within a minute, unless the same write sets its annotation. */
const isRestored = ({ severity, remedy }: GuardFinding): boolean =>
  severity === 'warns' && remedy?.fix?.action === 'set' && remedy.fix.path.includes(AUTOUPDATE_ANNOTATION)

function confirmationsOf({ before, after, version }: Impact): readonly Confirmation[] {
  const { frame } = viewStore.getState()
  return confirmationsFor(changesBetween(before, after), { version, servers: frame?.servers })
}

/** The effect of one change, in a sentence: with its seats where it has any. */
function changeSentence({ kind, name, object, base }: ObjectChange, { rows }: SeatImpact): string {
  const what = object === null ? 'is deleted' : base === undefined ? 'is created' : 'is changed'
  if (kind === 'FlowSchema') return `${what}.`
  const row = rows.find((one) => one.name === name)
  const [before, after] = [row?.before?.nominal, row?.after?.nominal]
  if (before === undefined && after === undefined) return `${what}.`
  if (before === after) return `${what}; nominal stays ${format.seats(before)} seats.`
  if (before === undefined) return `${what}; nominal ${format.seats(after)} seats.`
  return after === undefined
    ? `${what}; its ${format.seats(before)} seats go to the other levels.`
    : `${what}; nominal ${format.seats(before)} → ${format.seats(after)} seats.`
}
