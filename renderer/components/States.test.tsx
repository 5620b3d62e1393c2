import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { connectedTo, scrapeSpec } from '../../test/fixtures/sources.ts'
import { PrometheusSpecSchema } from '../../core/contract/prometheus.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { connectionStore } from '../state/connection.ts'
import { NoSampleYet } from './States.tsx'

const before = connectionStore.getState()
afterEach(() => {
  cleanup()
  connectionStore.setState(before)
})

test.each<[ErrorCode, string]>([
  ['forbidden', 'You may not read /metrics on a.'],
  ['unauthorized', 'a does not accept the credentials.'],
  ['timeout', 'a does not respond.'],
])('says what failed before the first sample: %s', (code, title) => {
  const failure = { at: '2026-11-21T03:12:34.000Z', problem: { code, message: 'It failed.' } }
  connectionStore.setState({
    connection: connectedTo(scrapeSpec('prod'), [{ id: 'a', status: 'failing', failures: [failure] }]),
  })
  render(<NoSampleYet />)
  expect(screen.getByText(title)).toBeTruthy()
})

test('says where all clusters of a Prometheus are, of which there is no sample', () => {
  const spec = PrometheusSpecSchema.parse({ kind: 'prometheus', url: 'http://p', fleet: true })
  connectionStore.setState({ connection: connectedTo(spec, [{ id: 'p', status: 'ok', failures: [] }]) })
  render(<NoSampleYet />)
  expect(screen.getByRole('button', { name: 'Open Fleet' })).toBeTruthy()
})
