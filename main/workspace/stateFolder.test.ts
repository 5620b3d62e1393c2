import { describe, expect, it } from 'vitest'
import { stateFolder } from './stateFolder.ts'

describe('stateFolder', () => {
  it('follows the convention of the platform', () => {
    expect(stateFolder('linux', '/home/a', {})).toBe('/home/a/.local/state/apf-console')
    expect(stateFolder('linux', '/home/a', { XDG_STATE_HOME: '/state' })).toBe('/state/apf-console')
    expect(stateFolder('linux', '/home/a', { XDG_STATE_HOME: '' })).toBe('/home/a/.local/state/apf-console')
    expect(stateFolder('darwin', '/Users/a', {})).toBe('/Users/a/Library/Application Support/apf-console')
  })
  it('is where APF_CONSOLE_STATE says', () => {
    expect(stateFolder('linux', '/home/a', { APF_CONSOLE_STATE: '/elsewhere', XDG_STATE_HOME: '/state' })).toBe(
      '/elsewhere',
    )
  })
})
