import { useState } from 'react'
import { SimulationSpecSchema, type SimulationSpec } from '../../../core/contract/simulation.ts'
import { Button } from '../../components/Button.tsx'
import { Field, inputClass } from '../../components/Field.tsx'
import { Pane } from '../../components/Pane.tsx'
import { Term } from '../../components/Term.tsx'
import styles from './Connect.module.css'

/** The simulated cluster as it is without being asked otherwise. */
export const SIMULATION: SimulationSpec = SimulationSpecSchema.parse({ kind: 'simulation' })

/** Versions between which the behaviour of flow control, or what is exposed of it, differs. */
const VERSIONS: readonly string[] = [SIMULATION.version, 'v1.36.3', 'v1.34.0', 'v1.33.0', 'v1.30.0', 'v1.29.0']

/** What the simulation is, and which. */
export function SimulationPane(props: {
  readonly busy: boolean
  /** What the console shows already. */
  readonly shown: SimulationSpec | undefined
  readonly onOpen: (spec: SimulationSpec) => void
}) {
  const { busy, shown, onOpen } = props
  const [{ version, seed }, setWish] = useState({
    version: shown?.version ?? SIMULATION.version,
    seed: String(shown?.seed ?? SIMULATION.seed),
  })
  const spec = SimulationSpecSchema.safeParse({
    ...(shown ?? SIMULATION),
    version,
    seed: seed.trim() === '' ? undefined : Number(seed),
  })
  const versions = VERSIONS.includes(version) ? VERSIONS : [version, ...VERSIONS]
  return (
    <Pane title="Simulation">
      <div className={styles['form']}>
        <p className={styles['note']}>
          A <Term id="simulation">simulated</Term> API server that runs on the console’s own implementation of flow
          control, with nodes, controllers, people and a crawler as its clients. Its engine measures every number, and
          the same seed produces the same events. Edit its levels in the Editor; pause, step or speed up its time in the
          top bar.
        </p>
        <div className={styles['pair']}>
          <Field label="Version of the server">
            {(attributes) => (
              <select
                {...attributes}
                className={inputClass}
                value={version}
                onChange={({ target }) => setWish({ version: target.value, seed })}
              >
                {versions.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Seed" error={spec.success ? undefined : 'A seed is a whole number.'}>
            {(attributes) => (
              <input
                {...attributes}
                className={inputClass}
                inputMode="numeric"
                value={seed}
                onChange={({ target }) => setWish({ version, seed: target.value })}
              />
            )}
          </Field>
        </div>
        <div className={styles['buttons']}>
          <Button
            primary={shown === undefined}
            disabled={busy || !spec.success}
            onClick={() => spec.success && onOpen(spec.data)}
          >
            {busy ? 'Starting…' : shown === undefined ? 'Start the simulation' : 'Restart the simulation'}
          </Button>
        </div>
      </div>
    </Pane>
  )
}
