import { afterAll, beforeAll } from 'vitest'
import { whyNoCluster } from './binaries.ts'
import { startCluster, type Cluster, type ClusterOptions } from './cluster.ts'

const reason = whyNoCluster()
if (reason !== undefined) console.warn(`The cluster tests are skipped: ${reason}.`)

/** Whether no server can be built here: for `describe.skipIf`. The reason has been printed. */
export const noCluster = reason !== undefined

/** Starts a server before the tests of the present `describe` and stops it after them. */
export function useCluster(options: ClusterOptions = {}): () => Cluster {
  let cluster: Cluster | undefined
  beforeAll(async () => {
    cluster = await startCluster(options)
  })
  afterAll(() => cluster?.stop())
  return () => {
    if (cluster === undefined) throw new Error('the cluster is not up')
    return cluster
  }
}
