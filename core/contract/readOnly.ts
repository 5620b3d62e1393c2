import type { ProcedureName, StreamName } from './contract.ts'
import { ProblemError } from './errors.ts'
import type { Limits } from './limits.ts'

/**
 * What is answered to somebody who may look at the connected sources and do nothing else: no connection elsewhere, no edit, no
 * file, no setting of the others who look. A new procedure is refused until it is named here.
 */
const PROCEDURES: readonly ProcedureName[] = [
  'app.info',
  'settings.read',
  // Of the session alone: see `visitorHandlers`.
  'settings.write',
  'recordings.list',
  'recordings.report',
  'past.open',
  'past.extent',
  'past.moment',
  'past.dump',
  'past.facts',
  'past.requests',
  'past.noted',
  'past.alerts',
  'history.series',
  'history.heatMap',
  'sources.facts',
  'diagnosis.read',
  'advice.read',
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
  'noted',
  'recorder',
]
const ALLOWED: ReadonlySet<string> = new Set([...PROCEDURES, ...STREAMS])

/** What pages of such a console are told beforehand, so that they offer nothing that is refused. */
export const READ_ONLY: Limits = {
  why: 'This console runs in the cluster and is read-only; start one of your own for this.',
  answers: [...ALLOWED],
}

/** Throws `forbidden` for the name of a procedure or stream that does more than show. */
export function assertReadOnly(name: string): void {
  if (ALLOWED.has(name)) return
  throw new ProblemError('forbidden', READ_ONLY.why)
}
