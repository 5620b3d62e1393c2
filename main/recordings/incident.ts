import { ProblemError, type Problem } from '../../core/errors.ts'
import type { Report } from '../../core/contract/report.ts'
import { createIncident } from '../../core/report/incident.ts'
import { reportOf } from '../../core/report/report.ts'
import { partOf, readRecording, type ListedRecording } from './library.ts'
import { anonymiser, type ExportOptions } from './recordingFile.ts'

/**
 * The report of a recording, or of a range of it; `problems` lists the parts that could not be read. Throws
 * `not-found`, and `unsupported` for a recording of an etcd proxy.
 */
export function reportOfRecording(
  entry: ListedRecording,
  { range, version, anonymise = false }: ExportOptions,
): { readonly report: Report; readonly problems: readonly Problem[] } {
  const { source, from, to } = partOf(entry, range)
  if (source.kind === 'etcd') throw new ProblemError('unsupported', ETCD)
  const problems: Problem[] = []
  const replaced = anonymise ? anonymiser() : undefined
  const incident = createIncident({ from, to })
  for (const { timed, held } of readRecording(entry, range, problems)) {
    incident.take(replaced === undefined ? timed : { ...timed, event: replaced.event(timed.event) }, held)
  }
  return { report: reportOf(incident.finish(), { source: replaced?.source(source) ?? source, version }), problems }
}

const ETCD = 'This recording is of an etcd proxy. Incident reports are about the priority levels of API servers.'
