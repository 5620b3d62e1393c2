import { expect, it } from 'vitest'
import { tierAdvice } from './serverAdvice.ts'

it('names the tiers of ACK, and says that their seats are not known', () => {
  const { text = '', unknown } = tierAdvice('v1.34.1-aliyun.1', 900) ?? {}
  for (const tier of ['ack.pro.xlarge', 'ack.pro.2xlarge', 'ack.pro.4xlarge', '2026']) expect(text).toContain(tier)
  expect(unknown).toEqual([expect.stringMatching(/^The seats of each tier: /)])
})

it.each([
  ['v1.33.5-eks-3025e55', 800, 'Choose the EKS tier XL', 'tier=tier-xl\n'],
  ['v1.33.5-eks-3025e55', 850, 'Choose the EKS tier XL', 'tier=tier-xl\n'],
  ['v1.33.5-eks-3025e55', 900, 'Choose the EKS tier 2XL', 'tier=tier-2xl\n'],
  ['v1.36.1-eks-0', 3_400, 'Choose the EKS tier 4XL', 'tier=tier-4xl\n'],
  ['v1.36.1-eks-0', 3_450, 'Choose the EKS tier 8XL', 'tier=tier-8xl\n'],
  ['v1.36.1-eks-0', 6_900, 'Choose an EKS tier above 8XL', undefined],
  ['v1.34.1-aliyun.1', 900, 'Choose a larger control plane of ACK Pro', undefined],
  ['v1.36.3', 900, undefined, undefined],
  [undefined, 900, undefined, undefined],
])('%s with %s seats', (version, seats, title, command) => {
  const advice = tierAdvice(version, seats)
  expect([advice?.title, advice?.snippet?.replace(/^.* /, '')]).toEqual([title, command])
})
