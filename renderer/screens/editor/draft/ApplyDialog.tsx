import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { changesBetween } from '../../../../core/guard/changes.ts'
import { confirmationsFor, type Confirmation } from '../../../../core/guard/confirmations.ts'
import dialog from '../../../components/Dialog.module.css'
import { Button } from '../../../components/Button.tsx'
import { Field, inputClass, monoInputClass } from '../../../components/Field.tsx'
import { Note } from '../../../components/Note.tsx'
import { viewStore } from '../../../state/view.ts'
import type { GuardFinding } from '../../../../core/guard/finding.ts'
import type { Impact } from './forecast.ts'
import styles from './aside.module.css'
import type { ObjectChange } from '../../../../core/contract/objects.ts'
import type { SeatImpact } from '../../../../core/impact/seatImpact.ts'
import { format } from '../../../theme/format.ts'

/** Asks before anything is applied: what, where, what it does, and the names of what must not be changed by accident. */
export function ApplyDialog(props: {
  readonly open: boolean
  readonly onOpen: (open: boolean) => void
  readonly target: string
  readonly changes: readonly ObjectChange[]
  readonly impact: Impact
  readonly rails: readonly GuardFinding[]
  /** Whether fields of other managers are taken over. */
  readonly force: boolean
  readonly onApply: (label: string) => void
}) {
  const { open, onOpen } = props
  return (
    <Dialog.Root open={open} onOpenChange={onOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className={dialog['veil']} />
        <Dialog.Content className={dialog['dialog']} aria-describedby={undefined}>
          <Content {...props} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Content(props: Parameters<typeof ApplyDialog>[0]) {
  const { target, changes, impact, rails, force, onApply, onOpen } = props
  const [label, setLabel] = useState('')
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  // What it was when the dialog opened: the requests of the next second must not move it.
  const [confirmations] = useState(() => confirmationsOf(impact))
  const missing = confirmations.some(({ kind, name }) => typed[`${kind}/${name}`] !== name)
  const warnings = rails.filter(({ severity }) => severity === 'warns')
  const verb = `Apply ${countOf(changes)} to ${target}`
  return (
    <>
      <header className={dialog['head']}>
        <Dialog.Title>{`${verb}?`}</Dialog.Title>
      </header>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault()
          if (missing) return
          onOpen(false)
          onApply(label)
        }}
      >
        <ul className={styles['changes']}>
          {changes.map((change) => (
            <li key={`${change.kind}/${change.name}`}>
              <b>{change.name}</b> <span>{changeSentence(change, impact.impact)}</span>
            </li>
          ))}
        </ul>
        {warnings.map(({ code, message }) => (
          <Note key={`${code} ${message}`} kind="warn">
            {message}
          </Note>
        ))}
        {force && <Note kind="warn">Fields that other managers own are taken over.</Note>}
        {confirmations.map((confirmation) => (
          <Typed
            key={`${confirmation.kind}/${confirmation.name}`}
            confirmation={confirmation}
            value={typed[`${confirmation.kind}/${confirmation.name}`] ?? ''}
            onChange={(text) => setTyped({ ...typed, [`${confirmation.kind}/${confirmation.name}`]: text })}
          />
        ))}
        <Field label="What the journal calls it" hint="May be empty.">
          {(attributes) => (
            <input
              {...attributes}
              className={inputClass}
              maxLength={200}
              value={label}
              onChange={({ target: { value } }) => setLabel(value)}
            />
          )}
        </Field>
        <div className={styles['buttons']}>
          <Dialog.Close asChild>
            <Button>Cancel</Button>
          </Dialog.Close>
          <Button primary type="submit" disabled={missing}>
            {verb}
          </Button>
        </div>
        <p className={styles['small']}>What is applied can be taken back in the journal.</p>
      </form>
    </>
  )
}

function confirmationsOf({ before, after, version }: Impact): readonly Confirmation[] {
  const { frame } = viewStore.getState()
  return confirmationsFor(changesBetween(before, after), { version, servers: frame?.servers })
}

function Typed(props: {
  readonly confirmation: Confirmation
  readonly value: string
  readonly onChange: (text: string) => void
}) {
  const { confirmation, value, onChange } = props
  const { name, reasons } = confirmation
  return (
    <div className={styles['confirm']}>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <Field label={`Type the name to confirm: ${name}`}>
        {(attributes) => (
          <input
            {...attributes}
            className={monoInputClass}
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
    </div>
  )
}

export const countOf = (changes: readonly unknown[]): string =>
  changes.length === 1 ? '1 object' : `${changes.length} objects`

/** What one change does, in a sentence: with its seats where it has some. */
function changeSentence({ kind, name, object, base }: ObjectChange, { rows }: SeatImpact): string {
  const what = object === null ? 'is deleted' : base === undefined ? 'is made' : 'is changed'
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
