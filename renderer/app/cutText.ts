/** How far the words that are cut may be above what is pointed at. */
const MOST_AROUND = 3

/** Whoever points at words that do not fit reads them whole. Returns the function that ends it. */
export function showCutText(): () => void {
  /** Titles given here; others are the page's own. */
  const given = new WeakSet<Element>()
  const over = ({ target }: Event): void => {
    let part = target instanceof HTMLElement ? target : null
    for (let around = 0; part !== null && around < MOST_AROUND; around += 1, part = part.parentElement) {
      if (getComputedStyle(part).textOverflow !== 'ellipsis') continue
      const isCut = part.scrollWidth > part.clientWidth + 1
      if (given.has(part)) part.removeAttribute('title')
      if (!isCut || part.closest('[title]') !== null || part.querySelector('[title]') !== null) return
      part.title = part.textContent
      given.add(part)
      return
    }
  }
  document.addEventListener('pointerover', over)
  return () => document.removeEventListener('pointerover', over)
}
