import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import type { Client } from '../../core/contract/contract.ts'
import { setClient } from '../state/client.ts'
import { setOverlay } from '../state/shell.ts'
import { Palette } from './Palette.tsx'

it('takes an Enter that comes before the scenarios do', async () => {
  const { promise: scenarios, resolve } = Promise.withResolvers<unknown>()
  const call = (name: string): Promise<unknown> => (name === 'whatIf.scenarios' ? scenarios : Promise.resolve([]))
  setClient({ call, subscribe: () => () => undefined } as unknown as Client)
  render(<Palette />)
  act(() => setOverlay('palette', true))
  await userEvent.setup().type(await screen.findByRole('combobox'), 'deployment of doom{Enter}')
  expect(screen.getByText(/^No results for/)).toBeTruthy()
  resolve([{ name: 'S5', title: 'Deployment of doom' }])
  await waitFor(() => expect(location.hash).toBe('#/whatif/scenarios'))
  cleanup()
  setClient(undefined)
})
