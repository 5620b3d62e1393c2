import { test as base, expect, type Page } from '@playwright/test'
import { decode, RequestSchema } from '../../core/contract/messages.ts'
import { headOf, LIMITS } from '../../core/contract/protocol.ts'
import { SECRET_KEY } from '../../core/contract/webSession.ts'
import { startConsole, type RunningConsole } from '../harness/webConsole.ts'

interface Consoles {
  /** The console of a test file. That of the file before is stopped, with its connections. */
  of(file: string): Promise<RunningConsole>
  /** A page at the console of a file, as at its first visit. A new page costs twice what one costs that is loaded again. */
  page(file: string): Promise<Visit>
}
interface Visit {
  readonly file: string
  readonly page: Page
  /** What the browser reported since the page was loaded. */
  readonly complaints: string[]
}

const SIZE = { width: 1280, height: 720 }

/** For what takes minutes on a slow machine: searches, forecasts, and waves of a simulation that have to come. */
export const LONG = { timeout: 600_000 }

/**
 * A page at the console of this file. After every test the browser must not have reported anything: no error,
 * no violation of the content security policy.
 */
export const test = base.extend<{ consolePage: Page }, { consoles: Consoles }>({
  consoles: [
    async ({ browser }, use) => {
      let last: { readonly file: string; readonly running: RunningConsole } | undefined
      let open: Visit | undefined
      const close = async (): Promise<void> => {
        await open?.page.context().close()
        open = undefined
      }
      const consoles: Consoles = {
        async of(file) {
          if (last?.file === file) return last.running
          await last?.running.stop()
          last = { file, running: await startConsole() }
          return last.running
        },
        async page(file) {
          const running = await consoles.of(file)
          if (open?.file !== file) {
            await close()
            const context = await browser.newContext({
              viewport: SIZE,
              permissions: ['clipboard-read', 'clipboard-write'],
            })
            const page = await context.newPage()
            open = { file, page, complaints: complaintsOf(page) }
            await openConsole(page, running)
            return open
          }
          const { page, complaints } = open
          await page.setViewportSize(SIZE)
          await page.emulateMedia({ colorScheme: null, reducedMotion: null })
          await page.evaluate((session) => {
            for (const key of Object.keys(localStorage)) if (key !== session) localStorage.removeItem(key)
            sessionStorage.clear()
            location.hash = ''
          }, SECRET_KEY)
          complaints.length = 0
          await page.reload()
          await expect(page.getByRole('link', { name: /^Overview/ })).toBeVisible()
          return open
        },
      }
      await use(consoles)
      await close()
      await last?.running.stop()
    },
    { scope: 'worker' },
  ],
  consolePage: async ({ consoles }, use, { file }) => {
    const { page, complaints } = await consoles.page(file)
    await use(page)
    expect(complaints).toEqual([])
  },
})

/** What the browser reports on this page from now on; a list that grows. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

/** What passes between a page and the console: facts that a test can wait for instead of seconds. */
export interface Line {
  /** The instant of the newest sample that the page received; empty before the first one. */
  readonly newest: () => string
  /** Calls that the page made and that are not answered yet. */
  readonly pending: () => number
  /** Calls of a procedure that were answered. */
  readonly answered: (name: string) => number
}

/** Listens on the line of a page that is not open yet. */
export function lineOf(page: Page): Line {
  let newest = ''
  const pending = new Map<number, string>()
  const answered: string[] = []
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      const sent = decode(RequestSchema, payload, LIMITS.messageLength)
      if (sent?.type === 'call') pending.set(sent.id, sent.name)
    })
    socket.on('framereceived', ({ payload }) => {
      const { type, id = -1 } = headOf(String(payload)) ?? {}
      const name = pending.get(id)
      if (name !== undefined && (type === 'result' || type === 'problem')) {
        pending.delete(id)
        answered.push(name)
      }
      newest = /"frame":\{"formatVersion":\d+,"at":"([^"]+)"/.exec(String(payload))?.[1] ?? newest
    })
    // What was not answered by then never will be.
    socket.on('close', () => pending.clear())
  })
  return {
    newest: () => newest,
    pending: () => pending.size,
    answered: (name) => answered.filter((one) => one === name).length,
  }
}

/** Waits until samples of so many seconds came after an instant. */
export async function passed(line: Line, since: string, seconds: number): Promise<void> {
  await expect.poll(() => Date.parse(line.newest()) - Date.parse(since), LONG).toBeGreaterThanOrEqual(seconds * 1_000)
}

/** Changes something, and waits until the procedure that keeps it was answered. */
export async function kept(line: Line, name: string, change: () => Promise<void>): Promise<void> {
  const before = line.answered(name)
  await change()
  await expect.poll(() => line.answered(name)).toBeGreaterThan(before)
}

/** Opens the console in a browser that has no session yet; an address works once. */
export async function openConsole(page: Page, running: RunningConsole): Promise<void> {
  await page.goto(await running.newAddress())
  await expect(page.getByRole('link', { name: /^Overview/ })).toBeVisible()
}

export { expect } from '@playwright/test'
