import { expect, it } from 'vitest'
import { levelFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { builtInObjects } from '../../core/config/builtInByVersion.ts'
import type { DraftBase } from './draftBase.ts'
import { serverLimitOf } from './serverLimit.ts'

const builtIn: DraftBase = {
  origin: 'built-in',
  objects: builtInObjects('v1.36.3'),
  version: 'v1.36.3',
  targetKey: 'none',
}
const page = serverFrame(0, [levelFrame('exempt', [], { limits: { nominal: 0, upper: 33 } })])

it('takes the limit that a page reports although its objects are not known', () => {
  expect(serverLimitOf(builtIn, page, undefined, undefined)).toEqual({ seats: 33, from: 'reported' })
  expect(serverLimitOf(undefined, page, undefined, undefined)).toEqual({ seats: 33, from: 'reported' })
})

it('assumes the default where nothing is connected, and lets the reader say otherwise', () => {
  expect(serverLimitOf(builtIn, undefined, undefined, undefined)).toEqual({ seats: 600, from: 'assumed' })
  expect(serverLimitOf(builtIn, page, undefined, 50)).toEqual({ seats: 50, from: 'own' })
})
