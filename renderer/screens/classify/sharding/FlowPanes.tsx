import { useMemo, useState, type SyntheticEvent, useCallback } from 'react'
import type { FlowHand, Overlap, FlowName } from '../../../../core/sharding/overlap.ts'
import { DataTable, type DataColumn } from '../../../components/DataTable.tsx'
import { valueColumn } from '../../../components/dataColumns.ts'
import { Pane } from '../../../components/Pane.tsx'
import { inputClass } from '../../../components/Field.tsx'
import { HandStrips } from '../../../charts/Hands.tsx'
import { levelStyle, NO_LEVEL_STYLE, useSize } from '../../../charts/plot.tsx'
import { Button } from '../../../components/Button.tsx'
import { ChartFrame } from '../../../components/ChartFrame.tsx'
import { flowName } from '../../../../core/frame/flow.ts'
import { useDump } from '../../../state/dumps.ts'
import { useViewPart } from '../../../state/view.ts'
import styles from '../shared/classify.module.css'
import { keyOf, pairRows, type PairRow, FLOWS_DRAWN, overlapSentence, flowsOfDump, withFlow } from './shape.data.ts'

const nameOf = ({ schema, distinguisher }: FlowName): string => flowName(distinguisher, schema)

const flowColumns = (remove: (flow: FlowName) => void): readonly DataColumn<FlowHand>[] => [
  valueColumn('flow', 'Flow', nameOf, { term: 'flow', look: () => 'mono' }),
  { id: 'schema', header: 'Flow schema', term: 'flow-schema', value: (row) => row.schema },
  valueColumn('hash', 'Hash', (row) => row.hash.toString(), { term: 'flow-hash', align: 'right', look: () => 'mono' }),
  valueColumn('digits', 'Digits', (row) => row.digits.join(' '), {
    title: 'The hash in mixed radix: the place of each queue of the hand among those that are left',
    look: () => 'mono',
  }),
  { id: 'hand', header: 'Hand', term: 'hand', look: () => 'mono', value: (row) => row.hand.join(' ') },
  valueColumn('own', 'Own queues', (row) => row.own.length, {
    title: 'Queues of the hand that no other of these flows has',
    align: 'right',
  }),
  {
    id: 'remove',
    header: 'Remove',
    hiddenHeader: true,
    align: 'right',
    cell: (row) => (
      <button
        type="button"
        className={styles['remove']}
        aria-label={`Remove ${nameOf(row)}`}
        onClick={() => remove(row)}
      >
        ×
      </button>
    ),
  },
]

export function FlowsPane(props: {
  readonly overlap: Overlap
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
  readonly onRemove: (flow: FlowName) => void
  /** Schemas that send requests to the level. */
  readonly schemas: readonly string[]
  readonly onAdd: (flow: FlowName) => void
}) {
  const { overlap, chosen, onChoose, onRemove, schemas, onAdd } = props
  const columns = useMemo(() => flowColumns(onRemove), [onRemove])
  return (
    <Pane title="Flows" className={styles['low']}>
      <AddFlow schemas={schemas} onAdd={onAdd} />
      <DataTable
        caption="Flows and their hands"
        columns={columns}
        rows={overlap.flows}
        rowKey={keyOf}
        selectedKey={chosen}
        onOpen={(row) => onChoose(keyOf(row))}
        csvName="hands"
        density="compact"
        empty="No flow yet."
      />
    </Pane>
  )
}

const PAIR_COLUMNS: readonly DataColumn<PairRow>[] = [
  { id: 'first', header: 'Flow', term: 'flow', value: (row) => nameOf(row.names[0]) },
  { id: 'second', header: 'And', value: (row) => nameOf(row.names[1]) },
  { id: 'count', header: 'Shared', align: 'right', value: (row) => row.queues.length },
  { id: 'queues', header: 'Queues', term: 'queues', value: (row) => row.queues.join(' ') },
]

export function PairsPane({ overlap }: { readonly overlap: Overlap }) {
  const rows = useMemo(() => pairRows(overlap), [overlap])
  return (
    <Pane title="Shared queues" note="pairs that share most first" className={styles['low']}>
      <DataTable
        caption="Shared queues"
        columns={PAIR_COLUMNS}
        rows={rows}
        rowKey={({ first, second }) => `${first} ${second}`}
        csvName="shared-queues"
        density="compact"
        empty={
          overlap.flows.length < 2 ? 'Add a second flow to see shared queues.' : 'No two of these flows share a queue.'
        }
      />
    </Pane>
  )
}

