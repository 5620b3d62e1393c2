import type { Agreement } from '../../../core/contract/live.ts'
import { filterText } from '../../../core/filter/filter.ts'
import { Button } from '../../components/Button.tsx'
import type { DataColumn } from '../../components/dataColumns.ts'
import { Pane } from '../../components/Pane.tsx'
import { PlainTable } from '../../components/PlainTable.tsx'
import { classes } from '../../components/classes.ts'
import { format } from '../../theme/format.ts'
import { addToFilter } from './query.ts'
import { exactPercent } from './sentence.ts'
import type { Compared, Comparison, Tally } from './tally.ts'
import styles from './live.module.css'

const BARS: readonly { readonly kind: Comparison; readonly label: string }[] = [
  { kind: 'schemaAndLevel', label: 'schema and level' },
  { kind: 'width', label: 'width in seats' },
  { kind: 'finalSeats', label: 'final seats' },
  { kind: 'decision', label: 'dispatched or rejected' },
  { kind: 'timing', label: 'wait within 5 ms' },
]

/** How often the engine decides as the server does, over the requests that pass the filter; `note` names the period. */
export function AgreementPane({ tally, note }: { readonly tally: Tally; readonly note: string }) {
  const { all } = tally.agreement
  return (
    <Pane title="Agreement" note={`${format.seats(all.compared)} requests, ${note}`}>
      {all.compared === 0 ? (
        <p className="stack at-start gap-8 pad-x pad-b-10 leading-145 muted">
          The server reported neither the level nor the width of these requests, so there is nothing to compare. An API
          server behind a proxy reports the level in its headers, its request log (-v=3) in each line; an audit log does
          not.
        </p>
      ) : (
        <>
          <dl className={`${styles['bars']} stack gap-3 pad-x`}>
            {BARS.map(({ kind, label }) => {
              const count = tally.agreement[kind]
              const known = count.compared > 0
              const share = known ? count.same / count.compared : 0
              const text = known ? shareOf(count, all.compared) : 'not reported'
              return (
                <div
                  key={kind}
                  title={known ? `${format.seats(count.same)} of ${format.seats(count.compared)}` : undefined}
                >
                  <dt className="muted">{label}</dt>
                  <dd>
                    {/* The words are next to it. */}
                    <span className={styles['meter']} aria-hidden="true">
                      <i style={{ width: `${share * 100}%` }} />
                    </span>
                    <span className={classes(known && count.same === count.compared && 'good')}>{text}</span>
                    <span className="sr-only">
                      , {format.seats(count.same)} of {format.seats(count.compared)}
                    </span>
                  </dd>
                </div>
              )
            })}
          </dl>
          <p className="pad-x pad-t-4 pad-b-8 tiny leading-142 faint">
            Schema, level and seats together, {format.seats(all.same)} of {format.seats(all.compared)}. Decisions and
            waits are not part of it: they depend on requests that the engine does not receive.
          </p>
        </>
      )}
    </Pane>
  )
}

/**
 * Below this count a share is shown as counts instead of a percentage. A share that covers only part of the requests
 * names how many.
 */
const FEW = 100
const shareOf = (count: Compared, all: number): string => {
  if (count.compared < FEW) return `${count.same} of ${count.compared}`
  return count.compared * 2 < all ? `${exactPercent(count)} of ${format.seats(count.compared)}` : exactPercent(count)
}

/** Kinds of disagreement of the whole source, with the likely reason. */
export function DifferencesPane({ differences }: { readonly differences: Agreement['differences'] }) {
  const total = differences.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return null
  return (
    <Pane
      title="Where they differ"
      note={format.seats(total)}
      actions={
        <Button small onClick={() => addToFilter('agree:no')}>
          Show them
        </Button>
      }
    >
      <PlainTable
        caption="Where engine and server differ"
        className={styles['small']}
        columns={DIFFERENCES}
        rows={differences}
        rowKey={({ what }) => what}
      />
    </Pane>
  )
}

const DIFFERENCES: readonly DataColumn<Agreement['differences'][number]>[] = [
  {
    id: 'what',
    header: 'What',
    cell: ({ what }) => (
      <button
        type="button"
        className={styles['link']}
        title="Show only these"
        onClick={() => addToFilter(filterText('differs', what))}
      >
        {what}
      </button>
    ),
  },
  { id: 'count', header: 'n', align: 'right', cell: ({ count }) => format.seats(count) },
  { id: 'likely', header: 'Likely reason', look: () => styles['likely'], cell: ({ likely }) => likely },
]
