import type { ReactNode } from 'react'
import { classes } from '../../../components/classes.ts'
import { Icon, type IconName } from '../../../components/Icon.tsx'
import type { Step, StepState } from './steps.logic.ts'
import styles from './page.module.css'

const GLYPH: Readonly<Record<StepState, IconName>> = {
  done: 'check',
  warned: 'warn',
  blocked: 'cross',
  waiting: 'disc',
  running: 'more',
}
const WORD: Readonly<Record<StepState, string>> = {
  done: 'done',
  warned: 'done, with warnings',
  blocked: 'blocked',
  waiting: 'pending',
  running: 'in progress',
}

/** The way to apply, and what can be done now. */
export function StepBar(props: {
  readonly steps: readonly Step[]
  /** Above the bar, where the reader looks after the press of a button. */
  readonly note: ReactNode
  readonly children: ReactNode
}) {
  const { steps, note, children } = props
  const current = steps.find(({ state }) => state === 'blocked' || state === 'waiting' || state === 'running')
  return (
    <section className={styles['bar']} aria-label="From draft to server" data-pane="" tabIndex={-1}>
      {note}
      {steps.length > 0 && (
        <ol className={styles['steps']}>
          {steps.map((step) => (
            <li
              key={step.id}
              aria-current={step === current ? 'step' : undefined}
              className={classes(styles['step'], styles[step.state])}
            >
              <Icon name={GLYPH[step.state]} size={13} />
              <span className="sr-only">{WORD[step.state]}: </span>
              <span className={styles['stepName']}>{step.label}</span>
              {step.detail !== '' && <span className={styles['detail']}>{step.detail}</span>}
            </li>
          ))}
        </ol>
      )}
      <div className={styles['actions']}>{children}</div>
    </section>
  )
}
