import { classes } from '../../../components/classes.ts'
import { Icon } from '../../../components/Icon.tsx'
import { countText, type DraftProblem } from './problems.data.ts'
import styles from './object.module.css'

/** Every problem of the draft; each leads to its field. */
export function ProblemList(props: {
  readonly problems: readonly DraftProblem[]
  readonly onOpen: (problem: DraftProblem) => void
}) {
  const { problems, onOpen } = props
  if (problems.length === 0) return null
  return (
    <section className={styles['problems']} aria-label="Problems of the draft">
      <h3>{countText(problems)}</h3>
      <ul>
        {problems.map((problem) => {
          const { kind, name, shown, field, severity, message } = problem
          return (
            <li key={`${kind}/${name} ${field} ${message}`} className={classes(styles[severity])}>
              <Icon name={severity === 'error' ? 'cross' : 'warn'} size={12} />
              <span>
                <button type="button" onClick={() => onOpen(problem)}>
                  <span className="sr-only">{severity}: </span>
                  {shown} {field}
                </button>{' '}
                {message}
              </span>
            </li>
          )
        })}
      </ul>
      {problems.every(({ severity }) => severity === 'warning') && <p>Warnings do not prevent applying.</p>}
    </section>
  )
}
