import { afterEach, expect, test } from 'vitest'
import { showCutText } from './cutText.ts'

const stop = showCutText()
afterEach(() => document.body.replaceChildren())

/** A cell of words, as wide as its words or narrower. */
function cell(html: string, fits: boolean): HTMLElement {
  const part = document.createElement('td')
  part.innerHTML = html
  part.style.textOverflow = 'ellipsis'
  Object.defineProperty(part, 'scrollWidth', { value: fits ? 10 : 100, configurable: true })
  Object.defineProperty(part, 'clientWidth', { value: 10 })
  document.body.append(part)
  return part
}
const pointAt = (part: Element | null): void => void part?.dispatchEvent(new Event('pointerover', { bubbles: true }))

test('words that are cut are whole in a title while they are cut', () => {
  const part = cell('<b>node-1</b> of many', false)
  pointAt(part.querySelector('b'))
  expect(part.title).toBe('node-1 of many')
  part.textContent = 'node-2'
  pointAt(part)
  expect(part.title).toBe('node-2')
  Object.defineProperty(part, 'scrollWidth', { value: 10 })
  pointAt(part)
  expect(part.title).toBe('')
})

test('words that fit, or have a title of their own, get none', () => {
  const [whole, told] = [cell('node-1', true), cell('<span title="in full">no…</span>', false)]
  pointAt(whole)
  pointAt(told)
  expect([whole.title, told.title]).toEqual(['', ''])
  stop()
  const after = cell('node-1', false)
  pointAt(after)
  expect(after.title).toBe('')
})
