import { expect, test } from 'vitest'
import { editedReport, recordingSentence } from './recordings.data.ts'

const ON = { status: 'recording', possible: true, folder: '/r', since: '2026-11-21T03:00:00Z' } as const

test.each([
  ['nothing connected', undefined, undefined, 'Nothing is being recorded: no source is connected.', ''],
  [
    'a file',
    'a.txt',
    { status: 'off', possible: false, folder: '/r' },
    'a.txt is not recorded, because it can be opened again.',
    '',
  ],
  ['off', 'prod', { status: 'off', possible: true, folder: '/r' }, 'Recording is off.', ''],
  ['on', 'prod', ON, 'Recording prod since 03:00:00.', 'Nothing was lost.'],
  [
    'with loss',
    'prod',
    { ...ON, lost: 1, leftOut: 2 },
    'Recording prod since 03:00:00.',
    '1 event lost while it could not write; 2 requests left out, beyond 1,000 a second.',
  ],
  [
    'paused',
    'prod',
    { ...ON, status: 'paused', lost: 3, problem: { code: 'internal', message: 'The disk is full.' } },
    'Recording of prod is paused: The disk is full.',
    '3 events lost while it could not write.',
  ],
] as const)('%s', (_, source, state, title, evidence) => {
  expect(recordingSentence([], source, state)).toEqual({ title, evidence })
})

test('counts what there is', () => {
  const { evidence } = recordingSentence([{ bytes: 1_000_000 }, { bytes: 500_000 }], 'prod', ON)
  expect(evidence).toBe('Nothing was lost. 2 recordings, 1.5 MB in all.')
})

test('a report has the words of its author after the summary, and the sections that are kept', () => {
  const section = (title: string) => ({ title, blocks: [{ kind: 'text' as const, text: 'x' }] })
  const report = { title: 'Report', subtitle: 'now', sections: ['Summary', 'Limits', 'Glossary'].map(section) }
  const edited = editedReport(report, { title: ' Flood ', words: 'One.\n\nTwo.\n', left: new Set(['Limits']) })
  expect(edited.title).toBe('Flood')
  expect(edited.sections.map(({ title }) => title)).toEqual(['Summary', 'Author’s comments', 'Glossary'])
  expect(edited.sections[1]?.blocks).toEqual(['One.', 'Two.'].map((text) => ({ kind: 'text', text })))
  expect(editedReport(report, { title: '', words: ' ', left: new Set() })).toEqual(report)
})
