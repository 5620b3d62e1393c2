import { act, cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import type { Client } from '../../core/contract/contract.ts'
import type { Problem } from '../../core/errors.ts'
import { startNotices } from '../state/notices.ts'
import { Notices } from './App.tsx'

const problem = (message: string): Problem => ({ code: 'internal', message, details: `words of ${message}` })

const stops: (() => void)[] = []
afterEach(() => {
  cleanup()
  for (const stop of stops.splice(0)) stop()
})

it('shows what the console cannot keep until that is over, or until it is dismissed', async () => {
  const client = { subscribe: vi.fn<Client['subscribe']>(() => () => undefined) }
  stops.push(startNotices(client))
  const tell = (notices: Problem[]): void =>
    act(() => client.subscribe.mock.calls.forEach(([, , onEvent]) => onEvent(notices)))
  render(<Notices />)
  const region = screen.getByRole('status', { name: 'Notices' })
  expect(region.textContent).toBe('')
  tell([problem('The disk is full.'), problem('The file is damaged.')])
  expect(within(region).getByText('The disk is full.')).toBeTruthy()
  const [first] = within(region).getAllByRole('button', { name: 'Dismiss' })
  if (first === undefined) throw new Error('it cannot be dismissed')
  await userEvent.setup().click(first)
  expect(region.textContent).not.toContain('The disk is full.')
  expect(region.textContent).toContain('The file is damaged.')
  tell([])
  expect(region.textContent).toBe('')
})
