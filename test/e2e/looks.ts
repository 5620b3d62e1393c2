import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

export const THEMES = ['dark', 'light'] as const
type Theme = (typeof THEMES)[number]

/** Rules of axe whose result depends on the theme. */
const OF_COLOUR = ['color-contrast']
/** Rules of axe whose result depends only on the size; a narrow page may have another layout, a wide one has not. */
const OF_LAYOUT = ['scrollable-region-focusable']

/** Sizes of the window, and the rules of axe that each theme is held to there. */
const SIZES: readonly { readonly size: { width: number; height: number }; readonly rules: RulesByTheme }[] = [
  { size: { width: 1440, height: 900 }, rules: { dark: 'all', light: OF_COLOUR } },
  { size: { width: 1100, height: 700 }, rules: { dark: 'all', light: OF_COLOUR } },
  { size: { width: 1920, height: 1080 }, rules: { dark: OF_LAYOUT, light: [] } },
]
type RulesByTheme = Readonly<Record<Theme, 'all' | string[]>>

/** The current page is complete and accessible at every size in these themes. */
export async function expectFine(page: Page, themes: readonly Theme[] = THEMES): Promise<void> {
  for (const { size, rules } of SIZES) {
    await page.setViewportSize(size)
    for (const [index, theme] of themes.entries()) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      // A theme changes nothing but colours (test/unit/house.test.ts).
      if (index === 0) await expectWhole(page)
      if (rules[theme].length > 0) await expectAccessible(page, rules[theme])
    }
  }
}

/** Nothing is cut or stands on something else. A busy machine takes longer to draw the page at its new width. */
async function expectWhole(page: Page): Promise<void> {
  // Nothing overflows sideways: wide content scrolls inside its pane.
  await expect.poll(() => sideways(page)).toEqual([])
  // A header that is cut has its whole text nowhere: cells of names may be, with the middle left out.
  await expect.poll(() => cutHeaders(page)).toEqual([])
  await expect.poll(() => spilled(page)).toEqual([])
  await expect.poll(() => emptyScroll(page)).toEqual([])
  await expect.poll(() => nestedScroll(page)).toEqual([])
  await expect.poll(() => cutText(page)).toEqual([])
  await expect.poll(() => cutChoices(page)).toEqual([])
  await expect.poll(() => clippedText(page)).toEqual([])
}

/** The current page, in both themes. */
export async function expectAccessibleInBoth(page: Page): Promise<void> {
  for (const [colorScheme, rules] of [
    ['dark', 'all'],
    ['light', OF_COLOUR],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expectAccessible(page, rules)
  }
}

/** Half a megabyte of source is compiled once for each page, instead of once for each examination. */
const NOTHING = ';'

/** Axe finds nothing on the page. */
export async function expectAccessible(page: Page, rules: 'all' | string[] = 'all'): Promise<void> {
  // There are no frames, so no page of its own is needed to put their results together. What passes is not described,
  // which costs as much as finding what does not.
  const isThere = await page.evaluate(() => 'axe' in globalThis)
  const axe = new AxeBuilder({ page, ...(isThere && { axeSource: NOTHING }) })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
  const { violations } = await (rules === 'all' ? axe : axe.withRules(rules)).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)).toEqual(
    [],
  )
}

/** The page, and what it scrolls in, where these are wider than what is seen of them. */
function sideways(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, main > :not(.sr-only)')].flatMap((box) => {
      const over = box.scrollWidth - box.clientWidth
      return over > 0 ? [`${box.tagName} ${box.className}: ${over} px`] : []
    }),
  )
}

/**
 * What scrolls for nothing: a region that is wider than its space by a pixel or two, and a page that scrolls beyond the
 * last of what it shows.
 */
function emptyScroll(page: Page): Promise<readonly string[]> {
  /** Space below the last pane. */
  const FOOT_PX = 40
  return page.evaluate((foot) => {
    const main = document.querySelector('main')
    if (main === null) return ['no page']
    const isScroller = (box: Element): boolean => /auto|scroll/.test(getComputedStyle(box).overflow)
    const all = [...main.querySelectorAll('*')]
    const narrow = all.flatMap((box) => {
      const over = box.scrollWidth - box.clientWidth
      return isScroller(box) && over > 0 && over <= 2 ? [`${box.tagName} ${box.className}: ${over} px sideways`] : []
    })
    // What a region of its own scrolls is not the page's.
    const shown = all.filter((box) => {
      if (box.closest('.sr-only') !== null || box.getClientRects().length === 0) return false
      for (let around = box.parentElement; around !== null && around !== main; around = around.parentElement)
        if (getComputedStyle(around).overflow !== 'visible') return false
      return true
    })
    const top = main.getBoundingClientRect().top - main.scrollTop
    const last = shown.reduce((most, box) => Math.max(most, box.getBoundingClientRect().bottom - top), 0)
    const over = main.scrollHeight - Math.max(main.clientHeight, last)
    return over > foot ? [...narrow, `the page scrolls by ${over} px into nothing`] : narrow
  }, FOOT_PX)
}

