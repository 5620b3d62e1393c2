import { useCallback, useMemo, useState } from 'react'
import type { FlowName } from '../../../../core/sharding/overlap.ts'
import { useDump } from '../../../state/dumps.ts'
import { useViewPart } from '../../../state/view.ts'
import { flowsOfDump, keyOf, withFlow } from './flows.data.ts'

export interface Flows {
  readonly flows: readonly FlowName[]
  /** Whether a dump shows flows of the level that could be taken. */
  readonly inDump: number
  readonly take: () => void
  readonly add: (flow: FlowName) => void
  readonly remove: (flow: FlowName) => void
}

const NONE: readonly FlowName[] = []

/**
 * The flows whose hands are shown. Those of the first dump that has any stay until the reader takes those of a newer
 * one: rows must not move under the eye with every dump.
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
