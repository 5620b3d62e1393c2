import type { ChangeVerdict } from '../../../../core/contract/objects.ts'
import { allRejected, recentRejected } from '../../../../core/frame/recent.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { classes } from '../../../components/classes.ts'
import { Icon, type IconName } from '../../../components/Icon.tsx'
import { PlainTable } from '../../../components/PlainTable.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Details } from '../../../components/States.tsx'
import { Button } from '../../../components/Button.tsx'
import type { Applied } from '../../../state/draftApply.ts'
import { openScreen } from '../../../state/route.ts'
import { timeStore } from '../../../state/time.ts'
import { useViewPart, type View } from '../../../state/view.ts'
import { format } from '../../../theme/format.ts'
import { type DraftProblem, outcomeText, affectedLevels } from './apply.logic.ts'
import { FoldedList } from './GuardPane.tsx'
import styles from './aside.module.css'

const LOOK: Readonly<Record<ChangeVerdict['outcome'], readonly [glyph: IconName, look: string]>> = {
  accepted: ['check', 'passes'],
  unchanged: ['check', 'passes'],
  conflict: ['warn', 'warns'],
  rejected: ['cross', 'blocks'],
  forbidden: ['cross', 'blocks'],
  throttled: ['cross', 'blocks'],
  failed: ['cross', 'blocks'],
  skipped: ['info', 'expected'],
}

/** The server's verdict on each object, and where the console's own validation disagreed. */
export function VerdictPane(props: {
  readonly title: string
  readonly note: string
  readonly verdicts: readonly ChangeVerdict[]
  /** Not a dry run: accepted changes are in effect. */
  readonly applied: boolean
  readonly onOpen: (problem: Pick<DraftProblem, 'kind' | 'name' | 'field'>) => void
  /** Applies once more and forces fields that other managers own. */
  readonly onForce?: (() => void) | undefined
  readonly onDismiss?: (() => void) | undefined
}) {
  const { title, note, verdicts, applied, onOpen, onForce, onDismiss } = props
  const smooth = verdicts.filter(isSmooth)
  const folded = smooth.length > MOST_SMOOTH ? smooth : []
  const shown = verdicts.filter((verdict) => !folded.includes(verdict))
  const item = (verdict: ChangeVerdict) => (
    <Verdict key={`${verdict.kind}/${verdict.name}`} {...{ verdict, applied, onOpen, onForce }} />
  )
  return (
    <Pane
      title={title}
      note={note}
      className={styles['pane']}
      actions={
        onDismiss && (
          <Button small onClick={onDismiss}>
            Dismiss
          </Button>
        )
      }
    >
      <FoldedList
        shown={shown.map(item)}
        folded={folded.map(item)}
        summary={`${folded.length} objects ${applied ? 'are applied' : 'would be accepted'}`}
      />
    </Pane>
  )
}

/** Additional accepted verdicts are collapsed, so that the others are visible. */
const MOST_SMOOTH = 5

const isSmooth = ({ outcome, warnings, differences }: ChangeVerdict): boolean =>
  outcome === 'accepted' && warnings.length === 0 && differences.length === 0

function Verdict(props: {
  readonly verdict: ChangeVerdict
  readonly applied: boolean
  readonly onOpen: (problem: Pick<DraftProblem, 'kind' | 'name' | 'field'>) => void
  readonly onForce: (() => void) | undefined
}) {
  const { verdict, applied, onOpen, onForce } = props
  const { kind, name, outcome, causes, conflicts, warnings, differences, problem } = verdict
  const [glyph, look] = LOOK[outcome]
  return (
    <li className={classes(styles['finding'], styles[look])}>
      <span className={styles['glyph']}>
        <Icon name={glyph} size={13} />
      </span>
      <div>
        <p>
          <b>{name}</b> {outcomeText(verdict, applied)}
        </p>
        {causes.map(({ field, message }) => (
          <p key={`${field} ${message}`}>
            <button type="button" className={styles['field']} onClick={() => onOpen({ kind, name, field })}>
              {field === '' ? 'the object' : field}
            </button>{' '}
            {message}
          </p>
        ))}
        {conflicts.map(({ manager, field, message }) => (
          <p key={`${manager} ${field}`}>
            <span className="mono">{field}</span> belongs to {manager}. {message}
          </p>
        ))}
        {conflicts.length > 0 && onForce !== undefined && (
          <p className={styles['remedy']}>
            Forcing a field makes this console its field manager.
            <Button small onClick={onForce}>
              Force apply
            </Button>
          </p>
        )}
        {warnings.map((warning) => (
          <p key={warning}>The server warns: {warning}</p>
        ))}
        {differences.map((difference) => (
          <p key={difference} className={styles['faint']}>
            {difference}
          </p>
        ))}
        {problem !== undefined && <p>{problem.message}</p>}
        {problem?.details !== undefined && <Details text={problem.details} />}
      </div>
    </li>
  )
}

/** The levels that an application changed, right before it and now; the charts get a mark at that instant. */
export function EffectsPane({ applied: { report, before } }: { readonly applied: Applied }) {
  const { at, verdicts } = report
  const server = useViewPart((view) => view.server)
  const derivedServer = useViewPart((view) => view.derivedServer)
  const levels = affectedLevels(verdicts)
  if (levels.length === 0) return null
  const show = (level: string): void => {
    timeStore.getState().setCursor(unixMsOf(at))
    openScreen('level', level)
  }
  return levels.map((level) => {
    const [was, is] = [measured(before, level), measured({ server, derivedServer }, level)]
    return (
      <PlainTable
        key={level}
        caption={`Effect on ${level}`}
        className={styles['effect']}
        columns={[
          { id: 'measure', header: level, rowHeader: true, value: ({ label }) => label },
          { id: 'before', header: 'Before', align: 'right', cell: (row) => row.show(was) },
          { id: 'now', header: 'Now', align: 'right', cell: (row) => row.show(is) },
        ]}
        rows={MEASURES}
        rowKey={({ label }) => label}
        foot={[
          {
            measure: {
              span: 3,
              text: (
                <Button small onClick={() => show(level)}>
                  {`See the effect on ${level}`}
                </Button>
              ),
            },
          },
        ]}
      />
    )
  })
}

interface Measured {
  readonly nominal?: number | undefined
  readonly executing?: number | undefined
  readonly waiting?: number | undefined
  readonly rejected?: number | undefined
}

/** Values that a server reported for a level; empty for a level that it did not have. */
function measured({ server, derivedServer }: Pick<View, 'server' | 'derivedServer'>, level: string): Measured {
  const found = server?.levels.find(({ name }) => name === level)
  if (found === undefined) return {}
  const by = recentRejected(derivedServer?.levels.find(({ name }) => name === level)?.recent)
  return {
    nominal: found.limits.nominal,
    executing: found.seats.executing,
    waiting: found.requests.queued,
    rejected: by && allRejected(by),
  }
}

const MEASURES: readonly { readonly label: string; readonly show: (of: Measured) => string }[] = [
  { label: 'Nominal seats', show: ({ nominal }) => format.seats(nominal) },
  { label: 'Seats in use', show: ({ executing }) => format.seats(executing) },
  { label: 'Waiting requests', show: ({ waiting }) => format.seats(waiting) },
  { label: 'Rejected per second', show: ({ rejected }) => format.rate(rejected) },
]
