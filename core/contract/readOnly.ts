import type { ProcedureName, StreamName } from './contract.ts'
import { ProblemError } from '../errors.ts'
import type { Limits } from './limits.ts'

/**
 * Procedures and streams for visitors, who may view the connected sources and do nothing else: no connection elsewhere,
 * no edit, no file, no setting of other visitors. A new procedure is rejected until it is named here.
 */
const PROCEDURES: readonly ProcedureName[] = [
  'app.info',
  'settings.read',
  // For the session only: see `visitorHandlers`.
  'settings.write',
  'recordings.list',
  'recordings.strip',
  'past.open',
  'past.extent',
  'past.moment',
  'past.dump',
  'past.facts',
  'past.requests',
  'past.notes',
  'history.series',
  'history.heatMap',
  'sources.facts',
  'allocation.steps',
  'journal.read',
  'effects.read',
  'drafts.read',
  'requests.read',
  'live.page',
]
const STREAMS: readonly StreamName[] = [
  'connections',
  'notices',
  'consent',
  'frames',
  'simulation',
  'summary',
  'dumps',
  'objects',
  'effects',
  'live',
  'liveState',
  'alerts',
  'notes',
  'recorder',
  'report',
  'diagnosis',
  'advice',
  'pastAlerts',
  'pastPeriod',
]
const ALLOWED: ReadonlySet<string> = new Set([...PROCEDURES, ...STREAMS])

/** The limits that pages of such a console receive in advance, so that they do not offer what is rejected. */
export const READ_ONLY: Limits = {
  why: 'This console runs in the cluster and is read-only; start your own console for this.',
  answers: [...ALLOWED],
}

/** Throws `forbidden` for the name of a procedure or stream that does more than show. */
export function assertReadOnly(name: string): void {
  if (ALLOWED.has(name)) return
  throw new ProblemError('forbidden', READ_ONLY.why)
}
