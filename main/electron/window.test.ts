import { expect, test } from 'vitest'
import { windowOptions } from './window.ts'

const state = { x: 1, y: 2, width: 1000, height: 700, maximized: false }

test('the window is as closed as a window can be', () => {
  const { webPreferences, show } = windowOptions('/preload.cjs', state)
  expect(show).toBe(false)
  expect(webPreferences).toEqual({
    preload: '/preload.cjs',
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInSubFrames: false,
    nodeIntegrationInWorker: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false,
  })
})
