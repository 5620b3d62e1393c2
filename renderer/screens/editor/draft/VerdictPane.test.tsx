import { act, cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ChangeVerdictSchema, type ChangeVerdict } from '../../../../core/contract/objects.ts'
import { NO_OBJECTS, objectsStore } from '../../../state/objects.ts'
import { VerdictPane } from './VerdictPane.tsx'

const verdict = (outcome: ChangeVerdict['outcome'], more: Partial<ChangeVerdict> = {}): ChangeVerdict =>
  ChangeVerdictSchema.parse({
    kind: 'FlowSchema',
    name: outcome,
    outcome,
    causes: [],
    conflicts: [],
    warnings: [],
    differences: [],
    ...more,
  })
beforeEach(() => objectsStore.setState({ state: { ...NO_OBJECTS, state: 'current' } }))
afterEach(cleanup)

it('says of each object what became of it, and leads from causes to their fields', async () => {
  const onOpen = vi.fn<Parameters<typeof VerdictPane>[0]['onOpen']>()
  const cause = { field: 'spec.matchingPrecedence', reason: 'FieldValueInvalid', message: 'must be 1 to 10000' }
  const verdicts = [
    verdict('accepted', { warnings: ['deprecated'] }),
    verdict('rejected', { causes: [cause], differences: ['The console finds nothing wrong there.'] }),
    verdict('failed', { problem: { code: 'timeout', message: 'No answer in 10 s.' } }),
    verdict('skipped'),
  ]
  render(<VerdictPane title="Applied" note="to prod" verdicts={verdicts} applied onOpen={onOpen} />)
  const text = screen.getByRole('region', { name: 'Applied' }).textContent ?? ''
  for (const said of [
    'accepted is applied.',
    'The server warns: deprecated',
    'rejected was rejected by the server and not changed.',
    'The console finds nothing wrong there.',
    'failed was not confirmed by the server.',
    'No answer in 10 s.',
    'skipped was not sent',
  ]) {
    expect(text).toContain(said)
  }
  await userEvent.setup().click(screen.getByRole('button', { name: 'spec.matchingPrecedence' }))
  expect(onOpen).toHaveBeenCalledWith({ kind: 'FlowSchema', name: 'rejected', field: 'spec.matchingPrecedence' })
})

it('offers to take over what another manager owns, where that can be done', async () => {
  const onForce = vi.fn<() => void>()
  const conflicts = [{ manager: 'argocd', field: '.spec.rules', message: 'conflict with "argocd"' }]
  render(
    <VerdictPane
      title="Applied"
      note=""
      verdicts={[verdict('conflict', { conflicts })]}
      applied
      onOpen={() => undefined}
      onForce={onForce}
    />,
  )
  expect(screen.getByText(/belongs to argocd/)).toBeTruthy()
  await userEvent.setup().click(screen.getByRole('button', { name: 'Force apply' }))
  expect(onForce).toHaveBeenCalledOnce()
})

it.each([true, false])('leaves no green mark while the server does not report its objects (applied: %s)', (applied) => {
  const verdicts = [verdict('accepted'), verdict('unchanged'), verdict('conflict')]
  render(<VerdictPane note="" {...{ verdicts, applied }} onOpen={() => undefined} />)
  expect(document.querySelectorAll('.good')).toHaveLength(2)
  // As after its credentials or a permission expired.
  act(() => objectsStore.setState({ state: { ...NO_OBJECTS, state: 'stale' } }))
  expect(document.querySelectorAll('.good')).toHaveLength(0)
  expect(screen.getAllByText(/The server does not report its objects now\.$/)).toHaveLength(2)
  expect(screen.queryByRole('heading', { name: 'Applied' })).toBeNull()
})
