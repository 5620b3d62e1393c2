import { render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { settingsStore } from '../state/settings.ts'
import { updateStore } from '../state/update.ts'
import { UpdateNote } from './Overlays.tsx'

afterEach(() => updateStore.setState({}, true))

test('a newer version is a link that opens beside the console, until it is dismissed', async () => {
  render(<UpdateNote />)
  expect(screen.queryByRole('complementary')).toBeNull()
  updateStore.setState({ update: { state: 'current', latest: '0.1.0' } })
  expect(screen.queryByRole('complementary')).toBeNull()
  updateStore.setState({ update: { state: 'newer', version: '0.2.0', url: 'https://releases.test/0.2.0' } })
  const link = await screen.findByRole('link', { name: 'https://releases.test/0.2.0' })
  expect(link).toHaveProperty('rel', 'noreferrer')
  expect(link).toHaveProperty('target', '_blank')
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
  expect(screen.queryByRole('complementary')).toBeNull()
  expect(settingsStore.getState().dismissed).toContain('update 0.2.0')
})
