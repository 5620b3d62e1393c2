import type { ServerHealth } from '../../core/contract/source.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import type { Emit } from '../../core/source/sourceEvent.ts'

/** The events that a test received from a source. */
export interface Heard {
  readonly emit: Emit
  readonly frames: ServerFrame[]
  readonly dumps: DumpFrame[]
  /** The newest of each server. */
  readonly health: Map<string, ServerHealth>
}

export function heard(): Heard {
  const frames: ServerFrame[] = []
  const dumps: DumpFrame[] = []
  const health = new Map<string, ServerHealth>()
  const emit: Emit = (event) => {
    if (event.kind === 'frame') frames.push(event.frame)
    else if (event.kind === 'dump') dumps.push(event.dump)
    else if (event.kind === 'health') health.set(event.health.id, event.health)
  }
  return { emit, frames, dumps, health }
}
