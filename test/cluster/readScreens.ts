import type { Page } from 'playwright'
import type { SaidLevel, SaidSteps } from './limitStatements.ts'
import type { Said } from './statements.ts'

/** The header of the Level screen; nothing while its values are stale. */
export const readLevel = (page: Page): Promise<SaidLevel | undefined> =>
  page.evaluate(() => {
    const head = document.querySelector('[data-screen=level] > header')
    if (head === null || document.querySelector('[data-mode=live]') === null) return undefined
    const text = (element: Element | null | undefined): string => (element?.textContent ?? '').trim()
    const title = head.querySelector('h1')
    return {
      name: text(title),
      // The number of a fact, without its text.
      facts: Object.fromEntries(
        [...head.querySelectorAll('dl > div')].map((fact) => [
          text(fact.querySelector('dt')),
          text(fact.querySelector('dd b')),
        ]),
      ),
      states: [...(title?.parentElement?.querySelectorAll(':scope > span') ?? [])].map(text),
      actions: [...head.querySelectorAll('button')].map(text),
    }
  })

/** The steps of the newest reallocation on Allocation, once there are any. */
export const readSteps = (page: Page): Promise<SaidSteps | undefined> =>
  page.evaluate(() => {
    const table = document.querySelector('table[aria-label^="How the limits of"]')
    if (table === null || document.querySelector('[data-mode=live]') === null) return undefined
    const text = (element: Element | null | undefined): string => (element?.textContent ?? '').trim()
    const headers = [...table.querySelectorAll('thead th[scope=col]')].map(text)
    return Object.fromEntries(
      [...table.querySelectorAll('tbody tr')].map((row) => {
        const [first, ...cells] = row.children
        return [
          text([...(first?.querySelectorAll('span') ?? [])].at(-1)),
          Object.fromEntries(cells.map((cell, at) => [headers[at + 1] ?? '', text(cell)])),
        ]
      }),
    )
  })

/** Everything that the Overview shows, read in one turn, so that all of it is of one sample. */
export const readOverview = (page: Page): Promise<Said | undefined> =>
  page.evaluate(() => {
    const text = (element: Element | null | undefined): string => (element?.textContent ?? '').trim()
    const grid = document.querySelector('[role=grid][aria-label="Priority levels"]')
    if (grid === null) return undefined
    const headers = [...grid.querySelectorAll('th')].map(text)
    const rows = [...grid.querySelectorAll('tbody tr')].map((row) => {
      const cells = [...row.querySelectorAll('td')]
      const values = Object.fromEntries(cells.map((cell, i) => [headers[i] ?? '', text(cell)]))
      return [text([...(cells[0]?.querySelectorAll('span') ?? [])].at(-1)), values] as const
    })
    const numbers = [...document.querySelectorAll('dl[aria-label^="Key numbers"] > div')].map(
      (item) => [text(item.querySelector('dt')), text(item.querySelector('dd'))] as const,
    )
    return {
      // Without the chip of the level before it.
      headline: [...(document.querySelector('main h1')?.childNodes ?? [])]
        .flatMap((node) => (node instanceof Text ? [node.data] : []))
        .join('')
        .trim(),
      evidence: text(document.querySelector('main header p')),
      rows: Object.fromEntries(rows),
      roster: [...document.querySelectorAll('nav a[title*="seats executing"]')].map(
        (item) => item.getAttribute('title') ?? '',
      ),
      numbers: Object.fromEntries(numbers),
      ledger: document.querySelector('svg[aria-label^="Seat ledger: "]')?.getAttribute('aria-label') ?? '',
      accounts: [...document.querySelectorAll('[aria-label="Levels in the seat ledger"] [role=option]')].map(text),
    }
  })
