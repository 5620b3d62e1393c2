import { z } from 'zod'
import type { ReviewContext } from './accessReview.ts'
import { getJson } from './json.ts'

const SliceSchema = z.object({
  endpoints: z.array(z.object({ addresses: z.array(z.string()) })).nullable(),
  ports: z.array(z.object({ name: z.string().optional(), port: z.number() })).nullable(),
})

/**
 * Addresses of the single API servers of a cluster, as its `kubernetes` service knows them; empty when the user may not
 * read that. They are a suggestion: from outside the cluster's network they may not be reachable.
 */
export async function otherServers({ base, settings }: ReviewContext): Promise<string[]> {
  const url = new URL(`${base}/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes`)
  const answer = await getJson({ url, settings })
  const slice = answer.ok ? SliceSchema.safeParse(answer.value) : undefined
  if (slice?.success !== true) return []
  const port = slice.data.ports?.[0]?.port ?? 443
  const addresses = (slice.data.endpoints ?? []).flatMap((endpoint) => endpoint.addresses)
  return addresses.map((address) => `https://${address.includes(':') ? `[${address}]` : address}:${port}`)
}
