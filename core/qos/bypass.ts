import { plain } from '../text/format.ts'
import type { EtcdState } from '../contract/etcd.ts'

/** The requests that bypassed a proxy, in one sentence; `undefined` if the member reports none. */
export const bypassText = ({ answered, outside, seconds }: NonNullable<EtcdState['bypass']>): string | undefined =>
  outside === 0
    ? undefined
    : `At least ${plain.fixed(outside)} of ${plain.fixed(answered)} requests for keys that the member answered in the last ${seconds} s did not come through this proxy, so no rule here limits them.`
