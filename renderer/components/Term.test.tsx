import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { Menu } from './Menu.tsx'
import { Tip } from './Term.tsx'

it('opens tips and menus inside the main landmark', async () => {
  const user = userEvent.setup()
  render(
    <>
      <header>
        <Tip text="A sentence.">
          <button type="button">word</button>
        </Tip>
        <Menu entries={[{ label: 'Save', onSelect: () => undefined }]}>
          <button type="button">more</button>
        </Menu>
      </header>
      <main />
    </>,
  )
  const main = screen.getByRole('main')
  await user.tab()
  expect(main.contains(await screen.findByRole('tooltip'))).toBe(true)
  await user.click(screen.getByRole('button', { name: 'more' }))
  expect(main.contains(await screen.findByRole('menu'))).toBe(true)
})
