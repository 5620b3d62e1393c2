import { useMemo, useState, type SyntheticEvent } from 'react'
import { CATCH_ALL } from '../../../../core/config/objects.ts'
import { toProblem, type Problem } from '../../../../core/contract/errors.ts'
import type { SimulationObjects } from '../../../../core/contract/simulation.ts'
import { Button } from '../../../components/Button.tsx'
import { Field, inputClass } from '../../../components/Field.tsx'
import { Note } from '../../../components/Note.tsx'
import { ProblemNote } from '../../../components/States.tsx'
import { applyEdit } from '../../../state/simulation.ts'
import { effectsOf, FIELDS, formOf, readForm, withLevel, type FieldName, type LevelObject } from './edit.logic.ts'
import type { EditDialogProps } from './EditDialog.tsx'
import { Effects } from './Effects.tsx'
import styles from './EditLevel.module.css'

const LABELS: Readonly<Record<FieldName, string>> = {
  shares: 'Shares',
  lendablePercent: 'Lendable percent',
  borrowingLimitPercent: 'Borrowing limit percent',
  queues: 'Queues',
  handSize: 'Hand size',
  queueLengthLimit: 'Queue length limit',
}
const HINTS: Partial<Readonly<Record<FieldName, string>>> = {
  shares: 'of the seats of the server',
  lendablePercent: 'of the nominal limit',
  borrowingLimitPercent: 'of the nominal limit; empty: no limit',
  handSize: 'queues that a flow is dealt',
  queueLengthLimit: 'requests a queue',
}

export function EditFields(props: EditDialogProps & { readonly objects: SimulationObjects }) {
  const { level: name, objects } = props
  const level = objects.levels.find(({ metadata }) => metadata.name === name)
  if (level === undefined) {
    return <Sentence>{`There is no object ${name} on the simulated server, so there is nothing to edit.`}</Sentence>
  }
  if (name === CATCH_ALL) {
    return <Sentence>An API server refuses every change of catch-all: its specification is fixed.</Sentence>
  }
  return <Fields {...props} object={level} />
}

const Sentence = ({ children }: { readonly children: string }) => (
  <div className={styles['body']}>
    <Note kind="info">{children}</Note>
  </div>
)

function Fields(props: EditDialogProps & { readonly objects: SimulationObjects; readonly object: LevelObject }) {
  const { connection, level: name, objects, object, serverLimit, onDone } = props
  const [form, setForm] = useState(() => formOf(object))
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const read = useMemo(() => readForm(form, object), [form, object])
  const after = useMemo(() => (read.ok ? withLevel(objects, read.level) : undefined), [read, objects])
  const effects = after === undefined ? undefined : effectsOf(objects, after, serverLimit)
  const changed = JSON.stringify(form) !== JSON.stringify(formOf(object))

  const onSubmit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (after === undefined || !changed || busy) return
    setBusy(true)
    applyEdit({ connection, of: name, before: objects }, after).then(
      (sentence) => onDone(sentence ?? `${name} is changed; it is in force.`),
      (thrown: unknown) => {
        setBusy(false)
        setProblem(toProblem(thrown))
      },
    )
  }
  return (
    <form className={styles['body']} onSubmit={onSubmit} noValidate>
      <div className={styles['fields']}>
        {FIELDS.filter((field) => form[field] !== undefined).map((field) => (
          <Field
            key={field}
            label={LABELS[field]}
            hint={HINTS[field] ?? ' '}
            error={read.ok ? undefined : read.errors[field]}
          >
            {(attributes) => (
              <input
                {...attributes}
                className={inputClass}
                inputMode="numeric"
                autoComplete="off"
                value={form[field] ?? ''}
                onChange={({ target }) => setForm({ ...form, [field]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <Effects level={name} effects={effects} changed={changed} />
      {problem !== undefined && <ProblemNote problem={problem} alert />}
      <div className={styles['buttons']}>
        <Button onClick={() => setForm(formOf(object))} disabled={!changed || busy}>
          Start over
        </Button>
        <Button primary type="submit" disabled={!changed || !read.ok || busy}>
          {busy ? 'Applying…' : `Apply to ${name}`}
        </Button>
      </div>
    </form>
  )
}
