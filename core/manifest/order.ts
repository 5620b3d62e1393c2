/** The members of the two kinds in the order in which the API describes them (specification 1.2, 1.3). */
const MEMBERS = [
  'apiVersion',
  'kind',
  'metadata',
  'namespace',
  'name',
  'labels',
  'annotations',
  'spec',
  'type',
  'priorityLevelConfiguration',
  'matchingPrecedence',
  'distinguisherMethod',
  'rules',
  'subjects',
  'resourceRules',
  'nonResourceRules',
  'verbs',
  'apiGroups',
  'resources',
  'clusterScope',
  'namespaces',
  'nonResourceURLs',
  'exempt',
  'limited',
  'nominalConcurrencyShares',
  'lendablePercent',
  'borrowingLimitPercent',
  'limitResponse',
  'queuing',
  'queues',
  'handSize',
  'queueLengthLimit',
  'status',
]
const RANK = new Map(MEMBERS.map((member, index) => [member, index]))

const rankOf = (member: string): number => RANK.get(member) ?? MEMBERS.length

/** Order of members for people; those that the API does not have keep their order after the others. */
export const byApiOrder = (a: string, b: string): number => rankOf(a) - rankOf(b)
