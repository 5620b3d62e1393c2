import type { Door } from './door.ts'
import { type MemberStatus, readStatus } from './requests.ts'
import { callUnary, UpstreamConnection, type Upstream } from './upstream.ts'

/** etcd's own default, where it does not say its quota (QoS specification 5). */
const DEFAULT_QUOTA_BYTES = 2 * 1024 ** 3
const EVERY_MS = 1_000
/** Without a reading for as long, the value is not known. */
const STALE_MS = 10_000

/** What the member said of itself, and how full its store is. */
export interface StorageReading {
  readonly status: MemberStatus
  readonly quota: number
}

export interface StorageWatch {
  /** `undefined` when the member has not answered for 10 s. */
  readonly reading: () => StorageReading | undefined
  close(): void
}

/** Reads the status of the member every second, for conditions on its storage quota. */
export function watchStorage(upstream: Upstream, door: Door, now: () => number): StorageWatch {
  const connection = new UpstreamConnection(upstream)
  let reading: StorageReading | undefined
  let readAt = now()
  let busy = false
  const look = async (): Promise<void> => {
    if (busy) return
    busy = true
    try {
      const status = readStatus(await callUnary(connection, '/etcdserverpb.Maintenance/Status'))
      const quota = status.dbSizeQuota > 0 ? status.dbSizeQuota : DEFAULT_QUOTA_BYTES
      reading = { status, quota }
      readAt = now()
      door.setStorageQuotaUsed(status.dbSizeInUse / quota)
    } catch {
      if (now() - readAt >= STALE_MS) {
        reading = undefined
        door.setStorageQuotaUsed(undefined)
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
