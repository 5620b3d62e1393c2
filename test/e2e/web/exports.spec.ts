import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, test } from '../console.ts'

/** A text as it was drawn on a picture: where it begins and ends, and how large the picture is, in its own units. */
interface DrawnText {
  readonly text: string
  readonly left: number
  readonly right: number
  readonly y: number
  readonly width: number
  readonly height: number
}
interface Drawn {
  readonly texts: readonly DrawnText[]
  /** Widths of the drawings on it. */
  readonly images: readonly number[]
}

/** Records what is drawn on canvases that are not on the page: those of pictures. */
async function recordPictures(page: Page): Promise<() => Promise<Drawn>> {
  await page.evaluate(() => {
    const texts: DrawnText[] = []
    const images: number[] = []
    Object.assign(window, { drawn: { texts, images } })
    const { prototype } = CanvasRenderingContext2D
    type Draw = (this: CanvasRenderingContext2D, ...drawn: unknown[]) => void
    const observe = (
      name: 'fillText' | 'drawImage',
      record: (on: CanvasRenderingContext2D, drawn: unknown[]) => void,
    ) => {
      const own = Object.getOwnPropertyDescriptor(prototype, name)?.value as Draw
      const draw: Draw = function (...drawn) {
        if (!this.canvas.isConnected) record(this, drawn)
        Reflect.apply(own, this, drawn)
      }
      Object.assign(prototype, { [name]: draw })
    }
    observe('fillText', (on, [text, x, y]) => {
      const { a: scale } = on.getTransform()
      const { width, height } = on.canvas
      const right = Number(x) + on.measureText(String(text)).width
      const place = { left: Number(x), right, y: Number(y), width: width / scale, height: height / scale }
      texts.push({ text: String(text), ...place })
    })
    observe('drawImage', (_on, drawn) => images.push(Number(drawn[3])))
  })
  return () =>
    page.evaluate(() => {
      const { drawn } = window as unknown as { drawn: { texts: DrawnText[]; images: number[] } }
      return { texts: drawn.texts.splice(0), images: drawn.images.splice(0) }
    })
}

async function save(page: Page, chart: string, entry: string): Promise<{ name: string; content: Buffer }> {
  await page.getByRole('button', { name: `Export ${chart}`, exact: true }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: entry }).click(),
  ])
  return { name: download.suggestedFilename(), content: await readFile(await download.path()) }
}

/** Words next to a chart as its legend. */
const LEGENDS: Readonly<Record<string, readonly string[]>> = {
  'Seat ledger': ['executing', 'free', 'lent', 'borrowed'],
  Seats: ['executing', 'queued', 'current limit', 'nominal', 'min to max'],
  Demand: ['high watermark', 'average', 'smoothed', 'current limit'],
  Wait: ['1'],
  Execution: ['1'],
}
/** Charts over the shown range; the others are of one instant. */
const OVER_RANGE: ReadonlySet<string> = new Set(['Seats', 'Demand', 'Wait', 'Execution'])
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

for (const { hash, level, part, charts: least } of [
  { hash: '#/overview', level: undefined, part: undefined, charts: 1 },
  { hash: '#/level/workload-low', level: 'workload-low', part: undefined, charts: 6 },
  { hash: '#/level/workload-low', level: 'workload-low', part: 'Demand and virtual time', charts: 2 },
  { hash: '#/allocation', level: undefined, part: undefined, charts: 2 },
]) {
  test(`every chart of ${hash} is exported whole${part === undefined ? '' : `: ${part}`}`, async ({
    consolePage: page,
  }, info) => {
    await page.evaluate((to) => {
      location.hash = to
    }, hash)
    if (part !== undefined) await page.getByRole('radio', { name: part }).click()
    const buttons = page.getByRole('button', { name: / as table$/ })
    await expect.poll(() => buttons.count()).toBeGreaterThanOrEqual(least)
    const source = await page.getByRole('banner').innerText()
    const drawnSince = await recordPictures(page)
    const names = await buttons.evaluateAll((all) =>
      all.map((button) => (button.getAttribute('aria-label') ?? '').replace(/ as table$/, '')),
    )
    const files: string[] = []
    for (const chart of names) {
      const region = page.getByRole('region', { name: chart, exact: true })
      await region.scrollIntoViewIfNeeded()
      // The drawing may end between the check and the screenshot: then it is checked again.
      await expect(async () => {
        await expect(region.locator('svg[width], canvas').first()).toBeVisible()

        const { name, content } = await save(page, chart, 'Save as PNG')
        await info.attach(name, { body: content, contentType: 'image/png' })
        expect(content.subarray(1, 4).toString()).toBe('PNG')
        const { texts, images } = await drawnSince()
        const text = texts.map((one) => one.text).join(' ')
        expect(text).toContain(chart)
        if (level !== undefined) expect(text).toContain(level)
        expect(source).toContain(/Demo|Simulation/.exec(text)?.[0] ?? 'a source')
        const at = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`
        expect(text).toMatch(new RegExp(OVER_RANGE.has(chart) ? `range ${at} to ${at} UTC` : `sample of ${at} UTC`))
        if (/^(?:Seat ledger|Finding p)$/.test(chart)) expect(text).toContain('WL workload-low')
        for (const word of LEGENDS[chart] ?? []) expect(texts.map((one) => one.text)).toContain(word)
        const cut = texts.filter(({ left, right, y, width, height }) => left < 0 || right > width + 1 || y > height)
        expect({ chart, cut }).toEqual({ chart, cut: [] })
        expect(Math.max(...images)).toBeGreaterThan(100)
      }).toPass()

      let file = ''
      await expect(async () => {
        const csv = await save(page, chart, 'Save as CSV')
        expect(csv.name).toMatch(/-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.csv$/)
        const [header = '', ...rows] = csv.content.toString().trimEnd().split('\r\n')
        expect(header).toMatch(/^(?:Time|Until|Sample) \(UTC\),/)
        expect(rows.length).toBeGreaterThan(0)
        expect(rows.filter((row) => !INSTANT.test(row.split(',')[0] ?? ''))).toEqual([])
        // Ten minutes of samples, one a second: none is left out.
        if (chart === 'Seats') expect(rows.length).toBeGreaterThan(500)
        file = csv.name.replace(/-\d{4}-.*$/, '')
      }).toPass()
      files.push(file)
    }
    // Charts that are saved at one instant do not overwrite each other.
    expect(files.toSorted()).toEqual([...new Set(files)].toSorted())
  })
}

test('a picture of an earlier reallocation names that one', async ({ consolePage: page }) => {
  await page.evaluate(() => {
    location.hash = '#/allocation'
  })
  const slider = page.getByRole('slider', { name: /^Reallocation/ })
  await slider.focus()
  await page.keyboard.press('Home')
  await expect(page.getByRole('button', { name: 'Previous reallocation' })).toBeDisabled()
  const drawnSince = await recordPictures(page)
  await save(page, 'Limit as a share of the target', 'Save as PNG')
  const { texts } = await drawnSince()
  const csv = await save(page, 'Limit as a share of the target', 'Save as CSV')
  const [, first = ''] = csv.content.toString().split('\r\n')
  const [at = ''] = first.split(',')
  expect(texts.map(({ text }) => text).join(' ')).toContain(at.slice(0, 19).replace('T', ' '))
  expect(Date.now() - Date.parse(at)).toBeGreaterThan(60_000)
})
