import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test as base, expect, type Page } from '@playwright/test'

/** The built console in web mode, as a process of its own with a state folder of its own. */
export interface RunningConsole {
  /** The address that it printed, with its token. */
  readonly address: string
  stop(): Promise<void>
}

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/

export async function startConsole(args: readonly string[] = ['--demo']): Promise<RunningConsole> {
  const state = mkdtempSync(path.join(tmpdir(), 'apf-e2e-'))
  const child = spawn(process.execPath, ['out/main/cli.js', 'web', ...args], {
    env: { ...process.env, APF_CONSOLE_STATE: state, KUBECONFIG: path.join(state, 'no-kubeconfig') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const address = await printedAddress(child)
  return {
    address,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      rmSync(state, { recursive: true, force: true })
    },
  }
}

function printedAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    const hear = (chunk: Buffer): void => {
      printed += chunk.toString()
      const found = ADDRESS.exec(printed)
      if (found !== null) resolve(found[0])
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', (code) => reject(new Error(`the console ended with ${code}: ${printed}`)))
  })
}

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
