import type { ChangeVerdict } from '../../../../core/contract/objects.ts'
import { Button } from '../../../components/Button.tsx'
import { classes } from '../../../components/classes.ts'
import { Icon, type IconName } from '../../../components/Icon.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Details } from '../../../components/States.tsx'
import type { DraftProblem } from './problems.data.ts'
import { outcomeText } from './verdict.text.ts'
import styles from './aside.module.css'

const GLYPH: Readonly<Record<ChangeVerdict['outcome'], IconName>> = {
  accepted: 'check',
  unchanged: 'check',
  conflict: 'warn',
  rejected: 'cross',
  forbidden: 'cross',
  throttled: 'cross',
  failed: 'cross',
  skipped: 'info',
}
const LOOK: Readonly<Record<ChangeVerdict['outcome'], string>> = {
  accepted: 'passes',
  unchanged: 'passes',
  conflict: 'warns',
  rejected: 'blocks',
  forbidden: 'blocks',
  throttled: 'blocks',
  failed: 'blocks',
  skipped: 'expected',
}

/** What the server says of each object, and where our own validation said something else. */
export function VerdictPane(props: {
  readonly title: string
  readonly note: string
  readonly verdicts: readonly ChangeVerdict[]
  /** In earnest: what was accepted is done. */
  readonly applied: boolean
  readonly onOpen: (problem: Pick<DraftProblem, 'kind' | 'name' | 'field'>) => void
  /** Apply once more and take over what other managers own. */
  readonly onForce?: (() => void) | undefined
  readonly onDismiss?: (() => void) | undefined
}) {
  const { title, note, verdicts, applied, onOpen, onForce, onDismiss } = props
  const smooth = verdicts.filter(isSmooth)
  const folded = smooth.length > MOST_SMOOTH ? smooth : []
  const told = verdicts.filter((verdict) => !folded.includes(verdict))
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
      <ul className={styles['findings']}>
        {told.map((verdict) => (
          <Verdict key={`${verdict.kind}/${verdict.name}`} {...{ verdict, applied, onOpen, onForce }} />
        ))}
      </ul>
      {folded.length > 0 && (
        <details className={styles['passing']}>
          <summary>{`${folded.length} objects ${applied ? 'are applied' : 'would be accepted'}`}</summary>
          <ul className={styles['findings']}>
            {folded.map((verdict) => (
              <Verdict key={`${verdict.kind}/${verdict.name}`} {...{ verdict, applied, onOpen, onForce }} />
            ))}
          </ul>
        </details>
      )}
    </Pane>
  )
}

/** More of those that went well are folded away, so that the others are seen. */
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
  return (
    <li className={classes(styles['finding'], styles[LOOK[outcome]])}>
      <span className={styles['glyph']}>
        <Icon name={GLYPH[outcome]} size={13} />
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
            Taking over a field makes this console its field manager.
            <Button small onClick={onForce}>
              Apply and take over
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
