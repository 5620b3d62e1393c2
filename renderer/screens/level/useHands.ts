import { useMemo, useState } from 'react'
import type { Queuing } from '../../../core/config/objects.ts'
import { dealtHand } from '../../../core/sharding/overlap.ts'
import type { QueueMarks } from '../../charts/queueField.data.ts'
import type { FlowRow } from '../../state/flows.logic.ts'
import { useServerObjects } from '../../state/objects.ts'
import type { HandsPaneProps } from './HandsPane.tsx'
import { levelShape } from './shape.data.ts'

export interface Hands {
  readonly marks: QueueMarks
  /** For the pane of hands; absent where they are not known, or where there is none to deal. */
  readonly pane: Omit<HandsPaneProps, 'queues'> | undefined
}

/**
 * Hand of the chosen flow and of one to compare it with. Only known with the objects, and while they are those of the
 * dump: it has as many queues as they say. Without them the queues in which the flow was seen.
 */
export function useHands(
  level: string,
  queues: number | undefined,
  flows: readonly FlowRow[],
  flow: FlowRow | undefined,
): Hands {
  const objects = useServerObjects()
  const queuing = useMemo(() => {
    const known = objects && levelShape(objects.levels, level)?.queuing
    return known?.queues === queues ? known : undefined
  }, [objects, level, queues])
  const [comparedKey, onCompare] = useState<string>()
  const others = useMemo(() => flows.filter(({ key }) => key !== flow?.key), [flows, flow?.key])
  const compared = others.find(({ key }) => key === comparedKey) ?? others[0]
  // Kept until the reader chooses or it is gone: the deepest other flow is another one every second.
  if (compared !== undefined && compared.key !== comparedKey) onCompare(compared.key)
  const hand = useHand(flow, queuing)
  const second = useHand(hand === undefined ? undefined : compared, queuing) ?? NO_QUEUES
  const seen = flow?.queues ?? NO_QUEUES
  const marks = useMemo(
    (): QueueMarks => ({
      hand: hand ?? seen,
      dealt: hand !== undefined,
      second,
      lengthLimit: queuing?.queueLengthLimit,
    }),
    [hand, second, seen, queuing],
  )
  if (queuing === undefined || queuing.queues <= 1) return { marks, pane: undefined }
  return { marks, pane: { queuing, flow, hand: hand ?? NO_QUEUES, others, compared, second, onCompare } }
}

const NO_QUEUES: readonly number[] = []

/** The same array as long as flow and queues are the same. */
function useHand(flow: FlowRow | undefined, queuing: Queuing | undefined): readonly number[] | undefined {
  const [schema, name] = [flow?.schema, flow?.flow]
  return useMemo(
    () =>
      schema === undefined || name === undefined || queuing === undefined
        ? undefined
        : dealtHand({ schema, distinguisher: name }, queuing),
    [schema, name, queuing],
  )
}
