import { EmptyState } from '../../components/States.tsx'
import { useRefusal } from '../../state/limits.ts'
import { useRoute } from '../../state/route.ts'
import { BesidePage } from './BesidePage.tsx'
import { ComparePage } from './ComparePage.tsx'
import { ScenariosPage } from './ScenariosPage.tsx'

/** Simulations: variants on the same requests, the library of scenarios, and two variants step by step. */
export function WhatIfScreen() {
  const { page } = useRoute()
  const why = useRefusal('whatIf')
  if (why !== undefined) {
    return (
      <EmptyState page="What-if" title="What-if is not available here.">
        <p>{why}</p>
      </EmptyState>
    )
  }
  switch (page) {
    case 'scenarios':
      return <ScenariosPage />
    case 'beside':
      return <BesidePage />
    default:
      return <ComparePage />
  }
}
