import { test as base, expect, type Page } from '@playwright/test'
import { startConsole, type RunningConsole } from '../harness/webConsole.ts'

interface Consoles {
  /** The console of a test file. That of the file before is stopped, with its connections. */
  of(file: string): Promise<RunningConsole>
}

/**
 * A page at the console of this file. After every test the browser must not have reported anything: no error,
 * no violation of the content security policy.
 */
export const test = base.extend<{ consolePage: Page }, { consoles: Consoles }>({
  consoles: [
    async ({ browserName: _anyBrowser }, use) => {
      let last: { readonly file: string; readonly running: RunningConsole } | undefined
      await use({
        async of(file) {
          if (last?.file === file) return last.running
          await last?.running.stop()
          last = { file, running: await startConsole() }
          return last.running
        },
      })
      await last?.running.stop()
    },
    { scope: 'worker' },
  ],
  consolePage: async ({ page, context, consoles }, use, { file }) => {
    const running = await consoles.of(file)
    const complaints = complaintsOf(page)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openConsole(page, running)
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

/** Opens the console in a browser that has no session yet; an address works once. */
export async function openConsole(page: Page, running: RunningConsole): Promise<void> {
  await page.goto(await running.newAddress())
  await expect(page.getByRole('link', { name: /^Overview/ })).toBeVisible()
}

export { expect } from '@playwright/test'
