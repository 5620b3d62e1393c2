import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Problem } from '../../../core/errors.ts'
import { CadenceSchema } from '../../../core/contract/source.ts'
import { Waiting } from './index.tsx'

afterEach(cleanup)

const show = (problem: Problem) => {
  const target = { kind: 'kubeconfig' } as const
  const cadence = CadenceSchema.parse({})
  const failures = [{ at: new Date().toISOString(), problem }]
  render(
    <Waiting
      connection={{
        id: 1,
        source: { kind: 'scrape', name: 'prod', via: 'the kubeconfig' },
        spec: { kind: 'scrape', target, cadence },
        cadence,
        servers: [{ id: 'a:6443', status: 'failing', failures }],
        still: false,
      }}
    />,
  )
}

it.each([
  ['unauthorized', 'a:6443 does not accept the credentials.'],
  ['credentials', 'The credentials for a:6443 cannot be used.'],
  ['tls', 'Cannot set up a secure connection to a:6443.'],
  ['unreachable', 'a:6443 does not respond.'],
] as const)('says of %s what failed, and gives no empty role', (code, title) => {
  show({ code, message: 'The cause, and the remedy.', details: 'aws: session expired' })
  expect(screen.getByRole('heading', { name: title })).toBeTruthy()
  expect(screen.getByText('The cause, and the remedy.')).toBeTruthy()
  expect(screen.queryByText(/This role allows/)).toBeNull()
  // The output of a plugin is the cause itself.
  const words = screen.queryByRole('region', { name: 'standard error' })
  expect(words?.textContent).toBe(code === 'credentials' ? 'aws: session expired' : undefined)
})