/** A flow by schema and distinguisher: a user name or a namespace. */
function AddFlow({
  schemas,
  onAdd,
}: {
  readonly schemas: readonly string[]
  readonly onAdd: (flow: FlowName) => void
}) {
  const [schema, setSchema] = useState<string>()
  const [distinguisher, setDistinguisher] = useState('')
  const named = schema ?? schemas[0] ?? ''
  const onSubmit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (named.trim() === '') return
    onAdd({ schema: named.trim(), distinguisher })
    setDistinguisher('')
  }
  return (
    <form className={styles['add']} onSubmit={onSubmit}>
      <input
        className={inputClass}
        aria-label="Flow schema"
        placeholder="flow schema"
        list="schemas-of-level"
        autoComplete="off"
        value={named}
        onChange={({ target }) => setSchema(target.value)}
      />
      <datalist id="schemas-of-level">
        {schemas.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
      <input
        className={inputClass}
        aria-label="Flow distinguisher: user or namespace"
        placeholder="user or namespace, as the schema specifies"
        autoComplete="off"
        value={distinguisher}
        onChange={({ target }) => setDistinguisher(target.value)}
      />
      <Button type="submit" disabled={named.trim() === ''}>
        Add flow
      </Button>
    </form>
  )
}

interface HandsPaneProps {
  readonly level: string | undefined
  readonly queues: number
  readonly flows: Flows
  readonly overlap: Overlap
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
}

/** The queues that each flow is dealt, and where hands overlap. */
export function HandsPane({ level, queues, flows, overlap, chosen, onChoose }: HandsPaneProps) {
  const [box, { width }] = useSize()
  const shown = overlap.flows.slice(0, FLOWS_DRAWN)
  const more = overlap.flows.length - shown.length
  const sentence = overlapSentence(overlap)
  const actions = (
    <Button small onClick={flows.take} disabled={flows.inDump === 0}>
      Flows of the newest dump
    </Button>
  )
  return (
    <ChartFrame
      title="Hands"
      note={sentence === '' ? 'as dealt by each flow’s hash' : sentence}
      actions={level === undefined ? undefined : actions}
      table={{
        columns: ['Flow', 'Hash', 'Hand', 'Own queues'],
        rows: overlap.flows.map(({ schema, distinguisher, hash, hand, own }) => [
          `${schema}/${distinguisher}`,
          hash.toString(),
          hand.join(' '),
          own.join(' '),
        ]),
      }}
      time="calculated"
      fileName={`hands-${level ?? 'free'}`}
      label={`Hands of ${shown.length} flows in ${queues} queues. ${sentence}`}
    >
      <div ref={box} className={styles['strips']} style={level === undefined ? NO_LEVEL_STYLE : levelStyle(level)}>
        {shown.length === 0 ? (
          <p className={styles['empty']}>
            {queues === 1
              ? 'With one queue there is nothing to deal: all flows share it.'
              : 'Type a flow below, or take those of a debug dump that shows requests.'}
          </p>
        ) : (
          width > 0 && (
            <HandStrips
              strips={shown.map((flow) => ({
                key: keyOf(flow),
                name: flowName(flow.distinguisher, flow.schema),
                hand: flow.hand,
              }))}
              queues={queues}
              holders={overlap.holders}
              chosen={chosen}
              onChoose={onChoose}
              width={width}
            />
          )
        )}
        {more > 0 && <p className={styles['empty']}>{`${more} more in the table below.`}</p>}
      </div>
    </ChartFrame>
  )
}

interface Flows {
  readonly flows: readonly FlowName[]
  /** Number of flows of the level in the dump that can be loaded. */
  readonly inDump: number
  readonly take: () => void
  readonly add: (flow: FlowName) => void
  readonly remove: (flow: FlowName) => void
}

const NONE: readonly FlowName[] = []

/**
 * The flows whose hands are shown. The flows of the first dump that has any stay until the reader loads those of a
 * newer one, so that rows do not move with every dump.
 */
export function useFlows(level: string | undefined): Flows {
  const server = useViewPart((view) => view.server?.id)
  const dump = useDump(level === undefined ? undefined : server, level)
  const seen = useMemo(() => (level === undefined ? undefined : flowsOfDump(dump, level)), [dump, level])
  const [held, setHeld] = useState<{ readonly of: string | undefined; readonly flows: readonly FlowName[] }>()
  const flows = held !== undefined && held.of === level ? held.flows : undefined
  if (flows === undefined && seen !== undefined) setHeld({ of: level, flows: seen })

  const change = useCallback(
    (next: (flows: readonly FlowName[]) => readonly FlowName[]): void =>
      setHeld({ of: level, flows: next(flows ?? NONE) }),
    [level, flows],
  )
  return {
    flows: flows ?? NONE,
    inDump: seen?.length ?? 0,
    take: () => change((old) => seen ?? old),
    add: (flow) => change((old) => withFlow(old, flow)),
    remove: (flow) => change((old) => old.filter((one) => keyOf(one) !== keyOf(flow))),
  }
}
