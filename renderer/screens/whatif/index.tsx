import { useRoute } from '../../state/route.ts'
import { ComparePage } from './ComparePage.tsx'
import { ScenariosPage } from './ScenariosPage.tsx'

/** What would happen elsewhere: variants on the same requests, and the library of scenarios. */
export function WhatIfScreen() {
  const { page } = useRoute()
  return page === 'scenarios' ? <ScenariosPage /> : <ComparePage />
}
