import type { Connection, SourceSpec } from '../../../core/contract/source.ts'
import { client } from '../../state/client.ts'
import { openScreen } from '../../state/route.ts'
import { useTask, type Task } from './useTask.ts'

export interface Connecting {
  readonly task: Task<Connection>
  /** Connects; on success the overview opens. A source that takes time to make is a function. */
  readonly connect: (spec: SourceSpec | (() => Promise<SourceSpec>)) => void
}

export function useConnecting(): Connecting {
  const [task, start] = useTask<Connection>()
  const connect = async (spec: SourceSpec | (() => Promise<SourceSpec>)): Promise<void> => {
    const connected = await start(async () =>
      client().call('sources.connect', { spec: typeof spec === 'function' ? await spec() : spec }),
    )
    if (connected) openScreen('overview')
  }
  return { task, connect: (spec) => void connect(spec) }
}
