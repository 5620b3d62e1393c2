import { useMemo, useState, type SyntheticEvent, useCallback } from 'react'
import { sentenceText } from '../../../../core/answer/answer.ts'
import type { Overlap, FlowName } from '../../../../core/sharding/overlap.ts'
import { flowsTable, flowText, overlapSentence, pairsTable } from '../../../../core/sharding/present.ts'
import { AnswerGrid, type AnswerCells } from '../../../components/answer/Answer.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { inputClass } from '../../../components/Field.tsx'
import { HandStrips } from '../../../charts/Hands.tsx'
import { levelStyle, NO_LEVEL_STYLE, useSize } from '../../../charts/plot.tsx'
import { Button } from '../../../components/Button.tsx'
import { ChartFrame } from '../../../components/ChartFrame.tsx'
import { format } from '../../../theme/format.ts'
import { useDump } from '../../../state/dumps.ts'
import { useViewPart } from '../../../state/view.ts'
import styles from '../shared/classify.module.css'
import { keyOf, FLOWS_DRAWN, flowsOfDump, withFlow } from './shape.data.ts'

const mono = (text: string) => <span className="mono">{text}</span>

/** As wide as a hash is: wider than other numbers. */
const CONTENT = { hash: 'auto', own: 'auto' } as const

const cellsOf = (flows: readonly FlowName[], onRemove: (flow: FlowName) => void): AnswerCells => ({
  flow: mono,
  hash: mono,
  digits: (text) => <span className="mono tiny">{text}</span>,
  hand: mono,
  own: (text, index) => <OwnQueues text={text} flow={flows[index]} onRemove={onRemove} />,
})

function OwnQueues(props: {
  readonly text: string
  readonly flow: FlowName | undefined
  readonly onRemove: (flow: FlowName) => void
}) {
  const { text, flow, onRemove } = props
  return (
    <>
      {text}
      {flow !== undefined && (
        <button
          type="button"
          className="icon-button"
          aria-label={`Remove ${flowText(flow)}`}
          onClick={() => onRemove(flow)}
        >
          ×
        </button>
      )}
    </>
  )
}

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
  const { flows } = overlap
  return (
    <Pane title="Flows" className={styles['low']}>
      <AddFlow schemas={schemas} onAdd={onAdd} />
      <AnswerGrid
        table={flowsTable(overlap)}
        cells={cellsOf(flows, onRemove)}
        widths={CONTENT}
        selected={flows.findIndex((flow) => keyOf(flow) === chosen)}
        onOpen={(index) => flows[index] && onChoose(keyOf(flows[index]))}
        csvName="hands"
        density="compact"
        empty="No flow yet."
      />
    </Pane>
  )
}

export function PairsPane({ overlap }: { readonly overlap: Overlap }) {
  const table = useMemo(() => pairsTable(overlap), [overlap])
  return (
    <Pane title={table.title} note={table.note} className={styles['low']}>
      <AnswerGrid
        table={table}
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
  const sentence = sentenceText(overlapSentence(overlap), format)
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
          <p className="pad-x pad-y-6 muted">
            {queues === 1
              ? 'With one queue there is nothing to deal: all flows share it.'
              : 'Type a flow below, or take those of a debug dump that shows requests.'}
          </p>
        ) : (
          width > 0 && (
            <HandStrips
              strips={shown.map((flow) => ({
                key: keyOf(flow),
                name: flowText(flow),
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
        {more > 0 && <p className="pad-x pad-y-6 muted">{`${more} more in the table below.`}</p>}
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
