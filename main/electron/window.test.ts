import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test, afterAll } from 'vitest'
import * as fc from 'fast-check'
import { windowOptions, MIN_SIZE, fitWindow, readWindowState, writeWindowState } from './window.ts'

const SHOWN = { x: 1, y: 2, width: 1000, height: 700, maximized: false }

test('the window is as closed as a window can be', () => {
  const { webPreferences, show } = windowOptions('/preload.cjs', SHOWN)
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

const folder = mkdtempSync(path.join(tmpdir(), 'apf-window-'))
afterAll(() => rmSync(folder, { recursive: true }))

const laptop = { x: 0, y: 25, width: 1440, height: 875 }
const beside = { x: 1440, y: 0, width: 2560, height: 1440 }

test('the first time: in the middle of the first display', () => {
  expect(fitWindow(undefined, [beside])).toEqual({ x: 2000, y: 270, width: 1440, height: 900, maximized: false })
})

test('the window comes back where it was', () => {
  const stored = { x: 1600, y: 100, width: 1200, height: 800, maximized: true }
  expect(fitWindow(stored, [laptop, beside])).toEqual(stored)
})

test('a window of a display that is gone moves to the first one, in its usual size', () => {
  const stored = { x: 1600, y: 100, width: 1200, height: 800, maximized: true }
  expect(fitWindow(stored, [laptop])).toEqual({ x: 0, y: 25, width: 1440, height: 875, maximized: false })
})

test('a window larger than its display shrinks', () => {
  const stored = { x: 100, y: 100, width: 5000, height: 4000, maximized: false }
  expect(fitWindow(stored, [laptop])).toMatchObject({ width: laptop.width, height: laptop.height })
})

test('wherever it was and whatever displays there are: it can be grasped, and it is of a usable size', () => {
  const at = fc.integer({ min: -10_000, max: 10_000 })
  const size = fc.integer({ min: 1, max: 10_000 })
  const states = fc.record({ x: at, y: at, width: size, height: size, maximized: fc.boolean() })
  const area = fc.record({
    x: at,
    y: at,
    width: fc.integer({ min: MIN_SIZE.width, max: 5_000 }),
    height: fc.integer({ min: MIN_SIZE.height, max: 3_000 }),
  })
  fc.assert(
    fc.property(
      fc.option(states, { nil: undefined }),
      area,
      fc.array(area, { maxLength: 3 }),
      (stored, first, others) => {
        const { x, y, width, height } = fitWindow(stored, [first, ...others])
        expect(width).toBeGreaterThanOrEqual(MIN_SIZE.width)
        expect(height).toBeGreaterThanOrEqual(MIN_SIZE.height)
        const graspable = [first, ...others].some(
          (one) =>
            Math.min(x + width, one.x + one.width) - Math.max(x, one.x) >= 100 &&
            y >= one.y &&
            y + 100 <= one.y + one.height,
        )
        expect(graspable).toBe(true)
      },
    ),
  )
})

test('a state is kept, and nothing else is read as one', () => {
  const file = path.join(folder, 'window.json')
  expect(readWindowState(file)).toBeUndefined()
  writeWindowState(file, SHOWN)
  expect(readWindowState(file)).toEqual(SHOWN)
  expect(existsSync(`${file}.new`)).toBe(false)
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    '{"x":1}',
    '{"x":1,"y":2,"width":-5,"height":7,"maximized":false}',
    '{"x":"1"}',
  ]) {
    writeFileSync(file, text)
    expect(readWindowState(file)).toBeUndefined()
  }
})

test('a folder that cannot be written to is no reason to fail', () => {
  expect(() => writeWindowState(path.join(folder, 'no', 'such', 'window.json'), SHOWN)).not.toThrow()
})
