import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openStory, type Story } from '../../../../test/harness/story.ts'
import { setClient } from '../../../state/client.ts'
import { startRoutes } from '../../../state/route.ts'
import { startState } from '../../../state/start.ts'
import { ShardingPage } from './ShardingPage.tsx'

/** The page on a synthetic story whose objects are the built-in ones. */
describe('the Sharding page', () => {
  let story: Story
  let stops: (() => void)[]
  const sentence = (): string | null => screen.getByRole('heading', { level: 1 }).lastChild?.textContent ?? null
  const change = async (label: string, text: string): Promise<void> => {
    const user = userEvent.setup()
    const field = screen.getByLabelText(label)
    await user.clear(field)
    await user.type(field, text)
  }

  beforeEach(async () => {
    location.hash = '#/classify/sharding?object=workload-low'
    story = await openStory({ history: 130, servers: 1 })
    setClient(story.client)
    stops = [startRoutes(), startState(story.client)]
    render(<ShardingPage />)
    await screen.findByRole('heading', { name: /With 128 queues/ })
  })
  afterEach(() => {
    cleanup()
    for (const stop of stops) stop()
    story.stop()
    setClient(undefined)
  })

  it('says first how likely the hand of a small flow is covered', () => {
    expect(sentence()).toBe(
      'With 128 queues and hands of 6, 16 elephants cover a small flow’s hand with probability 2.21 %.',
    )
    const odds = screen.getByRole('grid', { name: 'Effect of elephants on a mouse' })
    expect(
      within(odds)
        .getAllByRole('row')
        .slice(1)
        .map(({ textContent }) => textContent),
    ).toEqual(['11.8e−1025.5 %5.72', '41.6e−569.1 %4.95', '162.21 %99.1 %2.78'])
  })

  it('follows another shape, refuses an illegal one with its bits, and goes back', async () => {
    const user = userEvent.setup()
    await change('Queues', '512')
    expect(sentence()).toContain('With 512 queues and hands of 6')
    await change('Hand size', '8')
    expect(sentence()).toBe('No server accepts this shape.')
    expect(screen.getByText(/needs 72 bits of the flow’s hash and only 60 may be used/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Reset to workload-low' }))
    expect(sentence()).toContain('With 128 queues')
  })

  it('recommends the smallest shapes for a target, and tries one that is chosen', async () => {
    const user = userEvent.setup()
    expect(screen.getByText(/2.21 % is more than the target of 1 %. A hand of 5 would be best/)).toBeTruthy()
    await change('Target, %', '5')
    expect(screen.getByText(/2.21 % is within the target of 5 %/)).toBeTruthy()
    const shapes = screen.getByRole('grid', { name: 'Smallest shapes for a target' })
    const [, first] = within(shapes).getAllByRole('row')
    const [queues, hand] = within(first ?? shapes)
      .getAllByRole('gridcell')
      .map(({ textContent }) => textContent)
    await user.click(within(first ?? shapes).getAllByRole('gridcell')[0] ?? shapes)
    expect(sentence()).toContain(`With ${queues} queues and hands of ${hand}, `)
    await change('Queues at most', '32')
    expect(screen.getByText(/no shape of at most 32 queues reaches the target/)).toBeTruthy()
  })

  it('marks the shape in the table of the documentation when it is one of it', async () => {
    const table = screen.getByRole('grid', { name: 'The documentation’s shapes' })
    const marked = () => within(table).queryAllByRole('row', { selected: true })
    expect(within(table).getAllByRole('row')).toHaveLength(12)
    expect(marked()).toHaveLength(0)
    await change('Queues', '256')
    expect(marked()).toHaveLength(1)
    expect(marked()[0]?.textContent).toContain('8.9e−4')
    expect(within(table).getByTitle('0.000889565464200035').textContent).toBe('8.9e−4')
  })

  it('shows the hands of flows that are typed, and where they meet', async () => {
    const user = userEvent.setup()
    const flows = () => screen.getByRole('grid', { name: 'Flows and their hands' })
    const before = within(flows()).getAllByRole('row').length
    await change('Flow schema', 'global-default')
    await change('Flow distinguisher: user or namespace', 'alice')
    await user.click(screen.getByRole('button', { name: 'Add flow' }))
    const row = within(flows()).getByRole('row', { name: /alice/ })
    // Specification 2.7, 3.2.
    expect(row.textContent).toContain('17644606172554983095')
    expect(row.textContent).toContain('55 62 126 125 105 1')
    expect(within(flows()).getAllByRole('row')).toHaveLength(before + 1)
    await user.click(within(flows()).getByRole('button', { name: 'Remove alice' }))
    expect(within(flows()).queryByRole('row', { name: /alice/ })).toBeNull()
  })

  it('takes the flows of the level from the dump, and goes to another level', async () => {
    await vi.waitFor(() =>
      expect(screen.getByRole('grid', { name: 'Flows and their hands' }).textContent).toContain('inventory:scanner'),
    )
    const user = userEvent.setup()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Level' }), 'leader-election')
    await vi.waitFor(() => expect(sentence()).toContain('With 16 queues and hands of 4'))
    expect(location.hash).toBe('#/classify/sharding?object=leader-election')
  })
})
