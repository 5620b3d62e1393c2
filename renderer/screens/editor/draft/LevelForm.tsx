import { AUTOUPDATE_ANNOTATION } from '../../../../core/config/objects.ts'
import { isMandatory, isSuggested } from '../../../../core/config/builtInByVersion.ts'
import { DEFAULT_QUEUING, DEFAULT_SHARES } from '../../../../core/config/defaulting.ts'
import { getIn } from '../../../../core/manifest/setIn.ts'
import { cleanManifest } from '../../../../core/manifest/write.ts'
import type { LevelSeats } from '../../../../core/impact/effectiveLevels.ts'
import { useObjects } from '../../../state/objects.ts'
import { format } from '../../../theme/format.ts'
import { ChoiceRow, NumberRow, TextRow } from './FieldRow.tsx'
import { LevelFacts, SeatsWanted, borrowingText, entropyText, lendingText, sharesText } from './LevelFacts.tsx'
import type { ObjectForm } from './draftObject.ts'
import styles from './object.module.css'

const LIMITED = ['spec', 'limited'] as const
const EXEMPTION = ['spec', 'exempt'] as const
const RESPONSE = [...LIMITED, 'limitResponse'] as const
const QUEUING = [...RESPONSE, 'queuing'] as const

export interface LevelFormProps {
  readonly form: ObjectForm
  /** What the draft makes of the level; absent while that is not known. */
  readonly seats: LevelSeats | undefined
  readonly serverLimit: number
  readonly version: string
}

/** A level, field by field: what each number means in seats, and what follows from all of them. */
export function LevelForm({ form, seats, serverLimit, version }: LevelFormProps) {
  const { ref, readOnly } = form
  const type = form.text(['spec', 'type'])
  const row = (path: readonly string[]) => ({ findings: form.findings(path), readOnly })
  const isExempt = type === 'Exempt'
  const at = isExempt ? EXEMPTION : LIMITED
  const shares = [...at, 'nominalConcurrencyShares']
  const lendable = [...at, 'lendablePercent']
  return (
    <>
      <div className={styles['form']}>
        <Name form={form} />
        <NumberRow
          label="Shares"
          term="shares"
          value={form.at(shares)}
          usual={isExempt ? '0' : String(DEFAULT_SHARES)}
          consequence={seats && sharesText(seats, serverLimit)}
          onChange={(value) => form.set(shares, value)}
          {...row(shares)}
        />
        {!isExempt && !readOnly && (
          <SeatsWanted
            key={ref.name}
            level={ref.name}
            serverLimit={serverLimit}
            onShares={(value) => form.set(shares, value)}
          />
        )}
        <NumberRow
          label="Lendable"
          term="lendable"
          value={form.at(lendable)}
          usual="0"
          unit="%"
          consequence={seats && lendingText(seats)}
          onChange={(value) => form.set(lendable, value)}
          {...row(lendable)}
        />
        {!isExempt && <LimitedRows form={form} seats={seats} />}
        {(isMandatory(ref.kind, ref.name) || isSuggested(ref.kind, ref.name, version)) && <Reconciled form={form} />}
      </div>
      {seats !== undefined && <LevelFacts seats={seats} serverLimit={serverLimit} />}
    </>
  )
}

/** The name of a new object; others cannot be renamed. */
export function Name({ form }: { readonly form: ObjectForm }) {
  const path = ['metadata', 'name']
  if (form.read === undefined || form.read.entry.base !== undefined) return null
  return (
    <TextRow
      label="Name"
      wide
      value={form.text(path)}
      onChange={(value) => form.set(path, value)}
      findings={form.findings(path)}
      readOnly={form.readOnly}
    />
  )
}

function LimitedRows({ form, seats }: Pick<LevelFormProps, 'form' | 'seats'>) {
  const { readOnly } = form
  const row = (path: readonly string[], deep = false) => ({ findings: form.findings(path, deep), readOnly })
  const borrowing = [...LIMITED, 'borrowingLimitPercent']
  const response = form.text([...RESPONSE, 'type'])
  const [queues, handSize, length] = [
    [...QUEUING, 'queues'],
    [...QUEUING, 'handSize'],
    [...QUEUING, 'queueLengthLimit'],
  ]
  return (
    <>
      <NumberRow
        label="Borrowing limit"
        term="borrowing-limit"
        value={form.at(borrowing)}
        usual="none"
        unit="%"
        consequence={seats && borrowingText(seats, form.at(borrowing))}
        onChange={(value) => form.set(borrowing, value)}
        {...row(borrowing)}
      />
      <ChoiceRow
        label="When full"
        term="limit-response"
        value={response}
        options={[
          ['Queue', 'Queue'],
          ['Reject', 'Reject'],
        ]}
        consequence={response === 'Reject' ? 'answers 429 at once' : 'waits up to 15 s'}
        onChange={(value) => form.set(RESPONSE, responseOf(value, form))}
        findings={[...form.findings([...RESPONSE, 'type']), ...form.findings(QUEUING)]}
        readOnly={readOnly}
      />
      {response === 'Queue' && (
        <>
          <NumberRow
            label="Queues"
            term="queues"
            value={form.at(queues)}
            usual={String(DEFAULT_QUEUING.queues)}
            consequence={seats?.queues && `room for ${format.fixed(seats.queues.total)} requests`}
            onChange={(value) => form.set(queues, value)}
            {...row(queues)}
          />
          <NumberRow
            label="Hand size"
            term="hand-size"
            value={form.at(handSize)}
            usual={String(DEFAULT_QUEUING.handSize)}
            consequence={seats?.queues && entropyText(seats.queues)}
            onChange={(value) => form.set(handSize, value)}
            {...row(handSize)}
          />
          <NumberRow
            label="Queue length"
            term="queue-length-limit"
            value={form.at(length)}
            usual={String(DEFAULT_QUEUING.queueLengthLimit)}
            consequence={seats?.queues && `${format.fixed(seats.queues.perFlow)} requests per flow`}
            onChange={(value) => form.set(length, value)}
            {...row(length)}
          />
        </>
      )}
    </>
  )
}

/** The limit response of a type. Going back to queues brings back those that the level had. */
function responseOf(type: string, { ref, read }: ObjectForm): object {
  if (type !== 'Queue') return { type }
  const had = read?.entry.base === undefined ? undefined : getIn(cleanManifest(ref.kind, read.entry.base), QUEUING)
  return { type, queuing: had ?? DEFAULT_QUEUING }
}

/** Whether the server keeps the object as it is built in. */
export function Reconciled({ form }: { readonly form: ObjectForm }) {
  const path = ['metadata', 'annotations', AUTOUPDATE_ANNOTATION]
  const value = form.text(path)
  const server = useObjects()?.origin === 'proxy' ? 'a server, but not this proxy,' : 'the server'
  return (
    <ChoiceRow
      label="Reconciled"
      term="reconciler"
      wide
      value={value === '' ? 'true' : value}
      options={[
        ['true', 'yes'],
        ['false', 'no'],
      ]}
      consequence={
        value === 'false'
          ? 'the server leaves the object alone'
          : `${server} puts the built-in spec back within a minute`
      }
      onChange={(next) => form.set(path, next)}
      findings={form.findings(['metadata', 'annotations'], true)}
      readOnly={form.readOnly}
    />
  )
}
