import { expect, it } from 'vitest'
import { ageText, SIZES, sizeText } from './index.tsx'

it('names what can be kept', () => {
  expect([1, 7].map(ageText)).toEqual(['1 day', '7 days'])
  expect(SIZES.map(sizeText)).toEqual(['500 MB', '1.0 GB', '2.0 GB', '5.0 GB', '10.0 GB', '50.0 GB'])
})
