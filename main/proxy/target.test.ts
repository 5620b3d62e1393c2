import { expect, test } from 'vitest'
import { shownTarget } from './target.ts'

test.each([
  ['/api/v1/pods', '/api/v1/pods'],
  ['/api/v1/pods?limit=5&token=abc', '/api/v1/pods?limit=5&token=[hidden]'],
  ['/x?access_token=a%20b&watch=1', '/x?access_token=[hidden]&watch=1'],
  ['/x?TOKEN=a&Password=b', '/x?TOKEN=[hidden]&Password=[hidden]'],
  ['/x?continue=token=abc', '/x?continue=token=abc'],
  ['/token=abc?x=1', '/token=abc?x=1'],
])('%s is shown as %s', (target, shown) => {
  expect(shownTarget(target)).toBe(shown)
})
