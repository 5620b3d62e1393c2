import type { ChangeVerdict } from '../../../../core/contract/objects.ts'
import type { ServerFrame } from '../../../../core/frame/frame.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { Icon, type IconName } from '../../../components/Icon.tsx'
import { PlainTable } from '../../../components/PlainTable.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Details } from '../../../components/States.tsx'
import { Button } from '../../../components/Button.tsx'
import { sameRef } from '../../../../core/draft/draft.ts'
import { useConnected } from '../../../state/connection.ts'
import type { Applied } from '../../../state/draftApply.ts'
import { useObjects } from '../../../state/objects.ts'
import { type Revert, revertStore } from '../../../state/reverts.ts'
import { openScreen } from '../../../state/route.ts'
import { timeStore } from '../../../state/time.ts'
import { useViewPart } from '../../../state/view.ts'
import { format } from '../../../theme/format.ts'
import { appliedTitle, type DraftProblem, outcomeText, editedLevels } from './apply.logic.ts'
import { FoldedList } from './GuardPane.tsx'
import styles from './aside.module.css'

const LOOK: Readonly<Record<ChangeVerdict['outcome'], readonly [glyph: IconName, tone: string]>> = {
  accepted: ['check', 'good'],
  unchanged: ['check', 'good'],
  conflict: ['warn', 'warn'],
  rejected: ['cross', 'bad'],
  forbidden: ['cross', 'bad'],
  throttled: ['cross', 'bad'],
  failed: ['cross', 'bad'],
  skipped: ['info', 'info'],
}

const REVERTED = ['undo', 'bad'] as const

/**
 * The server's verdict on each object, and where the console's own validation disagreed. Good ones hold only while the
 * shown source reports its objects and nobody reverted them.
 */
export function VerdictPane(props: {
  /** Absent: the result as a whole. */
  readonly title?: string
  readonly note: string
  readonly verdicts: readonly ChangeVerdict[]
  /** Not a dry run: accepted changes are in effect. */
  readonly applied: boolean
  readonly onOpen: (problem: Pick<DraftProblem, 'kind' | 'name' | 'field'>) => void
  /** Applies once more and forces fields that other managers own. */
  readonly onForce?: (() => void) | undefined
  readonly onDismiss?: (() => void) | undefined
}) {
  const { note, verdicts, applied, onOpen, onForce, onDismiss } = props
  const connection = useConnected()?.id
  const reverts = revertStore((store) => store.reverts)
  const unknown = useObjects()?.state !== 'current'
  const revertOf = (verdict: ChangeVerdict): Revert | undefined =>
    applied ? reverts.find((revert) => revert.connection === connection && sameRef(revert, verdict)) : undefined
  const { title = verdicts.some(revertOf) ? 'Reverted' : unknown ? 'State unknown' : appliedTitle(verdicts) } = props
  const smooth = verdicts.filter((verdict) => isSmooth(verdict) && revertOf(verdict) === undefined)
  const folded = smooth.length > MOST_SMOOTH ? smooth : []
  const shown = verdicts.filter((verdict) => !folded.includes(verdict))
  const item = (verdict: ChangeVerdict) => (
    <Verdict
      key={`${verdict.kind}/${verdict.name}`}
      {...{ verdict, applied, onOpen, onForce, unknown }}
      revert={revertOf(verdict)}
    />
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
        summary={`${folded.length} objects ${applied ? (unknown ? 'were applied' : 'are applied') : 'would be accepted'}`}
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
  readonly revert: Revert | undefined
  readonly unknown: boolean
}) {
  const { verdict, applied, onOpen, onForce, revert, unknown } = props
  const { kind, name, outcome, causes, conflicts, warnings, differences, problem } = verdict
  const isUnknown = unknown && LOOK[outcome][1] === 'good'
  const [glyph, tone] = revert !== undefined ? REVERTED : isUnknown ? LOOK.skipped : LOOK[outcome]
  const outcomeNow = isUnknown && applied && outcome === 'accepted' ? 'was applied.' : outcomeText(verdict, applied)
  const said = isUnknown ? `${outcomeNow} The server does not report its objects now.` : outcomeNow
  return (
    <li className={styles['finding']}>
      <span className={`pad-t-2 ${tone}`}>
        <Icon name={glyph} size={13} />
      </span>
      <div>
        <p className={tone === 'bad' ? 'medium' : tone === 'good' ? 'muted' : undefined}>
          <b>{name}</b> {revert === undefined ? said : `was applied. ${revert.text}`}
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
          <p key={difference} className="faint">
            {difference}
          </p>
        ))}
        {problem !== undefined && <p>{problem.message}</p>}
        {problem?.details !== undefined && <Details text={problem.details} />}
      </div>
    </li>
  )
}

/**
 * The nominal limits of the levels that an application changed, before it and now, until enough is measured: what else a
 * server reports at two instants differs without any edit. The charts get a mark at the instant.
 */
export function EffectsPane({ applied: { report, before } }: { readonly applied: Applied }) {
  const { at, entry } = report
  const frame = useViewPart((view) => view.frame)
  const now = frame?.servers.find(({ id }) => id === before?.id)
  const levels = editedLevels(entry)
  if (levels.length === 0) return null
  const show = (level: string): void => {
    timeStore.getState().setCursor(unixMsOf(at))
    openScreen('level', level)
  }
  return (
    <PlainTable
      caption="Nominal seats of the changed levels"
      className={styles['effect']}
      columns={[
        { id: 'level', header: 'Nominal seats', rowHeader: true, value: (level) => level },
        { id: 'before', header: 'Before', align: 'right', cell: (level) => nominalOf(before, level) },
        { id: 'now', header: 'Now', align: 'right', cell: (level) => nominalOf(now, level) },
      ]}
      rows={levels}
      rowKey={(level) => level}
      foot={levels
        .filter((level) => nominalOf(now, level) !== nominalOf(now, ''))
        .map((level) => ({
          level: {
            span: 3,
            text: (
              <Button small onClick={() => show(level)}>
                {`See the effect on ${level}`}
              </Button>
            ),
          },
        }))}
    />
  )
}

/** Unknown for a level that the server does not have. */
const nominalOf = (server: ServerFrame | undefined, level: string): string =>
  format.seats(server?.levels.find(({ name }) => name === level)?.limits.nominal)
