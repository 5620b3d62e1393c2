import type { ObjectMeta } from '../config/objects.ts'
import type { GuardChange } from './changes.ts'
import type { GuardFinding } from './finding.ts'
import type { Rail } from './rail.ts'
import { RECONCILERS, signsOf } from './vendors.ts'

/** Changes of objects that somebody else keeps in step: providers, GitOps, other programs. */
export const vendorRail: Rail = ({ changes }) => changes.flatMap(findingsOf)

function findingsOf({ kind, name, from, to }: GuardChange): readonly GuardFinding[] {
  // A new object is nobody's yet.
  if (from === null) return []
  const object = { kind, name }
  const found = RECONCILERS.flatMap((reconciler): GuardFinding[] => {
    const evidence = signsOf(reconciler, from.metadata)
    const { who, does, escape, severity } = reconciler
    if (evidence.length === 0 || (escape && to?.metadata.labels?.[escape.label] === escape.value)) return []
    return [
      {
        code: 'vendor/reconciled',
        severity,
        objects: [object],
        message: `${name} belongs to ${who}, which ${does}.`,
        ...(escape && {
          remedy: {
            sentence: `Set the label ${escape.label} of ${name} to "${escape.value}" in the same write.`,
            fix: { action: 'set', object, path: ['metadata', 'labels', escape.label], value: escape.value },
          },
        }),
        evidence,
      },
    ]
  })
  if (found.length > 0) return found
  const others = programsAmong(from.metadata)
  return others.length === 0
    ? []
    : [
        {
          code: 'vendor/other-manager',
          severity: 'expected',
          objects: [object],
          message: `${name} was written by ${others.join(', ')}; should that be a controller, it may write it again.`,
          evidence: others.map((manager) => `field manager ${manager}`),
        },
      ]
}

/** Field managers of people and of the API server itself. */
const NO_PROGRAM = /^(?:kubectl|apf-console|api-priority-and-fairness-config-|Mozilla|curl|before-first-apply|unknown)/

/** Of the status nothing is said: its writer does not touch what is edited. */
const programsAmong = ({ managedFields }: ObjectMeta): readonly string[] => [
  ...new Set(
    (managedFields ?? []).flatMap(({ manager, subresource }) =>
      manager === undefined || subresource === 'status' || NO_PROGRAM.test(manager) ? [] : [manager],
    ),
  ),
]
