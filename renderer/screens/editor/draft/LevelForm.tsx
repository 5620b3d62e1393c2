import { AUTOUPDATE_ANNOTATION, DEFAULT_QUEUING, DEFAULT_SHARES } from '../../../../core/config/objects.ts'
import { isMandatory, isSuggested } from '../../../../core/config/builtIn.ts'
import { getIn } from '../../../../core/manifest/json.ts'
import { cleanManifest } from '../../../../core/manifest/write.ts'
import type { LevelSeats } from '../../../../core/impact/effectiveLevels.ts'
import { useObjects } from '../../../state/objects.ts'
import { format } from '../../../theme/format.ts'
import { ChoiceRow, NumberRow, TextRow } from './FieldRow.tsx'
import { LevelFacts, SeatsWanted, borrowingText, entropyText, lendingText, sharesText } from './LevelFacts.tsx'
import type { ObjectForm } from './draftObject.ts'

const LIMITED = ['spec', 'limited'] as const
const EXEMPTION = ['spec', 'exempt'] as const
const RESPONSE = [...LIMITED, 'limitResponse'] as const
const QUEUING = [...RESPONSE, 'queuing'] as const

export interface LevelFormProps {
  readonly form: ObjectForm
  /** The seats of the level under the draft; absent while they are not computed. */
  readonly seats: LevelSeats | undefined
  readonly serverLimit: number
  readonly version: string
}

/** A level, field by field: what each number means in seats, and the combined consequences. */
export function LevelForm({ form, seats, serverLimit, version }: LevelFormProps) {
  const { ref, readOnly } = form
  const type = form.text(['spec', 'type'])
  const isExempt = type === 'Exempt'
  const at = isExempt ? EXEMPTION : LIMITED
  const shares = [...at, 'nominalConcurrencyShares']
  return (
    <>
      <div className="stack gap-2 pad-x pad-t-6 pad-b-10">
        <Name form={form} />
        <NumberRow
          label="Shares"
          term="shares"
          usual={isExempt ? '0' : String(DEFAULT_SHARES)}
          consequence={seats && sharesText(seats, serverLimit)}
          {...form.number(shares)}
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
          usual="0"
          unit="%"
          consequence={seats && lendingText(seats)}
          {...form.number([...at, 'lendablePercent'])}
        />
        {!isExempt && <LimitedRows form={form} seats={seats} />}
        <Reconciled form={form} version={version} />
      </div>
      {seats !== undefined && <LevelFacts seats={seats} serverLimit={serverLimit} />}
    </>
  )
}

/** The name of a new object; others cannot be renamed. */
export function Name({ form }: { readonly form: ObjectForm }) {
  const path = ['metadata', 'name']
  if (form.read === undefined || form.read.entry.base !== undefined) return null
  return <TextRow label="Name" wide {...form.word(path)} />
}

function LimitedRows({ form, seats }: Pick<LevelFormProps, 'form' | 'seats'>) {
  const borrowing = [...LIMITED, 'borrowingLimitPercent']
  const response = form.word([...RESPONSE, 'type'])
  return (
    <>
      <NumberRow
        label="Borrowing limit"
        term="borrowing-limit"
        usual="none"
        unit="%"
        consequence={seats && borrowingText(seats, form.at(borrowing))}
        {...form.number(borrowing)}
      />
      <ChoiceRow
        label="When full"
        term="limit-response"
        {...response}
        options={[
          ['Queue', 'Queue'],
          ['Reject', 'Reject'],
        ]}
        consequence={response.value === 'Reject' ? 'answers 429 at once' : 'waits up to 15 s by default'}
        onChange={(value) => form.set(RESPONSE, responseOf(value, form))}
        findings={[...response.findings, ...form.findings(QUEUING)]}
      />
      {response.value === 'Queue' && (
        <>
          <NumberRow
            label="Queues"
            term="queues"
            usual={String(DEFAULT_QUEUING.queues)}
            consequence={seats?.queues && `room for ${format.fixed(seats.queues.total)} requests`}
            {...form.number([...QUEUING, 'queues'])}
          />
          <NumberRow
            label="Hand size"
            term="hand-size"
            usual={String(DEFAULT_QUEUING.handSize)}
            consequence={seats?.queues && entropyText(seats.queues)}
            {...form.number([...QUEUING, 'handSize'])}
          />
          <NumberRow
            label="Queue length"
            term="queue-length-limit"
            usual={String(DEFAULT_QUEUING.queueLengthLimit)}
            consequence={seats?.queues && `${format.fixed(seats.queues.perFlow)} requests per flow`}
            {...form.number([...QUEUING, 'queueLengthLimit'])}
          />
        </>
      )}
    </>
  )
}

/** The limit response of a type. Switching back to queues restores the level's previous ones. */
function responseOf(type: string, { ref, read }: ObjectForm): object {
  if (type !== 'Queue') return { type }
  const had = read?.entry.base === undefined ? undefined : getIn(cleanManifest(ref.kind, read.entry.base), QUEUING)
  return { type, queuing: had ?? DEFAULT_QUEUING }
}

/** Whether the server maintains a built-in object; shown for built-in objects only. */
export function Reconciled({ form, version }: { readonly form: ObjectForm; readonly version: string }) {
  const { kind, name } = form.ref
  const path = ['metadata', 'annotations', AUTOUPDATE_ANNOTATION]
  const field = form.word(path)
  const server = useObjects()?.origin === 'proxy' ? 'a server, but not this proxy,' : 'the server'
  if (!isMandatory(kind, name) && !isSuggested(kind, name, version)) return null
  return (
    <ChoiceRow
      label="Reconciled"
      term="reconciler"
      wide
      {...field}
      value={field.value === '' ? 'true' : field.value}
      options={[
        ['true', 'yes'],
        ['false', 'no'],
      ]}
      consequence={
        field.value === 'false'
          ? 'the server does not change the object'
          : `${server} restores the built-in spec within a minute`
      }
      findings={form.findings(['metadata', 'annotations'], true)}
    />
  )
}
