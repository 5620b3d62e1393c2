import { expect, test } from 'vitest'
import { shownTarget } from './shownTarget.ts'

test.each([
  ['/api/v1/pods', '/api/v1/pods'],
  ['/api/v1/pods?limit=5&token=abc', '/api/v1/pods?limit=5&token=[hidden]'],
  ['/x?access_token=a%20b&watch=1', '/x?access_token=[hidden]&watch=1'],
  ['/x?TOKEN=a&Password=b', '/x?TOKEN=[hidden]&Password=[hidden]'],
  ['/x?continue=token=abc', '/x?continue=token=abc'],
  ['/token=abc?x=1', '/token=abc?x=1'],
  ['/x?access%5Ftoken=abc&limit=5', '/x?access%5Ftoken=[hidden]&limit=5'],
  ['/x?%74oken=abc;%ff=1&a%zz=%20&b=1', '/x?%74oken=[hidden]&a%zz=%20&b=1'],
  ['/x?a=1;token=abc', '/x?a=1;token=[hidden]'],
])('%s is shown as %s', (target, shown) => {
  expect(shownTarget(target)).toBe(shown)
})
