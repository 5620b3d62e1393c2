import type { User } from '../request/match.ts'
import type { ClientPlan } from './clients.ts'
import { CallBook, callMix, type ClientGroup, numbered, type Workload } from './workload.ts'

/** An independent actor: a client with all its calls, one thread of it, or one of its informers. */
export interface ClientPart {
  readonly group: string
  /** The name of its random numbers, different from those of others. */
  readonly name: string
  readonly plan: ClientPlan
}

export function partsOf(workload: Workload): readonly ClientPart[] {
  const book = new CallBook(workload)
  return workload.groups.flatMap((group) =>
    Array.from({ length: group.clients }, (_, index) =>
      plansOf(group, index, book).map(({ part, plan }) => ({
        group: group.name,
        name: `${group.name}/${index}/${part}`,
        plan,
      })),
    ).flat(),
  )
}

function plansOf(
  { user: template, behaviour }: ClientGroup,
  index: number,
  book: CallBook,
): readonly { readonly part: string; readonly plan: ClientPlan }[] {
  const user: User = {
    name: numbered(template.name, index),
    groups: template.groups.map((group) => numbered(group, index)),
  }
  switch (behaviour.kind) {
    case 'open': {
      const { calls, ...open } = behaviour
      return [{ part: 'calls', plan: { ...open, mix: callMix(book, user, index, calls) } }]
    }
    case 'closed': {
      const { calls, ...closed } = behaviour
      const mix = callMix(book, user, index, calls)
      return Array.from({ length: behaviour.threads }, (_, thread) => ({
        part: `thread ${thread}`,
        plan: { ...closed, mix, thread },
      }))
    }
    case 'on demand': {
      const mix = callMix(book, user, index, behaviour.calls)
      return Array.from({ length: behaviour.threads }, (_, thread) => ({
        part: `thread ${thread}`,
        plan: { kind: 'on demand', mix, think: behaviour.think },
      }))
    }
    case 'informer':
      return behaviour.targets.map((one) => {
        const target = numbered(one, index)
        const separator = target.includes('?') ? '&' : '?'
        const list = book.prepare(user, 'GET', `${target}${separator}resourceVersion=0&limit=500`)
        const watch = book.prepare(user, 'GET', `${target}${separator}watch=true&resourceVersion=1`)
        return { part: target, plan: { ...behaviour, list, watch } }
      })
  }
}
