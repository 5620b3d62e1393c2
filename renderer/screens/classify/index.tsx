import { useEffect } from 'react'
import { client } from '../../state/client.ts'
import { startRequestTests } from '../../state/requestTests.ts'
import { useRoute } from '../../state/route.ts'
import { CoveragePage } from './coverage/CoveragePage.tsx'
import { startCoverage } from './shared/coverageStore.ts'
import { RequestPage } from './request/RequestPage.tsx'
import { ShardingPage } from './sharding/ShardingPage.tsx'
import { TestsPage } from './tests/TestsPage.tsx'

/** Where requests go: a single request, a saved table, all requests seen, and how flows share queues. */
export function ClassifyScreen() {
  const { page } = useRoute()
  useEffect(() => startRequestTests(client()), [])
  useEffect(startCoverage, [])
  if (page === 'tests') return <TestsPage />
  if (page === 'coverage') return <CoveragePage />
  if (page === 'sharding') return <ShardingPage />
  return <RequestPage />
}
