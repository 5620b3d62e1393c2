import type { Locator, Page } from 'playwright'
import { expect } from 'vitest'
import type { Limits } from './limits.ts'

/** The Editor as an operator uses it: by the names and words that are on the screen. */
export interface EditorPage {
  /** Opens a level in the draft; what is in the draft stays. */
  openLevel(name: string): Promise<void>
  openJournal(): Promise<void>
  /** Types into fields of the open level. */
  type(fields: Readonly<Record<string, string>>): Promise<void>
  /** The text of a field of the open level. */
  value(field: string): Promise<string>
  /** Waits until the level of the list is marked as edited, or is not. */
  untilEdited(name: string, edited: boolean): Promise<void>
  /** The limits of all levels on the screen, now or with the draft. Exempt levels have no upper limit there. */
  shownLimits(): Promise<Limits>
  button(name: string | RegExp): Locator
  pane(name: string): Locator
  /** Waits until a pane shows a text. */
  untilSaid(pane: string, words: string | RegExp): Promise<void>
  untilStep(words: RegExp): Promise<void>
  /** The dialog that confirms an application. */
  readonly dialog: Locator
  /** Applies the draft, and confirms every question. */
  apply(label: string): Promise<void>
  /** The same with the fields of other managers, as a report offers it. */
  takeOver(label: string): Promise<void>
}

const WAIT_MS = 20_000
const CONFIRM = /^Type the name to confirm: (.+)$/

export function editorPage(page: Page): EditorPage {
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name })
  const pane = (name: string): Locator => page.getByRole('region', { name, exact: true })
  const field = (name: string): Locator => page.getByRole('textbox', { name, exact: true })
  const option = (name: string): Locator => page.getByRole('option', { name: new RegExp(`^${name} ?, \\d+ shares`) })
  const impact = page.getByRole('table', { name: /^Seats of each level/ })
  const dialog = page.getByRole('dialog')
  const until = async (locator: Locator, words: string | RegExp): Promise<void> => {
    await expect
      .poll(() => locator.innerText(), { timeout: WAIT_MS })
      .toMatch(typeof words === 'string' ? literal(words) : words)
  }
  const go = async (hash: string): Promise<void> => {
    await page.goto(`${new URL(page.url()).origin}/#/${hash}`)
  }
  const openLevel = async (name: string): Promise<void> => {
    await go(`editor/draft?object=PriorityLevelConfiguration%2F${name}`)
    await page.getByRole('heading', { name, level: 2, exact: true }).waitFor()
  }

  /** The text next to the borrowing limit of the open level. Servers report an unreachable value for no limit. */
  const shownUpper = async (unlimited: number): Promise<number> => {
    const about = await field('Borrowing limit').getAttribute('aria-describedby')
    const words = await page.locator(`[id="${about ?? ''}"]`).innerText()
    return words === 'no limit' ? unlimited : numberIn(words, /(?:^up to|^stays at) (\d+)/)
  }

  const confirm = async (label: string): Promise<void> => {
    await dialog.waitFor()
    for (const box of await dialog.getByRole('textbox', { name: CONFIRM }).all()) {
      const asked = await box.evaluate((element: HTMLInputElement) => element.labels?.[0]?.textContent ?? '')
      await box.fill(CONFIRM.exec(asked)?.[1] ?? '')
    }
    await dialog.getByRole('textbox', { name: 'Journal label' }).fill(label)
    await dialog.getByRole('button', { name: /^Apply / }).click()
  }

  return {
    openLevel,
    openJournal: () => go('editor/journal'),
    async type(fields) {
      for (const [name, text] of Object.entries(fields)) await field(name).fill(text)
    },
    value: (name) => field(name).inputValue(),
    async untilEdited(name, edited) {
      await expect
        .poll(async () => /, edited\b/.test((await option(name).getAttribute('title')) ?? ''), { timeout: WAIT_MS })
        .toBe(edited)
    },
    async shownLimits() {
      const seats = numberIn(await pane('Seat impact').innerText(), /(\d+) seats on one server/)
      const headers = await impact.getByRole('columnheader').allInnerTexts()
      const column = (cells: readonly string[], header: string): number =>
        // The header of the row is in the first column.
        numberIn(cells[headers.findIndex((text) => text.trim() === header) - 1] ?? '', /(\d+)\s*$/)
      const rows = await impact.locator('tbody').getByRole('row').all()
      const limits: [string, number[]][] = []
      for (const row of rows) {
        // A chip with two letters is before the name.
        const name = (await row.getByRole('rowheader').innerText()).trim().split('\n').at(-1) ?? ''
        const cells = await row.getByRole('cell').allInnerTexts()
        limits.push([name, [column(cells, 'Nominal'), column(cells, 'Min')]])
      }
      for (const [name, values] of limits) {
        await openLevel(name)
        const [nominal = NaN] = values
        if ((await field('Borrowing limit').count()) > 0) values.push(await shownUpper(nominal + seats))
      }
      return Object.fromEntries(limits)
    },
    button,
    pane,
    untilSaid: (name, words) => until(pane(name), words),
    untilStep: (words) => until(pane('From draft to server'), words),
    dialog,
    async apply(label) {
      await button(/^Apply \d+ object/).click()
      await confirm(label)
    },
    async takeOver(label) {
      // One button for each object that has such fields; they all do the same.
      await button('Force apply').first().click()
      await confirm(label)
    },
  }
}

function numberIn(words: string, pattern: RegExp): number {
  const found = pattern.exec(words)?.[1]
  if (found === undefined) throw new Error(`no ${String(pattern)} in ${JSON.stringify(words)}`)
  return Number(found)
}

const literal = (words: string): RegExp => new RegExp(words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
