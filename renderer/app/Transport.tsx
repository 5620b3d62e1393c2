import { toProblem } from '../../core/contract/errors.ts'
import type { SimulationControl } from '../../core/contract/simulation.ts'
import { classes } from '../components/classes.ts'
import { Icon } from '../components/Icon.tsx'
import { Tip } from '../components/Term.tsx'
import { controlSimulation, useSimulationState } from '../state/simulation.ts'
import { say } from '../state/shell.ts'
import styles from './Transport.module.css'

/** The speeds on offer. */
export const SPEEDS: readonly number[] = [0.1, 0.5, 1, 2, 10, 100, 1_000]

const STOPPED = 'stopped'

/** Speed, stop and single events of the simulation; nothing while another source is shown. */
export function Transport() {
  const state = useSimulationState()
  if (state === undefined) return null
  const { speed, paused, ended } = state
  const control = (change: SimulationControl): void =>
    void controlSimulation(change).catch((thrown: unknown) => say(toProblem(thrown).message))
  const speeds = SPEEDS.includes(speed) ? SPEEDS : [...SPEEDS, speed].toSorted((a, b) => a - b)
  return (
    <div role="group" aria-label="Simulated server" className={styles['group']}>
      <Tip text="Simulation speed. Applies to everyone connected to this simulation; Pause only holds your view.">
        <select
          className={styles['speed']}
          aria-label="Simulation speed"
          value={paused ? STOPPED : String(speed)}
          disabled={ended}
          onChange={({ target: { value } }) =>
            control(value === STOPPED ? { paused: true } : { speed: Number(value), paused: false })
          }
        >
          <option value={STOPPED}>stopped</option>
          {speeds.map((one) => (
            <option key={one} value={String(one)}>
              ×{one}
            </option>
          ))}
        </select>
      </Tip>
      <Tip text="Advances the simulation by one event and stops it there: an arrival, an end, a retry or a reallocation.">
        <button
          type="button"
          className={classes(styles['button'], styles['last'])}
          aria-label="Advance the simulation by one event"
          disabled={ended}
          onClick={() => control({ step: 1 })}
        >
          <Icon name="step" size={12} />
        </button>
      </Tip>
    </div>
  )
}
