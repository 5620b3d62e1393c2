import { reportHtml } from '../../core/report/html.ts'
import { reportMarkdown } from '../../core/report/markdown.ts'
import { writeAtomically } from '../files/files.ts'
import { reportOfRecording } from '../recordings/incident.ts'
import type { Console, ExitCode } from './console.ts'
import { pdfOf } from './pdf.ts'
import { RANGE_OPTIONS, rangeFrom, recordingNamed } from './recordingOptions.ts'
import { tellProblems } from './recordings.ts'
import { refuseExisting } from './refuseExisting.ts'
import { readChoice, UsageError, type Command, type Given } from './usage.ts'

/** Writes an incident report of a recording. */
export const report: Command = {
  options: { ...RANGE_OPTIONS, anonymise: { type: 'boolean' }, format: { type: 'string' }, force: { type: 'boolean' } },
  operands: 'files',
  run: runReport,
}

async function runReport(given: Given, console: Console): Promise<ExitCode> {
  const [name, file, ...more] = given.operands
  if (name === undefined || more.length > 0) {
    throw new UsageError('report needs a recording, and perhaps the file to write: report 20261120T03 incident.html.')
  }
  const format = readChoice(given, 'format', ['markdown', 'html', 'pdf']) ?? formatOf(file)
  if (format === 'pdf' && file === undefined) throw new UsageError('A PDF needs the file to write: incident.pdf.')
  const range = rangeFrom(given)
  if (file !== undefined) await refuseExisting(file, given.flag('force'))
  const made = reportOfRecording(await recordingNamed(name, console), {
    range,
    version: console.version,
    anonymise: given.flag('anonymise'),
  })
  const text = format === 'markdown' ? reportMarkdown(made.report) : reportHtml(made.report)
  const { signal } = console
  if (file === undefined) console.printText(text)
  else if (format === 'pdf') {
    await writeAtomically(file, await pdfOf(text, { folders: process.env['PATH'] ?? '', signal }))
  } else await writeAtomically(file, text)
  return tellProblems(made.problems, console)
}

function formatOf(file = ''): 'markdown' | 'html' | 'pdf' {
  if (/\.pdf$/i.test(file)) return 'pdf'
  return /\.html?$/i.test(file) ? 'html' : 'markdown'
}
