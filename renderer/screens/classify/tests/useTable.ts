import { useMemo, useState } from 'react'
import { runRequestTests } from '../../../../core/classify/configuration.ts'
import type { RequestTest } from '../../../../core/contract/objects.ts'
import { changeRequestTests, useRequestTests } from '../../../state/requestTests.ts'
import type { Configurations } from '../shared/useConfigurations.ts'
import { testRows, type TestRow } from './table.logic.ts'

export interface Table {
  readonly rows: readonly TestRow[]
  /** Changes the table in a way that can be taken back; `what` says what was done. */
  readonly change: (what: string, change: (tests: readonly RequestTest[]) => readonly RequestTest[]) => void
  /** The last change that can be taken back. */
  readonly last: { readonly what: string; readonly undo: () => void } | undefined
}

/** The saved requests, run on the present and on the proposed configuration at every change of either. */
export function useTable({ current, draft }: Pick<Configurations, 'current' | 'draft'>): Table {
  const { tests } = useRequestTests()
  const now = useMemo(() => runRequestTests(current.objects, tests), [current.objects, tests])
  const proposed = useMemo(() => draft && runRequestTests(draft, tests), [draft, tests])
  const rows = useMemo(() => testRows(now, proposed), [now, proposed])
  const [done, setDone] = useState<{ readonly what: string; readonly before: readonly RequestTest[] }>()
  return {
    rows,
    change: (what, change) => {
      setDone({ what, before: tests })
      changeRequestTests(change)
    },
    last: done && {
      what: done.what,
      undo: () => {
        changeRequestTests(() => done.before)
        setDone(undefined)
      },
    },
  }
}
