import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { timeStore } from '../state/time.ts'
import { useKeys } from './commands.ts'

afterEach(() => {
  cleanup()
  timeStore.getState().resume()
})

function Page({ onClick }: { readonly onClick: () => void }) {
  useKeys()
  return <button onClick={onClick}>Save</button>
}

it('takes Space for the pause after a button was clicked, and for the button that Tab leads to', () => {
  const onClick = vi.fn<() => void>()
  render(<Page onClick={onClick} />)
  const button = screen.getByRole('button', { name: 'Save' })
  const space = (): boolean => fireEvent.keyDown(button, { key: ' ' })
  fireEvent.pointerDown(button)
  button.focus()
  // Prevented, so the browser does not press the button.
  expect(space()).toBe(false)
  expect(timeStore.getState().paused).toBe(true)
  fireEvent.keyDown(button, { key: 'Tab' })
  expect(space()).toBe(true)
  expect(timeStore.getState().paused).toBe(true)
})
