import { isMandatory, isSuggested } from '../config/builtInByVersion.ts'
import type { ServerFrame } from '../frame/frame.ts'
import type { GuardChange } from './changes.ts'
import type { ObjectRef } from './finding.ts'

/** A change that is applied only after its name was typed. */
export interface Confirmation extends ObjectRef {
  /** Sentences. */
  readonly reasons: readonly string[]
}

/** Changes of built-in objects, deletions, and changes of levels that hold requests now. In the order of the changes. */
export function confirmationsFor(
  changes: readonly GuardChange[],
  {
    version = '',
    servers = [],
  }: { readonly version?: string | undefined; readonly servers?: readonly ServerFrame[] | undefined },
): readonly Confirmation[] {
  return changes.flatMap((change) => {
    const { kind, name, from, to } = change
    if (from === null && to === null) return []
    const reasons = [
      ...(isMandatory(kind, name) ? [`${name} is mandatory: no server can do without it.`] : []),
      ...(isSuggested(kind, name, version) ? [`${name} is one of Kubernetes’ own objects.`] : []),
      ...(to === null ? [`${name} is deleted.`] : []),
      ...(kind === 'PriorityLevelConfiguration' && from !== null ? traffic(name, servers) : []),
    ]
    return reasons.length === 0 ? [] : [{ kind, name, reasons }]
  })
}

function traffic(name: string, servers: readonly ServerFrame[]): readonly string[] {
  let [executing, queued] = [0, 0]
  for (const { levels } of servers) {
    const requests = levels.find((level) => level.name === name)?.requests
    executing += requests?.executing ?? 0
    queued += requests?.queued ?? 0
  }
  return executing + queued === 0 ? [] : [`${name} holds ${executing} executing and ${queued} waiting requests now.`]
}
