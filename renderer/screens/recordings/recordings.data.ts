import type { Report } from '../../../core/contract/report.ts'
import type { RecorderState, RecordingEntry } from '../../../core/contract/recording.ts'
import { unixMsOf } from '../../../core/units.ts'
import { format } from '../../theme/format.ts'

/** What is being recorded, and what is stored. */
export function recordingSentence(
  entries: readonly Pick<RecordingEntry, 'bytes'>[],
  source: string | undefined,
  state: RecorderState | undefined,
): { readonly title: string; readonly evidence: string } {
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  const all =
    entries.length === 0 ? '' : `${format.counted(entries.length, 'recording')}, ${format.bytes(bytes)} in all.`
  return { title: titleOf(source, state), evidence: [lossOf(state), all].filter((part) => part !== '').join(' ') }
}

function titleOf(source: string | undefined, state: RecorderState | undefined): string {
  if (source === undefined || state === undefined) return 'Nothing is being recorded: no source is connected.'
  if (!state.possible) return `${source} is not recorded, because it can be opened again.`
  if (state.status === 'off') return 'Recording is off.'
  if (state.status === 'paused')
    return `Recording of ${source} is paused: ${state.problem?.message ?? 'it cannot write.'}`
  return `Recording ${source}${state.since === undefined ? '' : ` since ${format.time(unixMsOf(state.since))}`}.`
}

function lossOf(state: RecorderState | undefined): string {
  const { lost = 0, leftOut = 0, since } = state ?? {}
  if (state?.status === 'off' || since === undefined) return ''
  const parts = [
    ...(lost > 0 ? [`${format.counted(lost, 'event')} lost while it could not write`] : []),
    ...(leftOut > 0 ? [`${format.counted(leftOut, 'request')} left out, beyond 1,000 a second`] : []),
  ]
  return parts.length === 0 ? 'Nothing was lost.' : `${parts.join('; ')}.`
}

export interface ReportEdit {
  readonly title: string
  /** The author's comments; an empty line separates paragraphs. */
  readonly words: string
  /** Titles of sections that are left out. */
  readonly left: ReadonlySet<string>
}

/** A report with its author's changes: their comments follow the first section that is kept. */
export function editedReport(report: Report, { title, words, left }: ReportEdit): Report {
  const paragraphs = words.split(/\n\s*\n/).filter((text) => text.trim() !== '')
  const kept = report.sections.filter((section) => !left.has(section.title))
  const own = {
    title: 'Author’s comments',
    blocks: paragraphs.map((text) => ({ kind: 'text' as const, text: text.trim() })),
  }
  const sections = paragraphs.length === 0 ? kept : [...kept.slice(0, 1), own, ...kept.slice(1)]
  return { ...report, title: title.trim() === '' ? report.title : title.trim(), sections }
}
