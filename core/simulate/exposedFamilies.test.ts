import { expect, it } from 'vitest'
import { FAMILY } from '../metrics/familyNames.ts'
import { exposedFamilies } from './exposedFamilies.ts'

it('announces the utilisation of seats as beta from 1.38 on, and nothing else differently', () => {
  const [before, after] = [exposedFamilies('v1.37.2'), exposedFamilies('v1.38.0-beta.0')]
  const changed = after.filter(({ name, help }) => before.find((family) => family.name === name)?.help !== help)
  expect(changed.map(({ name }) => name)).toEqual([FAMILY.seatUtilization])
  expect(changed[0]?.help).toContain('[BETA] Observations')
  expect(after).toHaveLength(before.length)
})
