import type { LiveRequest } from '../contract/live.ts'
import { bounded, type Counted, counting } from './tally.ts'

/** Kinds of requests, by sender, schema and target, that are told apart. */
const MOST_KINDS = 2_000

/** Requests without a namespace of one sender that one schema matched. */
export interface WithoutNamespace extends Counted {
  readonly example: Pick<LiveRequest, 'user' | 'groups' | 'verb' | 'url' | 'schema'>
}

/** Counts requests that have no namespace: only a part of the rules can match them. Takes each request once. */
export class WithoutNamespaceTally {
  private readonly kinds = new Map<string, { example: WithoutNamespace['example']; counted: Counted | undefined }>()

  take({ at, user, groups, verb, url, schema, resource, namespace }: LiveRequest): void {
    if (namespace !== '' || user === '') return
    const key = [schema, user, verb, resource].join(' ')
    const example = { user, groups, verb, url, schema }
    const kind = bounded(this.kinds, key, MOST_KINDS, () => ({ example, counted: undefined as Counted | undefined }))
    if (kind !== undefined) kind.counted = counting(kind.counted, at)
  }

  read(): readonly WithoutNamespace[] {
    return [...this.kinds.values()].flatMap(({ example, counted: of }) => (of === undefined ? [] : { example, ...of }))
  }
}
