import { memo, useId, useMemo } from 'react'
import type { Classification, ServerContext } from '../../../../core/classify/classification.ts'
import { stepsTable } from '../../../../core/classify/present.ts'
import { sameElsewhere } from '../../../../core/classify/elsewhere.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { RequestSample } from '../../../../core/contract/objects.ts'
import { AnswerTable } from '../../../components/answer/Answer.tsx'
import { inputClass } from '../../../components/Field.tsx'
import { numberColumn, type DataColumn } from '../../../components/dataColumns.ts'
import { PlainTable } from '../../../components/PlainTable.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { ServerSeats } from '../../../components/SourceControls.tsx'
import { Term } from '../../../components/Term.tsx'
import { requestStore } from '../../../state/request.ts'
import type { ServerLimit } from '../../../../core/impact/serverLimit.ts'
import { isUnreadable, type Supposed } from '../../../../core/classify/supposed.ts'
import { format } from '../../../theme/format.ts'
import { seatsText } from './answer.data.ts'
import styles from './request.module.css'

/** The width of the request, as the server estimates it step by step, and on servers of other versions. */
export const SeatsPane = memo(function SeatsPane(props: {
  readonly answer: Classification
  readonly objects: ObjectSet
  readonly request: RequestSample
  readonly context: ServerContext
  readonly limit: ServerLimit
}) {
  const { answer, objects, request, context, limit } = props
  const { seats, nominalLimit, priorityLevel } = answer
  const elsewhere = useMemo(() => sameElsewhere(objects, request, context), [objects, request, context])
  return (
    <Pane title="Seats it will take" unit="seats" note={seats.method}>
      <AnswerTable
        table={stepsTable(answer)}
        className={styles['steps']}
        headless
        rowLook={(row) => (seats.steps[row]?.kind === 'width' ? styles['total'] : undefined)}
      />
      <p className={styles['remark']}>
        {seats.levelCap === 0 ? (
          <>{`${priorityLevel} has no cap of its own.`}</>
        ) : (
          <>
            The <Term id="max-seats">cap</Term> of {priorityLevel} is {seatsText(seats.levelCap)}, from its nominal
            limit of {format.seats(nominalLimit)} of a server of {format.seats(limit.seats)} seats ({LIMIT[limit.from]}
            ).
          </>
        )}
      </p>
      {seats.levelCap > 0 && limit.from !== 'reported' && limit.from !== 'configured' && (
        <div className="pad-x pad-b-12">
          <ServerSeats limit={limit} />
        </div>
      )}
      {seats.assumptions.map((sentence) => (
        <p key={sentence} className={styles['remark']}>
          {sentence}
        </p>
      ))}
      <Suppositions basis={seats.basis.kind} context={context} />
      <h3 className={styles['subtitle']}>Same request elsewhere</h3>
      <PlainTable
        caption="Other versions"
        className={styles['steps']}
        headless
        columns={ELSEWHERE_COLUMNS}
        rows={elsewhere}
        rowKey={({ version }) => version}
      />
    </Pane>
  )
})

const LIMIT: Readonly<Record<ServerLimit['from'], string>> = {
  reported: 'as it reports',
  configured: 'as configured',
  inferred: 'inferred from the nominal limits',
  assumed: 'assumed',
  own: 'as entered',
}

const ELSEWHERE_COLUMNS: readonly DataColumn<ReturnType<typeof sameElsewhere>[number]>[] = [
  { id: 'version', header: 'Version', rowHeader: true, value: ({ version, rule }) => `${version.slice(1)}: ${rule}` },
  numberColumn('seats', 'Seats', ({ seats }) => seats.width),
]

/** Inputs of the estimate: values from the source, which the reader can replace. */
function Suppositions(props: {
  readonly basis: Classification['seats']['basis']['kind']
  readonly context: ServerContext
}) {
  const { basis, context } = props
  if (basis === 'list') {
    const { count, averageSize } = context.objects === undefined || context.objects === 'none' ? {} : context.objects
    return (
      <div className={styles['suppose']}>
        <Supposition field="count" label="Objects in the cluster" placeholder={numberOr(count, 'unknown')} />
        <Supposition field="averageSize" label="Bytes per object" placeholder={numberOr(averageSize, 'worst case')} />
      </div>
    )
  }
  if (basis === 'mutating') {
    return (
      <div className={styles['suppose']}>
        <Supposition field="watchers" label="Watches of the resource" placeholder={numberOr(context.watchers, '0')} />
      </div>
    )
  }
  return null
}

const numberOr = (value: number | undefined, otherwise: string): string =>
  value === undefined ? otherwise : format.fixed(Math.round(value))

function Supposition(props: { readonly field: keyof Supposed; readonly label: string; readonly placeholder: string }) {
  const { field, label, placeholder } = props
  const id = useId()
  const value = requestStore(({ supposed }) => supposed[field])
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={inputClass}
        inputMode="numeric"
        autoComplete="off"
        placeholder={placeholder}
        value={value}
        aria-invalid={isUnreadable(value) ? true : undefined}
        onChange={({ target }) =>
          requestStore.setState(({ supposed }) => ({ supposed: { ...supposed, [field]: target.value } }))
        }
      />
    </>
  )
}
