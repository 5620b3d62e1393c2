import { afterEach, expect, test } from 'vitest'
import { connectedTo, SIMULATION } from '../../test/fixtures/sources.ts'
import type { Connected } from '../../core/contract/source.ts'
import { connectionStore, tellConnections } from './connection.ts'
import { showNotes } from './dismissed.ts'
import { beginTask, didStep } from './firstTask.ts'
import { changeSettings, settingsNow } from './settings.ts'
import { shellStore, silence } from './shell.ts'

const before = connectionStore.getState()
afterEach(() => {
  connectionStore.setState(before, true)
  changeSettings({ dismissed: [], task: 'none' })
  silence()
})

const begin = (connected: Connected): void => {
  tellConnections([connected])
  beginTask()
}
const task = (): string => settingsNow().task

test('goes on with each step that is really done, and ends after the last', () => {
  begin(connectedTo(SIMULATION))
  didStep('effect')
  expect(task()).toBe('culprit')
  didStep('culprit')
  expect(task()).toBe('fix')
  didStep('culprit')
  expect(task()).toBe('fix')
  didStep('fix')
  expect(task()).toBe('effect')
  expect(shellStore.getState().toast).toBeUndefined()
  didStep('effect')
  expect(task()).toBe('none')
  expect(shellStore.getState().toast).toMatch(/^Task done/)
  didStep('culprit')
  expect(task()).toBe('none')
})

test('a fix that is applied without a look at the culprit counts', () => {
  begin(connectedTo(SIMULATION))
  didStep('fix')
  expect(task()).toBe('effect')
})

test('nothing that is done on a cluster counts', () => {
  begin(connectedTo({ kind: 'demo' }))
  didStep('culprit')
  expect(task()).toBe('culprit')
})

test('is over where the notes are shown again, until it is begun there', () => {
  begin(connectedTo(SIMULATION))
  showNotes()
  expect(settingsNow()).toMatchObject({ task: 'none', dismissed: [] })
})
