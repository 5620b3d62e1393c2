import { test as base, expect, type Page } from '@playwright/test'
import { startConsole, type RunningConsole } from '../harness/webConsole.ts'

/**
 * A page at the console of this file. After every test the browser must have had nothing to complain about: no error,
 * no violation of the content security policy.
 */
export const test = base.extend<{ consolePage: Page }, { console: RunningConsole }>({
  console: [
    async ({ browserName: _anyBrowser }, use) => {
      const running = await startConsole()
      await use(running)
      await running.stop()
    },
    { scope: 'worker' },
  ],
  consolePage: async ({ page, context, console: running }, use) => {
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openConsole(page, running.address)
    await use(page)
    expect(complaints).toEqual([])
  },
})

const cookies = new Map<string, Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>>()

/** Opens the console; its address works once, so that later pages take over the session's cookie. */
export async function openConsole(page: Page, address: string): Promise<void> {
  const { origin } = new URL(address)
  const known = cookies.get(origin)
  if (known === undefined) {
    await page.goto(address)
    cookies.set(origin, await page.context().cookies())
  } else {
    await page.context().addCookies(known)
    await page.goto(origin)
  }
  await expect(page.getByRole('link', { name: /^Overview/ })).toBeVisible()
}

export { expect } from '@playwright/test'
