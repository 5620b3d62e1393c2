import type { BrowserWindow, MessageBoxOptions, WebContents } from 'electron'
import { jsonText } from '../../core/text/text.ts'

/** Milliseconds after a crash in which another crash does not reload the page automatically. */
const CALM_MS = 60_000

/** Chromium's code for a load that was replaced by another one. */
const ABORTED = -3

/** Whether the page may be reloaded after a crash: once a minute, because a broken page would reload for ever. */
export function createReloadRule(now: () => number): () => boolean {
  let last: number | undefined
  return () => {
    const at = now()
    const calm = last === undefined || at - last >= CALM_MS
    if (calm) last = at
    return calm
  }
}

/** The parts of a window that are watched. */
export type WatchedWindow = Pick<BrowserWindow, 'on'> & { readonly webContents: Pick<WebContents, 'on' | 'reload'> }

export interface CrashEnvironment {
  /** Shows a question in a dialog of the application and resolves to the index of the button. */
  readonly ask: (options: MessageBoxOptions) => Promise<number>
  readonly quit: () => void
  readonly log: Log
  readonly now: () => number
}

/** Handles every end of a page other than closing it. */
export function watchPage(window: WatchedWindow, { ask, quit, log, now }: CrashEnvironment): void {
  const mayReload = createReloadRule(now)
  const contents = window.webContents

  const decide = async (message: string, detail: string): Promise<void> => {
    const button = await ask({ type: 'error', message, detail, buttons: ['Reload', 'Quit'], noLink: true })
    if (button === 1) quit()
    else contents.reload()
  }

  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    log('page-gone', { reason, exitCode })
    if (reason === 'clean-exit') return
    if (mayReload()) contents.reload()
    else void decide('The console’s page stopped twice within a minute.', `Reason: ${reason}, exit code ${exitCode}.`)
  })
  contents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
    log('load-failed', { code, description })
    if (!isMainFrame || code === ABORTED) return
    void decide('The console’s page could not be loaded.', `${description} (${code}).`)
  })
  contents.on('preload-error', (_event, _path, error) => log('preload-error', { message: error.message }))
  window.on('unresponsive', () => log('page-unresponsive', {}))
  window.on('responsive', () => log('page-responsive', {}))
}

/** One line of JSON for standard error of the shell; never contains an address or a secret. */
export type Log = (event: string, details: Readonly<Record<string, string | number>>) => void

export const createLog =
  (write: (line: string) => void, now: () => number): Log =>
  (event, details) =>
    write(`${jsonText({ at: new Date(now()).toISOString(), event, ...details })}\n`)
