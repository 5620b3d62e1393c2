import { useDeferredValue, useEffect, useMemo } from 'react'
import type { DraftEntries } from '../../../../core/draft/draft.ts'
import type { GuardFinding } from '../../../../core/guard/finding.ts'
import { guardRails, wholeSetChecks } from '../../../../core/guard/guardRails.ts'
import { client } from '../../../state/client.ts'
import { useDraft } from '../../../state/draft.ts'
import { useObjects } from '../../../state/objects.ts'
import { startRequestTests, useRequestTests } from '../../../state/requestTests.ts'
import { viewStore } from '../../../state/view.ts'

/** Objects that only stand somewhere are like files. */
const GUARDED_AS = {
  cluster: 'cluster',
  simulation: 'simulation',
  proxy: 'proxy',
  feed: 'files',
  files: 'files',
  'built-in': 'files',
} as const

export interface Guard {
  /** The draft that was looked at; while it is not the present one, the findings are those of a moment ago. */
  readonly of: DraftEntries
  readonly rails: readonly GuardFinding[]
  /** The draft has errors, so these are findings about its last valid values and no check counts as passed. */
  readonly stale: boolean
  readonly checks: readonly GuardFinding[]
}

/** What the draft puts at risk. Computed after the letters of a keystroke are on the screen. */
export function useGuard(serverLimit: number): Guard | undefined {
  const draft = useDeferredValue(useDraft())
  // Without the table its rail says nothing.
  useEffect(() => startRequestTests(client()), [])
  const { tests } = useRequestTests()
  const state = useObjects()
  const user = state?.editing.state === 'on' ? state.editing.user : undefined
  return useMemo(() => {
    const { base, proposal, entries } = draft
    if (base === undefined || proposal === undefined) return undefined
    const { origin, objects: before, version } = base
    // Traffic as it is when the draft changes: rails are about what is there, and do not flicker with each sample.
    const { frame } = viewStore.getState()
    const context = {
      version,
      serverLimit,
      origin: GUARDED_AS[origin],
      tests,
      user,
      ...(origin !== 'files' && origin !== 'built-in' ? { servers: frame?.servers } : {}),
    }
    const { objects: after } = proposal
    return {
      of: entries,
      rails: railsOf(entries.length === 0 ? [] : guardRails({ before, after, context }), proposal.stale.length > 0),
      stale: proposal.stale.length > 0,
      checks: wholeSetChecks(after, version),
    }
  }, [draft, serverLimit, tests, user])
}

/** What a draft with errors would pass, nobody knows. */
export const railsOf = (found: readonly GuardFinding[], stale: boolean): readonly GuardFinding[] =>
  stale ? found.filter(({ severity }) => severity !== 'passes') : found
