import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { ProblemError, messageOf } from '../../core/errors.ts'
import type { Report } from '../../core/contract/report.ts'
import { jsonText } from '../../core/text/text.ts'
import { reportHtml } from '../../core/report/html.ts'
import { reportMarkdown } from '../../core/report/markdown.ts'
import { writeAtomically } from '../files/files.ts'
import { readLook } from '../files/look.ts'
import { reportOfRecording } from '../recordings/incident.ts'
import type { Console, ExitCode } from './console.ts'
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
    throw new UsageError(
      'report needs a recording, and optionally the file to write: report 20261120T03 incident.html.',
    )
  }
  const format = readChoice(given, 'format', FORMATS) ?? formatOf(file)
  if (format === 'pdf' && file === undefined) throw new UsageError('A PDF needs the file to write: incident.pdf.')
  const range = rangeFrom(given)
  if (file !== undefined) await refuseExisting(file, given.flag('force'))
  const made = reportOfRecording(await recordingNamed(name, console), {
    range,
    version: console.version,
    anonymise: given.flag('anonymise'),
  })
  const { signal } = console
  if (file === undefined && format !== 'html') {
    console.answer(format === 'json' ? format : 'text', made.report, reportMarkdown(made.report).trimEnd().split('\n'))
    return tellProblems(made.problems, console)
  }
  const text = WRITTEN[format](made.report)
  if (file === undefined) console.printText(text)
  else if (format === 'pdf') {
    await writeAtomically(file, await pdfOf(text, { folders: process.env['PATH'] ?? '', signal }))
  } else await writeAtomically(file, text)
  return tellProblems(made.problems, console)
}

const FORMATS = ['markdown', 'html', 'pdf', 'json'] as const
type Format = (typeof FORMATS)[number]

function formatOf(file = ''): Format {
  const end = extname(file).slice(1).toLowerCase()
  return end === 'htm' ? 'html' : (FORMATS.find((format) => format === end) ?? 'markdown')
}

/** A PDF is printed from HTML. */
const WRITTEN: Readonly<Record<Format, (report: Report) => string>> = {
  markdown: reportMarkdown,
  html: (made) => reportHtml(made, readLook()),
  pdf: (made) => reportHtml(made, readLook()),
  json: (made) => `${jsonText(made, 2)}\n`,
}

/** Browsers that can print headless. */
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge']
const LONGEST_MS = 60_000

/** The first of these browsers found in the folders of `PATH`. */
function findBrowser(folders: string): string | undefined {
  const files = BROWSERS.flatMap((name) => folders.split(delimiter).map((folder) => join(folder, name)))
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/**
 * A page as PDF, printed by a Chromium of this computer. Rejects with `ProblemError`: `unsupported` without a browser,
 * `bad-answer` if it prints nothing.
 */
async function pdfOf(html: string, { folders, signal }: { folders: string; signal: AbortSignal }): Promise<Buffer> {
  const browser = findBrowser(folders)
  if (browser === undefined) {
    throw new ProblemError(
      'unsupported',
      'A PDF is printed by Chromium, Chrome or Edge, and none of them is in PATH. Write the report as HTML, and print that from any browser.',
    )
  }
  const folder = await mkdtemp(join(tmpdir(), 'apf-report-'))
  try {
    const [page, printed] = [join(folder, 'report.html'), join(folder, 'report.pdf')]
    await writeFile(page, html, { mode: 0o600 })
    // As root, Chromium cannot start with its own sandbox. The page has no scripts, and loads nothing.
    const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
    const options = ['--headless', '--no-pdf-header-footer', `--user-data-dir=${folder}`, `--print-to-pdf=${printed}`]
    await promisify(execFile)(browser, [...asRoot, ...options, pathToFileURL(page).href], {
      timeout: LONGEST_MS,
      signal,
    })
    return await readFile(printed)
  } catch (error) {
    throw new ProblemError('bad-answer', `${browser} printed no PDF. Write the report as HTML.`, messageOf(error))
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}
