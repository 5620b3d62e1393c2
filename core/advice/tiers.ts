import type { Suggestion } from '../contract/advice.ts'
import { plain } from '../text/format.ts'
import { listed } from '../text/text.ts'

/**
 * Seats of the tiers of a provisioned control plane of EKS, for 1.28 and later: the table of AWS's user guide as of November
 * 2025. There are larger tiers, whose seats it does not list.
 */
const EKS_TIERS = [
  { name: 'XL', tier: 'tier-xl', seats: 1_700 },
  { name: '2XL', tier: 'tier-2xl', seats: 3_400 },
  { name: '4XL', tier: 'tier-4xl', seats: 6_800 },
] as const
/** EKS runs at least this many API servers for a cluster. */
const EKS_SERVERS = 2

/**
 * How a cluster gets servers of so many seats where the provider, recognised by the version, sets their flags; `undefined`
 * where nothing shows that it does.
 */
export function tierAdvice(
  version: string | undefined,
  seats: number,
): Pick<Suggestion, 'title' | 'text' | 'unknown' | 'snippet'> | undefined {
  if (version?.includes('-eks-') === true) {
    const tier = EKS_TIERS.find((one) => one.seats >= seats * EKS_SERVERS)
    const table = listed(EKS_TIERS.map((one) => `${one.name} ${plain.amount(one.seats)}`))
    return {
      title: tier === undefined ? 'Choose an EKS tier above 4XL' : `Choose the EKS tier ${tier.name}`,
      text: `EKS sets the flags of its servers. Tiers of its provisioned control plane have these seats: ${table} (AWS’s user guide, November 2025; there are larger ones).`,
      unknown: [
        `Whether the seats of a tier are those of each server or of all together: here they are counted as those of ${EKS_SERVERS} servers.`,
      ],
      ...(tier !== undefined && {
        snippet: `aws eks update-cluster-config --name CLUSTER --control-plane-scaling-config tier=${tier.tier}\n`,
      }),
    }
  }
  if (version?.includes('-aliyun') === true) {
    return {
      title: 'Choose a larger control plane of ACK Pro',
      text: 'ACK sets the flags of its servers. Its provisioned control planes have more seats: Pro XL, Pro 2XL and, on request, Pro 4XL (ACK’s API reference, July 2026: cluster_spec ack.pro.xlarge, ack.pro.2xlarge, ack.pro.4xlarge).',
      unknown: [
        'The seats of each tier: compare the table in ACK’s user guide with the demand of all servers together.',
      ],
    }
  }
  return undefined
}
