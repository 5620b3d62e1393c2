import { expect, it } from 'vitest'
import type { RecorderState } from '../../../core/contract/recording.ts'
import { recorderFacts } from './RecorderPane.tsx'

const state: RecorderState = { status: 'recording', possible: true, folder: '/state/recordings' }
const since = '2026-11-21T03:00:00.000Z'

it('says what is on the disk, and what is not', () => {
  expect(recorderFacts(state)).toEqual([])
  const kept = { ...state, since, keptUntil: '2026-11-21T03:10:00.000Z', bytes: 2_826_240, lost: 0 }
  expect(recorderFacts(kept).map(({ label, value }) => `${label}: ${value}`)).toEqual([
    'Recording since: 2026-11-21 03:00:00',
    'On disk up to: 2026-11-21 03:10:00',
    'Size: 2.8 MB',
  ])
  const paused = { ...kept, status: 'paused', lost: 12, leftOut: 1 } as const
  expect(recorderFacts(paused)[0]?.label).toBe('Paused; recording since')
  expect(recorderFacts(paused).slice(3)).toEqual([
    { label: 'Lost while paused', value: '12 events', tone: 'warn' },
    { label: 'Left out, beyond 1,000 a second', value: '1 request' },
  ])
  expect(recorderFacts({ ...kept, status: 'off' })).toEqual([])
})
