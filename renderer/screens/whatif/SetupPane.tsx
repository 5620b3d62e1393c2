import { letterOf } from '../../../core/whatif/present.ts'
import { useState, type ReactNode } from 'react'
import type { Problem } from '../../../core/errors.ts'
import type { LibraryScenario } from '../../../core/contract/whatif.ts'
import { MOST_VARIANTS } from '../../../core/bounds.ts'
import { ALGORITHM_OPTIONS } from '../../../core/engine/profiles.ts'
import { Button, Segment } from '../../components/Button.tsx'
import type { DataColumn } from '../../components/dataColumns.ts'
import { inputClass, Select, SelectField, TextField } from '../../components/Field.tsx'
import { scrollRegion } from '../../components/classes.ts'
import { Icon } from '../../components/Icon.tsx'
import { Pane } from '../../components/Pane.tsx'
import { PlainTable } from '../../components/PlainTable.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { OpenRun } from './RunButton.tsx'
import {
  variantNameOf,
  withCandidate,
  withRequests,
  type FormError,
  type Known,
  type ObjectsOf,
  type VariantField,
  type VariantForm,
  type WhatIfForm,
} from './form.logic.ts'
import styles from './whatif.module.css'

interface SetupPaneProps {
  readonly form: WhatIfForm
  readonly known: Known
  readonly sourceName: string | undefined
  readonly errors: readonly FormError[]
  /** Why the library is not listed. */
  readonly problem: Problem | undefined
  readonly actions: ReactNode
  readonly onChange: (form: WhatIfForm) => void
}

/** The requests, and the variants that receive them. */
export function SetupPane(props: SetupPaneProps) {
  const { form, known, sourceName, errors, problem, actions, onChange } = props
  const { variants } = form
  const setVariant = (index: number, change: Partial<VariantForm>): void =>
    onChange({ ...form, variants: variants.map((one, at) => (at === index ? { ...one, ...change } : one)) })
  const scenario = known.scenarios.find(({ name }) => name === form.from)
  const isFull = variants.length >= MOST_VARIANTS
  return (
    <Pane title="Requests and variants" note="A is the baseline" actions={actions}>
      <div className={styles['requests']}>
        <SelectField
          label="Requests"
          value={form.from}
          options={requestOptions(known, sourceName)}
          onChange={(from) => onChange(withRequests(form, from, known.scenarios))}
        />
        {form.from !== 'recorded' && (
          <TextField
            label="Seed"
            kind="number"
            value={form.seed}
            error={errors.find(({ field }) => field === 'seed')?.message}
            onChange={(seed) => onChange({ ...form, seed })}
          />
        )}
        {form.from === 'cluster' && (
          <TextField
            label="Seconds"
            kind="number"
            value={form.seconds}
            error={errors.find(({ field }) => field === 'seconds')?.message}
            onChange={(seconds) => onChange({ ...form, seconds })}
          />
        )}
        {form.from !== 'recorded' && (
          <Segment
            label="Clients"
            value={form.clients}
            options={CLIENTS}
            onChange={(clients) => onChange({ ...form, clients })}
          />
        )}
        <p className={styles['hint']}>{form.clients === 'open' ? OPEN : CLOSED}</p>
        {scenario !== undefined && <p className={styles['hint']}>{scenario.teaches}</p>}
        {scenario !== undefined && <ScenarioRun key={scenario.name} scenario={scenario} />}
      </div>
      <div className="scroll" {...scrollRegion('Variants')}>
        <PlainTable
          caption="Variants"
          columns={variantColumns({ errors, known, sourceName, variants, onVariant: setVariant })}
          rows={variants.map((variant, index) => ({ variant, index }))}
          rowKey={({ index }) => index}
          className={styles['form']}
        />
      </div>
      <div className="row wrap gap-8 pad-x pad-y-8 line-below">
        <Button small disabled={isFull} onClick={() => onChange(withCandidate(form))}>
          <Icon name="plus" size={13} /> Add candidate
        </Button>
        <Button
          small
          disabled={variants.length <= 2}
          onClick={() => onChange({ ...form, variants: variants.slice(0, -1) })}
        >
          Remove {letterOf(variants.length - 1)}
        </Button>
        {errors.some(({ variant }) => variant !== undefined) && (
          <ul role="alert" className="bad">
            {errors.flatMap(({ variant, field, message }) =>
              variant === undefined
                ? []
                : [
                    <li key={`${variant} ${field} ${message}`}>
                      {letterOf(variant)}, {FIELD_NAMES[field]}: {message}
                    </li>,
                  ],
            )}
          </ul>
        )}
        {problem !== undefined && <ProblemNote problem={problem} alert />}
      </div>
    </Pane>
  )
}

/** A scenario as written, phases included, next to the comparison of its clients. */
function ScenarioRun({ scenario: { name, seed, steppable } }: { readonly scenario: LibraryScenario }) {
  const [variant, setVariant] = useState(steppable.at(-1) ?? '')
  return (
    <>
      <SelectField label="Scenario variant" value={variant} options={steppable} onChange={setVariant} />
      <OpenRun of={{ kind: 'scenario', name, seed, variant }} steppable={steppable.includes(variant)}>
        Step through the scenario
      </OpenRun>
    </>
  )
}

