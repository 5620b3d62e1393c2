import { useState } from 'react'
import { create } from 'zustand'
import type { SweepReport } from '../../../core/contract/sweep.ts'
import { heatMapOf, partOf, titleOf } from '../../../core/sweep/heatMap.ts'
import { Button } from '../../components/Button.tsx'
import { scrollRegion } from '../../components/classes.ts'
import { download } from '../../components/csv.ts'
import { SelectField, TextArea } from '../../components/Field.tsx'
import { Pane } from '../../components/Pane.tsx'
import { Note, ProblemNote } from '../../components/States.tsx'
import { client } from '../../state/client.ts'
import { followRun, type Running } from '../../state/running.ts'
import { format } from '../../theme/format.ts'

interface Sweep {
  /** What is typed; absent: the example. */
  readonly text?: string
  readonly run?: Running<SweepReport>
  readonly stop?: () => void
}

/** By scenario; outlives the screen, so that a sweep continues while another screen is shown. */
const sweepStore = create<Readonly<Partial<Record<string, Sweep>>>>(() => ({}))

const change = (name: string, part: Sweep): void =>
  sweepStore.setState((all) => ({ [name]: { ...all[name], ...part } }))

const USUAL_SEATS = 400

/** A sweep that every scenario of an API server can run. */
const example = (name: string, variant: string | undefined, seats: number): string => `name: seats and speed
base: { scenario: ${JSON.stringify(name)}${variant === undefined ? '' : `, variant: ${JSON.stringify(variant)}`} }
parameters:
  - { field: maxRequestsInFlight, values: [${[seats / 2, seats, seats * 2].map(Math.ceil).join(', ')}] }
  - { field: executionFactor, values: [0.5, 1, 2] }
  # - { level: workload-low, field: nominalConcurrencyShares, from: 50, to: 150, step: 50 }
  # - { level: workload-low, field: queues, values: [16, 64, 128] }
results:
  - { measure: failedPercent }
  - { measure: waitP99 }
`

/** Many settings of a scenario, and how a number depends on them. */
export function SweepPane(props: {
  readonly name: string
  /** The last variant with levels, and the seats of the server, where they are known. */
  readonly variant: string | undefined
  readonly seats: number | undefined
  /** Of a scenario that is not in the library. */
  readonly text: string | undefined
}) {
  const { name, variant, seats = USUAL_SEATS, text: own } = props
  const kept = sweepStore((all) => all[name])
  const { text = example(name, variant, seats), run, stop } = kept ?? {}
  const [open, setOpen] = useState(kept !== undefined)
  const start = (): void => {
    const wish = { text, ...(own !== undefined && { scenario: { file: name, text: own } }) }
    change(name, {
      stop: followRun<SweepReport>(
        (...on) => client().subscribe('sweep', wish, ...on),
        (now) => change(name, { run: now }),
      ),
    })
  }
  const cancel = (): void => {
    stop?.()
    sweepStore.setState((all) => ({ [name]: { text: all[name]?.text ?? text } }))
  }
  return (
    <Pane
      title="Sweep"
      note="how a number depends on two settings"
      actions={
        run?.state === 'running' ? (
          <>
            <progress max={1} value={run.part} aria-label="Progress of the sweep" />
            <Button small onClick={cancel}>
              Cancel
            </Button>
          </>
        ) : open ? (
          <>
            <Button small onClick={() => download('sweep.yaml', new Blob([text], { type: 'application/yaml' }))}>
              Save file
            </Button>
            <Button small primary onClick={start}>
              Run sweep
            </Button>
          </>
        ) : (
          <Button small onClick={() => setOpen(true)}>
            Set up a sweep
          </Button>
        )
      }
    >
      {open && (
        <div className="pad-x pad-t-8 pad-b-12">
          <TextArea
            label="Settings and results"
            hint="Runs on all processors; apf-console sweep takes the same file."
            className="mono"
            rows={text.split('\n').length}
            value={text}
            onChange={(next) => change(name, { text: next })}
          />
        </div>
      )}
      {run?.state === 'failed' && <ProblemNote problem={run.problem} alert />}
      {run?.state === 'done' && <Results report={run.report} />}
    </Pane>
  )
}

function Results({ report: { header, points } }: { readonly report: SweepReport }) {
  const { parameters, results } = header
  const [chosen, choose] = useState({ x: parameters[0] ?? '', y: parameters[1], result: results[0] ?? '' })
  const map = heatMapOf(header, points, chosen)
  const [refused] = points.flatMap(({ problem }) => problem ?? [])
  if (typeof map === 'string') return null
  return (
    <>
      <div className="flex wrap gap-8 pad-x pad-b-8">
        {parameters.length > 2 && (
          <>
            <SelectField
              label="Across"
              value={chosen.x}
              options={parameters}
              onChange={(x) => choose({ ...chosen, x })}
            />
            <SelectField
              label="Down"
              value={chosen.y ?? ''}
              options={parameters}
              onChange={(y) => choose({ ...chosen, y })}
            />
          </>
        )}
        <SelectField
          label="Result"
          value={chosen.result}
          options={results}
          onChange={(result) => choose({ ...chosen, result })}
        />
      </div>
      {refused !== undefined && <Note kind="warn">{`Some values cannot be run. ${refused}`}</Note>}
      <div className="scroll-x pad-x pad-b-12" {...scrollRegion('Results of the sweep')}>
        <p className="muted pad-b-8">{titleOf(map)}</p>
        <table className="mono" aria-label={titleOf(map)}>
          <thead>
            <tr>
              <th scope="col" className="muted">
                {map.y}
              </th>
              {map.columns.map((value) => (
                <th key={value} scope="col" className="pad-x">
                  {format.amount(value)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {map.rows.map((row, at) => (
              <tr key={row}>
                <th scope="row" className="right">
                  {map.y === undefined ? '' : format.amount(row)}
                </th>
                {map.cells[at]?.map((value, column) => (
                  <td
                    key={map.columns[column]}
                    className="pad-x"
                    style={value === undefined ? {} : shade(partOf(map, value))}
                  >
                    {format.amount(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

/** At most this part of the colour, in percent: letters stay readable on it in both themes. */
const DARKEST = 40
const shade = (part: number) => ({
  background: `color-mix(in srgb, var(--sem-info) ${Math.round(part * DARKEST)}%, transparent)`,
})
