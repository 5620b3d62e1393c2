import type { Connection, SourceSpec } from '../../../core/contract/source.ts'
import { client } from '../../state/client.ts'
import type { ScreenName } from '../../state/route.logic.ts'
import { openScreen, routeNow } from '../../state/route.ts'
import { useTask, type Task } from './useTask.ts'

export interface Connecting {
  readonly task: Task<Connection>
  /** Connects; on success the overview opens, or the screen that is named, unless the user has left. A source that takes time to make is a function. */
  readonly connect: (spec: SourceSpec | (() => Promise<SourceSpec>), then?: ScreenName) => void
}

export function useConnecting(): Connecting {
  const [task, start] = useTask<Connection>()
  const connect = async (spec: SourceSpec | (() => Promise<SourceSpec>), then: ScreenName): Promise<void> => {
    const { screen } = routeNow()
    const connected = await start(async () =>
      client().call('sources.connect', { spec: typeof spec === 'function' ? await spec() : spec }),
    )
    // Whoever went elsewhere while the source was being made stays there.
    if (connected && routeNow().screen === screen) openScreen(then)
  }
  return { task, connect: (spec, then = 'overview') => void connect(spec, then) }
}
