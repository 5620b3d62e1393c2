import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it, onTestFinished, vi } from 'vitest'

/** Triggers whose parts have not been loaded. */
async function fresh() {
  vi.resetModules()
  const [{ Menu }, { Tip }, { Popover }] = await Promise.all([
    import('./Menu.tsx'),
    import('./Term.tsx'),
    import('./Popover.tsx'),
  ])
  const onSelect = vi.fn<() => void>()
  const Pane = () => {
    const [open, setOpen] = useState(false)
    return (
      <Popover open={open} onOpenChange={setOpen} label="Pane" align="end" className="pane" content={<p>Inside</p>}>
        <button type="button">pane</button>
      </Popover>
    )
  }
  render(
    <main>
      <Menu
        entries={[
          { label: 'Save', onSelect },
          { label: 'Copy', onSelect: () => undefined },
        ]}
      >
        <button type="button">more</button>
      </Menu>
      <Tip text="A sentence.">
        <button type="button">word</button>
      </Tip>
      <Pane />
    </main>,
  )
  return { onSelect }
}

const button = (name: string): HTMLElement => screen.getByRole('button', { name })

it.each(['{Enter}', ' ', '{ArrowDown}'])('opens a menu with the first %s, on its first entry', async (key) => {
  const user = userEvent.setup()
  const { onSelect } = await fresh()
  const trigger = button('more')
  expect(trigger.getAttribute('aria-haspopup')).toBe('menu')
  expect(trigger.getAttribute('aria-expanded')).toBe('false')
  await user.tab()
  const onKeyDown = vi.fn<() => void>()
  document.body.addEventListener('keydown', onKeyDown)
  onTestFinished(() => document.body.removeEventListener('keydown', onKeyDown))
  await user.keyboard(key)
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('menuitem', { name: 'Save' })))
  expect(screen.getByText('more')).toBe(trigger)
  expect(trigger.getAttribute('aria-expanded')).toBe('true')
  // The surrounding elements received one key press.
  expect(onKeyDown).toHaveBeenCalledOnce()
  await user.keyboard('{Enter}')
  expect(onSelect).toHaveBeenCalledOnce()
  await waitFor(() => expect(document.activeElement).toBe(trigger))
})

it('opens a menu and a popover with the first click, and both again', async () => {
  const user = userEvent.setup()
  await fresh()
  await user.click(button('more'))
  await screen.findByRole('menu')
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
  await user.click(button('pane'))
  expect((await screen.findByRole('dialog', { name: 'Pane' })).textContent).toBe('Inside')
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await user.click(button('pane'))
  await screen.findByRole('dialog')
})

it('opens a popover with the first click though nothing else was loaded', async () => {
  await fresh()
  expect(button('pane').getAttribute('aria-haspopup')).toBe('dialog')
  fireEvent.click(button('pane'))
  await screen.findByRole('dialog')
})

it('shows a tip where the pointer rests while the tips are loaded', async () => {
  await fresh()
  fireEvent.pointerMove(button('word'))
  expect((await screen.findByRole('tooltip')).textContent).toBe('A sentence.')
  expect(button('word').getAttribute('aria-describedby')).not.toBeNull()
})

it('shows no tip where the pointer left before the tips were loaded', async () => {
  await fresh()
  fireEvent.pointerMove(button('word'))
  fireEvent.pointerLeave(button('word'))
  await waitFor(() => expect(button('word').dataset['state']).toBe('closed'))
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(screen.queryByRole('tooltip')).toBeNull()
})
