import { ProblemError, type Problem } from '../../core/contract/errors.ts'
import type { Report } from '../../core/report/document.ts'
import { createIncident } from '../../core/report/incident.ts'
import { reportOf } from '../../core/report/report.ts'
import { readRecording, type ListedRecording, type RecordingRange } from './library.ts'

/** The report of a recording, or of a range of it; `problems` say which parts it could not read. Throws `not-found`. */
export function reportOfRecording(
  entry: ListedRecording,
  range: RecordingRange,
  version: string,
): { readonly report: Report; readonly problems: readonly Problem[] } {
  const { source, first, last } = entry
  if (source === undefined || first === undefined || last === undefined || first > range.to || last < range.from) {
    throw new ProblemError('not-found', `The recording ${entry.id} holds nothing of this time.`)
  }
  const problems: Problem[] = []
  const incident = createIncident({ from: Math.max(first, range.from), to: Math.min(last, range.to) })
  for (const { told, held } of readRecording(entry, range, problems)) incident.take(told, held)
  return { report: reportOf(incident.finish(), { source, version }), problems }
}
