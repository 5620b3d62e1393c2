import { toProblem } from '../../core/contract/errors.ts'
import type { SimulationControl } from '../../core/contract/simulation.ts'
import { classes } from '../components/classes.ts'
import { Icon } from '../components/Icon.tsx'
import { Tip } from '../components/Term.tsx'
import { controlSimulation, useSimulationState } from '../state/simulation.ts'
import { say } from './shellStore.ts'
import styles from './Transport.module.css'

const SPEEDS: readonly number[] = [0.1, 0.5, 1, 2, 10, 100, 1_000]

/** Speed, pause and single events of the simulated server; nothing while another source is shown. */
export function Transport() {
  const state = useSimulationState()
  if (state === undefined) return null
  const { speed, paused, ended } = state
  const control = (change: SimulationControl): void =>
    void controlSimulation(change).catch((thrown: unknown) => say(toProblem(thrown).message))
  const speeds = SPEEDS.includes(speed) ? SPEEDS : [...SPEEDS, speed].toSorted((a, b) => a - b)
  return (
    <div role="group" aria-label="Simulated server" className={styles['group']}>
      <Tip text="How fast the simulated server lives. It changes the server for everybody who looks at it, not the view.">
        <select
          className={styles['speed']}
          aria-label="Speed of the simulated server"
          value={String(speed)}
          disabled={ended}
          onChange={({ target }) => control({ speed: Number(target.value) })}
        >
          {speeds.map((one) => (
            <option key={one} value={String(one)}>
              ×{one}
            </option>
          ))}
        </select>
      </Tip>
      <Tip
        text={
          paused
            ? 'Lets the simulated server go on.'
            : 'Stops the simulated server itself: no time passes in it. Pause at the right only holds the view.'
        }
      >
        <button
          type="button"
          className={styles['button']}
          aria-label={paused ? 'Let the simulated server go on' : 'Stop the simulated server'}
          disabled={ended}
          onClick={() => control({ paused: !paused })}
        >
          <Icon name={paused ? 'play' : 'pause'} size={12} />
        </button>
      </Tip>
      <Tip text="Lets one event of the simulated server happen, and stops it there: a request that arrives or ends, a retry, a recomputation of the limits.">
        <button
          type="button"
          className={classes(styles['button'], styles['last'])}
          aria-label="Let one event happen in the simulated server"
          disabled={ended}
          onClick={() => control({ step: 1 })}
        >
          <Icon name="step" size={12} />
        </button>
      </Tip>
    </div>
  )
}
