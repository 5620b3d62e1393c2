import { afterEach, expect, test } from 'vitest'
import { dismiss, showNotes } from './dismissed.ts'
import { NOTE_IDS } from './firstRun.ts'
import { dismissRevert } from './reverts.ts'
import { changeSettings, settingsNow } from './settings.ts'

afterEach(() => changeSettings({ dismissed: [] }))

const dismissReverts = (count: number): void => {
  const revert = { connection: 1, target: 'a', text: '', kind: 'FlowSchema', name: 'probes', to: null } as const
  for (let number = 0; number < count; number++) dismissRevert({ ...revert, id: `revert ${number}` })
}

test('notes that are shown again bring no dismissed revert or version back', () => {
  dismiss(...NOTE_IDS, 'update 0.2.0')
  dismissReverts(1)
  showNotes()
  expect(settingsNow().dismissed).toEqual(['update 0.2.0', 'revert 0'])
  expect(location.hash).toBe('#/overview')
})

test('any number of dismissed reverts fits, and displaces no note', () => {
  dismiss(...NOTE_IDS)
  dismissReverts(150)
  const { dismissed } = settingsNow()
  expect(dismissed).toHaveLength(NOTE_IDS.length + 100)
  expect(dismissed).toEqual(expect.arrayContaining([...NOTE_IDS, 'revert 149']))
})

test('what is dismissed twice is kept once', () => {
  dismiss('seats')
  dismiss('seats', 'nominal')
  expect(settingsNow().dismissed).toEqual(['seats', 'nominal'])
})
