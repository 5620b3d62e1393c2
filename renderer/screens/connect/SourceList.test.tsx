import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it } from 'vitest'
import type { FoundContext } from '../../../core/contract/source.ts'
import { FoundContexts } from './SourceList.tsx'

afterEach(cleanup)

const contexts = Array.from({ length: 35 }, (_, index): FoundContext => {
  const name = `team-${index}`
  return {
    file: '/k',
    context: name,
    cluster: name,
    server: `https://10.0.0.${index}`,
    user: `u${index}`,
    current: index === 0,
  }
})
const show = (found: readonly FoundContext[]) =>
  render(<FoundContexts found={found} chosen={undefined} onChoose={() => undefined} />)
const names = (): string[] => screen.queryAllByRole('button').map(({ textContent }) => textContent)

it('finds one of many contexts by words of its name, server or user', async () => {
  const user = userEvent.setup()
  show(contexts)
  expect(names()).toHaveLength(35)
  const search = screen.getByRole('searchbox', { name: 'Search contexts' })
  await user.type(search, 'TEAM 0.0.17')
  expect(names()).toEqual(['team-17kubeconfig'])
  await user.clear(search)
  await user.type(search, 'nothing of the kind')
  expect(names()).toEqual([])
  expect(screen.getByText('No context, server or user matches.')).toBeTruthy()
})

it('never cuts the end of a long name, which alone tells contexts apart', () => {
  const [context] = contexts
  if (context === undefined) throw new Error('no context')
  const long = 'arn:aws:eks:eu-central-1:1234567890:cluster/prod-eu-17'
  show([{ ...context, context: long }])
  expect(names()[0]).toContain(long)
  expect(screen.getByText(long).parentElement?.dataset['end']).toMatch(/prod-eu-17$/)
})

it('has no search for few', () => {
  show(contexts.slice(0, 4))
  expect(screen.queryByRole('searchbox')).toBeNull()
})
