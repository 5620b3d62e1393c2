import { homedir } from 'node:os'
import { expect, test } from 'vitest'
import { homeFolder } from './homeFolder.ts'

test('a user that the system does not know, without HOME, has the root folder', () => {
  expect(homeFolder()).toBe(homedir())
  const unknown = (): string => {
    throw new Error('A system error occurred: uv_os_homedir returned ENOENT')
  }
  expect(homeFolder(unknown)).toMatch(/^(?:\/|[A-Z]:\\)$/)
})
