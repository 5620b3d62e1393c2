import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { MiddleCut } from './LevelChip.tsx'

afterEach(cleanup)

/** The drawn text of a name, in its parts. */
const drawn = (container: Element): (string | null | undefined)[] =>
  ['data-start', 'data-end'].map((half) => container.querySelector('[title]')?.getAttribute(half))

it('has a long text once, in one piece, and draws its end apart so that it is never cut', () => {
  const name = 'system:serviceaccount:tenant-1042:scanner-17'
  const { container } = render(<MiddleCut text={name} />)
  expect(container.textContent).toBe(name)
  expect(container.querySelector('[title]')?.firstElementChild?.textContent).toBe(name)
  expect(drawn(container)).toEqual(['system:serviceaccount:tenant-1042:', 'scanner-17'])
})

it('keeps the end of a shorter one, and more of its beginning', () => {
  expect(drawn(render(<MiddleCut text="tenant-1042-staging" />).container)).toEqual(['tenant-1042-', 'staging'])
  expect(drawn(render(<MiddleCut text="kube-system" />).container)).toEqual(['kube-sy', 'stem'])
})

it('shows a text as it is where every column has room for it', () => {
  expect(render(<MiddleCut text="kube-proxy" />).container.innerHTML).toBe('kube-proxy')
})