const CLIENTS = { open: 'Open loop', closed: 'Closed loop' }
const OPEN =
  'Every variant receives the same requests, regardless of its decisions. Clients do not slow down when rejected.'
const CLOSED = 'Clients wait for answers, back off and retry, so each variant gets its own requests.'

function requestOptions({ scenarios, connection }: Known, sourceName: string | undefined) {
  const recorded = connection === undefined ? 'Recorded requests (nothing is connected)' : `Recorded: ${sourceName}`
  return [
    ['cluster', 'Simulated cluster'],
    ['recorded', recorded, connection === undefined],
    ...scenarios
      .filter(({ server }) => server !== undefined)
      .map(({ name, title }) => [name, `${name}: ${title}`] as const),
  ] as const
}

const FIELD_NAMES: Readonly<Record<VariantField, string>> = {
  name: 'name',
  objects: 'objects',
  maxRequestsInFlight: 'requests in flight',
  maxMutatingRequestsInFlight: 'mutating requests in flight',
  servers: 'servers',
  version: 'version',
  algorithm: 'algorithm',
  executionFactor: 'execution factor',
  requestFactor: 'request factor',
  objectsPerSeat: 'objects per seat',
  bytesPerSeat: 'bytes per seat',
  watchesPerSeat: 'watches per seat',
}

interface Row {
  readonly variant: VariantForm
  readonly index: number
}

interface ColumnsOptions {
  readonly errors: readonly FormError[]
  readonly known: Known
  readonly sourceName: string | undefined
  readonly variants: readonly VariantForm[]
  readonly onVariant: (index: number, change: Partial<VariantForm>) => void
}

function variantColumns({
  errors,
  known,
  sourceName,
  variants,
  onVariant,
}: ColumnsOptions): readonly DataColumn<Row>[] {
  const attributes = (index: number, field: VariantField) => ({
    'aria-label': `${letterOf(index)}: ${FIELD_NAMES[field]}`,
    'aria-invalid': errors.some((error) => error.variant === index && error.field === field) || undefined,
    className: inputClass,
  })
  const typed = (field: VariantField, header: string, width: number, title?: string): DataColumn<Row> => ({
    id: field,
    header,
    width,
    ...(title !== undefined && { title }),
    cell: ({ variant, index }) => (
      <input
        {...attributes(index, field)}
        value={variant[field]}
        {...(field === 'name' && {
          placeholder: variantNameOf(variants, index),
          title: variantNameOf(variants, index),
        })}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => onVariant(index, { [field]: target.value })}
      />
    ),
  })
  const chosen = (
    field: VariantField,
    header: string,
    options: (index: number) => Parameters<typeof Select>[0]['options'],
    width: number,
  ): DataColumn<Row> => ({
    id: field,
    header,
    width,
    cell: ({ variant, index }) => (
      <Select
        {...attributes(index, field)}
        value={variant[field]}
        options={options(index)}
        onChange={(value) => onVariant(index, { [field]: value })}
      />
    ),
  })
  return [
    {
      id: 'letter',
      header: 'Variant',
      hiddenHeader: true,
      rowHeader: true,
      width: 36,
      cell: ({ index }) => letterOf(index),
    },
    typed('name', 'Name', 180),
    chosen('objects', 'Objects', (index) => objectsOptions(index, known, sourceName), 140),
    typed('maxRequestsInFlight', 'In flight', 84, 'max-requests-inflight of each server'),
    typed('maxMutatingRequestsInFlight', 'Mutating', 84, 'max-mutating-requests-inflight of each server'),
    typed('servers', 'Servers', 70, 'Each user stays with one of them'),
    typed('version', 'Version', 110),
    chosen('algorithm', 'Algorithm', () => ALGORITHM_OPTIONS, 160),
    typed('executionFactor', 'Time ×', 70, 'Every execution time is multiplied by it'),
    typed('requestFactor', 'Sent ×', 66, 'The part of the requests that clients send, open loop alone'),
    typed(
      'objectsPerSeat',
      'Objects/seat',
      88,
      'Objects of a list for each of its seats, where lists cost by number (until 1.33)',
    ),
    typed(
      'bytesPerSeat',
      'Bytes/seat',
      104,
      'Bytes of a list for each of its seats, where lists cost by size (since 1.34)',
    ),
    typed('watchesPerSeat', 'Watches/seat', 88, 'Watches that hear of a change for each seat that it keeps afterwards'),
  ]
}

function objectsOptions(index: number, { scenarios, source, draft }: Known, sourceName: string | undefined) {
  const usual = index > 0 ? 'as A' : scenarios.length > 0 ? 'built-in or scenario’s' : 'built-in'
  const options: (readonly [ObjectsOf, string])[] = [['usual', usual]]
  if (index > 0) options.push(['built-in', 'built-in'])
  if (source !== undefined) options.push(['source', `of ${sourceName ?? 'the source'}`])
  if (draft !== undefined) options.push(['draft', 'draft of the Editor'])
  return options
}
