import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { ProblemError } from '../../core/contract/errors.ts'
import { messageOf } from '../../core/text/text.ts'

/** Browsers that print without a window. */
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge']
const LONGEST_MS = 60_000

/** The first of these browsers in the folders of `PATH`. */
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
 * `bad-answer` where it prints nothing.
 */
export async function pdfOf(
  html: string,
  { folders, signal }: { folders: string; signal: AbortSignal },
): Promise<Buffer> {
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
    // As root it cannot start with its own sandbox. The page has no scripts, and loads nothing.
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
