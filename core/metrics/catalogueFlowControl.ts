import { DEPRECATED_FAMILIES, LIMIT_FAMILIES } from './catalogueLimits.ts'
import type { FamilyInfo } from './familyInfo.ts'
import { REQUEST_FAMILIES } from './catalogueRequests.ts'
import { TIME_FAMILIES } from './catalogueTime.ts'

/** The 32 flow-control families of Kubernetes 1.37 and the two that it lost (specification 8.1, 8.2, 8.4). */
export const FLOW_CONTROL_FAMILIES: readonly FamilyInfo[] = [
  ...REQUEST_FAMILIES,
  ...LIMIT_FAMILIES,
  ...TIME_FAMILIES,
  ...DEPRECATED_FAMILIES,
]
