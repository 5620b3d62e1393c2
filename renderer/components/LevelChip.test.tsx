import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { MiddleCut } from './LevelChip.tsx'

afterEach(cleanup)

it('keeps the whole text, and the end of a long one apart so that it is never cut', () => {
  const name = 'system:serviceaccount:tenant-1042:scanner-17'
  const { container } = render(<MiddleCut text={name} />)
  expect(container.textContent).toBe(name)
  expect(container.querySelector('[title]')?.lastElementChild?.textContent).toBe('scanner-17')
  cleanup()
  const short = render(<MiddleCut text="workload-low" />)
  expect(short.container.innerHTML).toBe('workload-low')
})

it('keeps the end of a shorter one where there is less room', () => {
  const { container } = render(<MiddleCut text="system:node:node-32" room={18} />)
  expect(container.textContent).toBe('system:node:node-32')
  expect(container.querySelector('[title]')?.lastElementChild?.textContent).toContain('node-32')
})
