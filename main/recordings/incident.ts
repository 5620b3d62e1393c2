import { ProblemError, type Problem } from '../../core/errors.ts'
import type { Report } from '../../core/contract/report.ts'
import { createIncident } from '../../core/report/incident.ts'
import { reportOf, judgedMoment } from '../../core/report/report.ts'
import { diagnose } from '../../core/diagnose/diagnose.ts'
import { statusLines } from '../../core/diagnose/text.ts'
import type { Diagnosis } from '../../core/contract/diagnosis.ts'
import type { UnixMs } from '../../core/units.ts'
import { createKeptPages, KEPT_MS } from './keptPages.ts'
import { partOf, readRecording, type ListedRecording } from './library.ts'
import { anonymiser, progressIn, type ExportOptions } from './recordingFile.ts'

/**
 * The report of a recording, or of a range of it; `problems` lists the parts that could not be read. Throws
 * `not-found`, and `unsupported` for a recording of an etcd proxy.
 */
export function reportOfRecording(
  entry: ListedRecording,
  { range, version, anonymise = false, onPart }: ExportOptions,
): { readonly report: Report; readonly problems: readonly Problem[] } {
  const { source, from, to } = partOf(entry, range)
  if (source.kind === 'etcd') throw new ProblemError('unsupported', ETCD)
  const problems: Problem[] = []
  const replaced = anonymise ? anonymiser() : undefined
  const taking = createIncident({ from, to })
  const told = progressIn({ from, to }, (part) => onPart?.(part * READ_PART))
  for (const { timed, held } of readRecording(entry, range, problems)) {
    taking.take(replaced === undefined ? timed : { ...timed, event: replaced.event(timed.event) }, held)
    told(timed.at)
  }
  const incident = taking.finish()
  if (incident.servers.length === 0 && problems.length === 0)
    throw new ProblemError('not-found', `The recording of ${source.name} has no samples of this time.`)
  const at = judgedMoment(incident)
  const verdict = at === undefined ? undefined : { at, lines: statusLines(diagnosed(entry, at, replaced)) }
  return { report: reportOf(incident, { source: replaced?.source(source) ?? source, version, verdict }), problems }
}

/** Of the time that a report takes; the rest is the verdict. */
const READ_PART = 0.6

/** What Diagnosis says of an instant, which the report names: it also knows the time before the report. */
function diagnosed(entry: ListedRecording, at: UnixMs, replaced: ReturnType<typeof anonymiser> | undefined): Diagnosis {
  const kept = createKeptPages()
  for (const { timed } of readRecording(entry, { from: at - KEPT_MS, to: at }, []))
    kept.take(replaced?.event(timed.event) ?? timed.event)
  return diagnose(kept.all(at))
}

const ETCD = 'This recording is of an etcd proxy. Incident reports are about the priority levels of API servers.'
