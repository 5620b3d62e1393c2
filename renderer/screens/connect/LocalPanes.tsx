import { useState } from 'react'
import { SimulationSpecSchema, type SimulationSpec } from '../../../core/contract/simulation.ts'
import type { SourceSpec } from '../../../core/contract/source.ts'
import { ALGORITHM_OPTIONS, ALGORITHMS } from '../../../core/engine/profiles.ts'
import { Term } from '../../components/Term.tsx'
import { Button, Buttons } from '../../components/Button.tsx'
import { FilesButton } from '../../components/FilesButton.tsx'
import { formFields, SelectField, TextArea, TextField } from '../../components/Field.tsx'
import { sourceOfFiles } from '../../components/files.ts'
import { Pane } from '../../components/Pane.tsx'
import { StartButton, useForm, type SourcePaneProps } from './fields.tsx'
import styles from './Connect.module.css'

/** The simulated cluster with its defaults. */
export const SIMULATION: SimulationSpec = SimulationSpecSchema.parse({ kind: 'simulation' })

/** Versions between which the behaviour of flow control, or its exposed metrics, differ. */
const VERSIONS: readonly string[] = [SIMULATION.version, 'v1.36.3', 'v1.34.0', 'v1.33.0', 'v1.30.0', 'v1.29.0']

const [UPSTREAM] = ALGORITHMS

/** What the simulation is, and the choice of one. */
export function SimulationPane({ busy, shown: source, onOpen, onFill }: SourcePaneProps<SimulationSpec>) {
  const shown = source?.kind === 'simulation' ? source : undefined
  const [wish, setWish] = useForm(
    () => ({
      version: shown?.version ?? SIMULATION.version,
      seed: String(shown?.seed ?? SIMULATION.seed),
      algorithm: shown?.algorithm ?? UPSTREAM,
    }),
    onFill,
  )
  const { version, seed, algorithm } = wish
  const { maxRequestsInFlight, maxMutatingRequestsInFlight } = shown ?? SIMULATION
  const spec = SimulationSpecSchema.safeParse({
    kind: 'simulation',
    maxRequestsInFlight,
    maxMutatingRequestsInFlight,
    version,
    ...(algorithm !== UPSTREAM && { algorithm }),
    seed: seed.trim() === '' ? undefined : Number(seed),
  })
  const field = formFields(wish, spec.success ? {} : { seed: 'A seed is a whole number.' }, setWish)
  const versions = VERSIONS.includes(version) ? VERSIONS : [version, ...VERSIONS]
  return (
    <Pane title="Simulation">
      <div className={styles['form']}>
        <p className="prose muted">
          A <Term id="simulation">simulated</Term> API server that runs on the console’s own implementation of flow
          control, with nodes, controllers, people and a crawler as its clients. The same seed produces the same events.
          Edit its levels in the Editor; pause, step or speed up its time in the top bar.
        </p>
        <div className="stack top halves gap-10">
          <SelectField label="Version of the server" options={versions} {...field('version')} />
          <TextField kind="number" label="Seed" {...field('seed')} />
        </div>
        <SelectField label="Algorithm" options={ALGORITHM_OPTIONS} {...field('algorithm')} />
        <StartButton
          what="simulation"
          runs={shown !== undefined}
          busy={busy}
          onStart={spec.success ? () => onOpen(spec.data) : undefined}
        />
      </div>
    </Pane>
  )
}

/** Open, choose a folder, or paste. */
export function FilePane(props: {
  readonly busy: boolean
  readonly onOpen: (spec: () => Promise<SourceSpec>) => void
}) {
  const { busy, onOpen } = props
  const [text, setText] = useState('')
  const open = (chosen: readonly File[]): void => onOpen(() => sourceOfFiles(chosen))
  return (
    <Pane title="Files">
      <div className={styles['form']}>
        <div className={styles['drop']}>
          <p className="prose muted">
            Drop files or a folder anywhere on this window, or choose them here: /metrics pages, debug dumps, manifests,
            audit and request logs, also in archives (tar, zip, gzip, zstd), or an exported recording (.apfrec). They
            are read on this machine, and the Overview opens.
          </p>
          <Buttons>
            <FilesButton primary disabled={busy} label="Files to open" onFiles={open}>
              {busy ? 'Opening…' : 'Choose files'}
            </FilesButton>
            <FilesButton folder disabled={busy} label="Folder to open" onFiles={open}>
              Choose a folder
            </FilesButton>
          </Buttons>
        </div>
        <TextArea label="Or paste a /metrics page or a dump" rows={6} value={text} onChange={setText} />
        <Buttons>
          <Button
            disabled={busy || text.trim() === ''}
            // The parser treats a page whose last line has no newline as truncated; copied text rarely has one.
            onClick={() => onOpen(async () => ({ kind: 'files', files: [{ name: 'pasted', text: `${text}\n` }] }))}
          >
            Open the pasted text
          </Button>
        </Buttons>
      </div>
    </Pane>
  )
}

export function DemoPane({ busy, shown, onOpen }: Omit<SourcePaneProps, 'onFill'>) {
  const again = shown?.kind === 'demo'
  return (
    <Pane title="Recorded demo">
      <div className={styles['form']}>
        <p className="prose muted">
          A recording of a real API server while clients overload it: seats move between levels, queues fill, requests
          are rejected, and all of it recovers. It repeats and needs no cluster.
        </p>
        <Buttons>
          <Button primary={!again} disabled={busy} onClick={() => onOpen({ kind: 'demo' })}>
            {busy ? 'Opening…' : again ? 'Restart the recording' : 'Play the recording'}
          </Button>
        </Buttons>
      </div>
    </Pane>
  )
}