/** Regions that scroll up and down inside one that does: the wheel stops where the pointer happens to be. */
function nestedScroll(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const scrolls = (box: Element): boolean =>
      /auto|scroll/.test(getComputedStyle(box).overflowY) && box.scrollHeight > box.clientHeight + 1
    // Texts that are opened at will, editors, and lists that hold only the rows in sight may.
    const isList = (box: Element): boolean =>
      Number(box.querySelector('[role=grid]')?.getAttribute('aria-rowcount')) > 60
    const all = [...document.querySelectorAll('main *')].filter(
      (box) =>
        scrolls(box) && box.checkVisibility() && box.closest('details, textarea, .cm-editor') === null && !isList(box),
    )
    return all.flatMap((box) => {
      for (let around = box.parentElement; around !== null; around = around.parentElement)
        if (scrolls(around)) return [`${box.tagName} ${box.getAttribute('aria-label') ?? box.className}`]
      return []
    })
  })
}

/** Words that end in an ellipsis and that nobody can read whole by pointing at them. */
function cutText(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('body *')].flatMap((part) => {
      const { overflowX, textOverflow } = getComputedStyle(part)
      const isCut = textOverflow === 'ellipsis' && overflowX !== 'visible' && part.scrollWidth > part.clientWidth + 1
      if (!isCut || part.clientWidth <= 1 || part.matches('.sr-only *, select, input')) return []
      part.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))
      const isTold = part.closest('[title]') !== null || part.querySelector('[title]') !== null
      return isTold ? [] : [`${part.tagName} ${part.textContent.slice(0, 60)}`]
    }),
  )
}

/** Lists to choose from that are narrower than their choice: a browser cuts it without an ellipsis. */
function cutChoices(page: Page): Promise<readonly string[]> {
  /** The arrow that a browser draws, and the space before it. */
  const ARROW_PX = 20
  return page.evaluate((arrow) => {
    const pen = document.createElement('canvas').getContext('2d')
    return [...document.querySelectorAll('select')].flatMap((list) => {
      const choice = list.selectedOptions[0]?.text ?? ''
      if (pen === null || !list.checkVisibility() || choice === '') return []
      const { font, paddingLeft, paddingRight } = getComputedStyle(list)
      pen.font = font
      const room = list.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - arrow
      const over = Math.ceil(pen.measureText(choice).width - room)
      return over > 0 ? [`${list.ariaLabel ?? list.labels[0]?.textContent} ${choice}: ${over} px`] : []
    })
  }, ARROW_PX)
}

/**
 * Words beyond the edge of a box that clips what it holds, of which not even an ellipsis tells. Names that lose their
 * middle are drawn from attributes, over the name that is clipped.
 */
function clippedText(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const cut: string[] = []
    for (let text = words.nextNode(); text !== null; text = words.nextNode()) {
      const own = text.parentElement
      if (
        own === null ||
        text.textContent?.trim() === '' ||
        !own.checkVisibility() ||
        own.closest('.sr-only, svg, [data-start]')
      )
        continue
      const range = document.createRange()
      range.selectNodeContents(text)
      const { right, width } = range.getBoundingClientRect()
      if (width === 0) continue
      for (let box: Element | null = own; box !== null; box = box.parentElement) {
        const { overflowX, textOverflow, position, display } = getComputedStyle(box)
        // What scrolls can be read; what ends in an ellipsis is looked at elsewhere.
        if (/auto|scroll/.test(overflowX) || textOverflow === 'ellipsis') break
        if (!/hidden|clip/.test(overflowX) || display === 'inline') {
          if (position === 'fixed') break
          continue
        }
        const over = right - box.getBoundingClientRect().right
        if (over > 1 && box.clientWidth > 1)
          cut.push(`${text.textContent?.trim().slice(0, 60)}: ${Math.round(over)} px`)
        break
      }
    }
    return cut
  })
}

/** Headers of tables and key numbers whose words do not fit. */
function cutHeaders(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll('main :is(th[scope=col], [role=columnheader], dl[aria-label^="Key numbers"] > *)'),
    ].flatMap((header) =>
      [header, ...header.querySelectorAll('*')].some(
        (part) =>
          getComputedStyle(part).overflow !== 'visible' &&
          part.scrollWidth > part.clientWidth + 1 &&
          part.clientWidth > 1,
      )
        ? [header.textContent]
        : [],
    ),
  )
}

/** Terms, values and labels whose words stand on what is beside them. */
function spilled(page: Page): Promise<readonly string[]> {
  /** The space that is left free between two of them. */
  const GAP_PX = 8
  return page.evaluate(
    (gap) =>
      [...document.querySelectorAll('main :is(dt, dd, label, button)')].flatMap((part) => {
        const { overflow, display } = getComputedStyle(part)
        const spills = overflow === 'visible' && display !== 'inline' && part.scrollWidth > part.clientWidth + gap
        return spills && part.clientWidth > 1 ? [`${part.tagName} ${part.textContent}`] : []
      }),
    GAP_PX,
  )
}
