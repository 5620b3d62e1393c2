import type { DumpFrame } from '../../../core/frame/dump.ts'
import { flowRows } from '../../state/flows.logic.ts'

/** The flow with most of the requests of one level, as a debug dump showed them. */
export interface BusiestFlow {
  readonly level: string
  readonly name: string
  /** Its requests, of so many. */
  readonly count: number
  readonly of: number
  /** Requests that wait; executing ones where none does. */
  readonly waits: boolean
  /** Unix milliseconds of the dump. */
  readonly at: number
}

/** Below this share of the requests a flow explains nothing. */
const MUCH = 0.3

/** `undefined` while no flow stands out. */
export function busiestFlow(dump: DumpFrame | undefined, level: string): BusiestFlow | undefined {
  const at = dump === undefined ? Number.NaN : Date.parse(dump.at)
  const rows = flowRows(dump?.requests?.filter((request) => request.level === level) ?? [], at)
  const waits = rows.some(({ queued }) => queued > 0)
  const count = ({ queued, executing }: (typeof rows)[number]): number => (waits ? queued : executing)
  const of = rows.reduce((sum, row) => sum + count(row), 0)
  const [most] = rows.toSorted((a, b) => count(b) - count(a))
  if (most === undefined || of === 0 || count(most) < MUCH * of) return undefined
  return { level, name: most.name, count: count(most), of, waits, at }
}
