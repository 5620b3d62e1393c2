import { messageOf } from '../../core/errors.ts'
import type { AdmissionGate } from './admissionGate.ts'
import { memberMetrics } from './memberMetrics.ts'
import { type MemberStatus, readStatus } from './requests.ts'
import { callUnary, UpstreamConnection, type Upstream } from './upstream.ts'

/** etcd's own default, used where etcd does not report its quota (QoS specification 5). */
const DEFAULT_QUOTA_BYTES = 2 * 1024 ** 3
const EVERY_MS = 1_000
/** After this time without a reading, the value is unknown. */
const STALE_MS = 10_000

/** The member's own report, and how full its store is. */
export interface StorageReading {
  readonly status: MemberStatus
  /** Bytes. */
  readonly quota: number
  /** Members before etcd 3.6 do not report their quota in the status. */
  readonly quotaFrom: 'status' | 'metrics' | 'default'
}

export interface StorageWatch {
  /** `undefined` when the member has not answered yet, or not for 10 s. */
  readonly reading: () => StorageReading | undefined
  close(): void
}

const QUOTA = /^etcd_server_quota_backend_bytes (\S+)$/m

/** The quota of a member before etcd 3.6, from its metrics page; `undefined` where the page does not contain it. */
async function metricsQuota(upstream: Upstream): Promise<number | undefined> {
  const quota = Number(QUOTA.exec(await memberMetrics(upstream))?.[1])
  return quota > 0 ? quota : undefined
}

/**
 * Reads the status of the member every second, for conditions on its storage quota. `onReach` is called with the reason
 * when the member cannot be reached, each time that it changes, and without one when it answers again.
 */
export function watchStorage(
  upstream: Upstream,
  gate: AdmissionGate,
  now: () => number,
  onReach: (problem: string | undefined) => void,
): StorageWatch {
  const connection = new UpstreamConnection(upstream)
  let reading: StorageReading | undefined
  let readAt = now()
  let busy = false
  let found: number | undefined
  let problem: string | undefined
  const reach = (latest: string | undefined): void => {
    if (latest === problem) return
    problem = latest
    onReach(latest)
  }
  const look = async (): Promise<void> => {
    if (busy) return
    busy = true
    try {
      const status = readStatus(await callUnary(connection, '/etcdserverpb.Maintenance/Status'))
      if (status.dbSizeQuota === 0) found ??= await metricsQuota(upstream)
      const reported = status.dbSizeQuota > 0
      const quota = reported ? status.dbSizeQuota : (found ?? DEFAULT_QUOTA_BYTES)
      reading = { status, quota, quotaFrom: reported ? 'status' : found === undefined ? 'default' : 'metrics' }
      readAt = now()
      reach(undefined)
      gate.setStorageQuotaUsed(status.dbSizeInUse / quota)
    } catch (error) {
      reach(messageOf(error))
      if (now() - readAt >= STALE_MS) {
        reading = undefined
        gate.setStorageQuotaUsed(undefined)
      }
    } finally {
      busy = false
    }
  }
  void look()
  const timer = setInterval(() => void look(), EVERY_MS)
  timer.unref()
  return {
    reading: () => reading,
    close() {
      clearInterval(timer)
      connection.close()
    },
  }
}
