import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../../main/bootstrap/build.mjs'
import { launchChromium } from '../harness/chromium.ts'
import { startConsole, type RunningConsole } from '../harness/webConsole.ts'
import { VIEWER } from './identities.ts'
import { labelValues, readSamples, total, type Sample } from './independent.ts'
import { runLoad } from './load.ts'
import { saturating, seed } from './profiles.ts'
import { startRelay, type Relay } from './relay.ts'
import { noCluster, useCluster } from './suite.ts'

const WARM_UP_MS = 20_000
const SECONDS = 60

describe.skipIf(noCluster)('the Overview of a real server under load', () => {
  const cluster = useCluster({ maxInflight: 20, maxMutatingInflight: 10 })
  const endLoad = new AbortController()
  let load: Promise<unknown> | undefined
  let relay: Relay | undefined
  let running: RunningConsole | undefined
  let browser: Browser | undefined
  let page: Page | undefined
  let samples: readonly Sample[] = []

  beforeAll(async () => {
    await ensureBuilt()
    await seed(cluster())
    relay = await startRelay(cluster(), VIEWER)
    load = runLoad(cluster(), saturating, SECONDS, endLoad.signal)
    await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS))
    running = await startConsole(['--metrics-url', `${relay.url}/metrics`])
    browser = await launchChromium()
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(running.address)
    await page.getByRole('grid', { name: /Priority levels/ }).waitFor()
    relay.freeze()
    samples = readSamples(relay.bodies('/metrics').at(-1) ?? '')
    // The frozen page is read once a second; after a few of them nothing else is on the screen.
    await new Promise((resolve) => setTimeout(resolve, 4_000))
  })
  afterAll(async () => {
    endLoad.abort()
    await browser?.close()
    await running?.stop()
    await load
    await relay?.close()
  })

  it('shows the numbers of an independent reading of the same page, level by level', async () => {
    const grid = page?.getByRole('grid', { name: /Priority levels/ })
    const headers = (await grid?.getByRole('columnheader').allInnerTexts())?.map((text) => text.trim()) ?? []
    const column = (row: readonly string[], name: string): string | undefined => row[headers.indexOf(name)]
    const shown: Record<string, (string | undefined)[]> = {}
    for (const row of (await grid?.getByRole('row').all()) ?? []) {
      const cells = (await row.getByRole('gridcell').allInnerTexts()).map((text) => text.trim())
      const name = cells[0]?.split('\n').at(-1) ?? ''
      if (cells.length > 0) {
        shown[name] = ['Executing', 'Limit', 'Nominal', 'Queued'].map((header) => column(cells, header))
      }
    }
    const wanted = Object.fromEntries(
      labelValues(samples, 'priority_level').map((name) => {
        const of = (family: string): string => String(total(samples, family, { priority_level: name }) ?? 0)
        const limit = name === 'exempt' ? 'none' : of('current_limit_seats')
        return [name, [of('current_executing_seats'), limit, of('nominal_limit_seats'), of('current_inqueue_requests')]]
      }),
    )
    expect(shown).toEqual(wanted)
    expect(Number(wanted['workload-low']?.[3])).toBeGreaterThan(0)
  })
})
