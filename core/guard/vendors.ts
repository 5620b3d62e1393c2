import type { ObjectMeta } from '../config/objects.ts'
import type { GuardChange, Rail } from './changes.ts'
import type { GuardFinding } from './finding.ts'

/** A program other than the API server that writes flow-control objects repeatedly, or at its next release. */
export interface Reconciler {
  readonly who: string
  /** Its effect on an edit, as the end of a sentence that begins with its name. */
  readonly does: string
  readonly severity: 'warns' | 'expected'
  /** How to make it leave the object unchanged, if it has such an option. */
  readonly escape?: { readonly label: string; readonly value: string }
  /** The properties that identify an object of its kind. */
  readonly signs: {
    readonly managers?: readonly string[]
    readonly prefixes?: readonly string[]
    /** Keys of labels or annotations; with a value if only that one identifies it. */
    readonly labels?: readonly (readonly [key: string, value?: string])[]
    readonly annotations?: readonly (readonly [key: string, value?: string])[]
  }
}

const PUTS_BACK = 'restores its own version, at the latest with the next upgrade'

const RECONCILERS: readonly Reconciler[] = [
  {
    who: 'Amazon EKS',
    does: PUTS_BACK,
    severity: 'warns',
    signs: { managers: ['eks-internal'], prefixes: ['eks-'] },
  },
  {
    who: 'Azure AKS',
    does: 'restores its own version',
    severity: 'warns',
    escape: { label: 'aks-managed-skip-update-operation', value: 'true' },
    signs: { prefixes: ['aks-managed-'] },
  },
  {
    who: 'OpenShift',
    does: 'restores its release’s version within minutes',
    severity: 'warns',
    signs: {
      managers: ['cluster-version-operator'],
      prefixes: ['openshift-'],
      annotations: [
        ['include.release.openshift.io/self-managed-high-availability'],
        ['include.release.openshift.io/ibm-cloud-managed'],
      ],
    },
  },
  {
    who: 'Deckhouse',
    does: PUTS_BACK,
    severity: 'warns',
    signs: { prefixes: ['d8-'], labels: [['heritage', 'deckhouse']] },
  },
  {
    who: 'the addon manager of the control plane (GKE and others)',
    does: 'restores its own version',
    severity: 'warns',
    signs: { labels: [['addonmanager.kubernetes.io/mode', 'Reconcile']] },
  },
  {
    who: 'Argo CD',
    does: 'may sync it with its repository again; change it there',
    severity: 'warns',
    signs: {
      managers: ['argocd-controller', 'argocd-application-controller'],
      labels: [['argocd.argoproj.io/instance']],
      annotations: [['argocd.argoproj.io/tracking-id']],
    },
  },
  {
    who: 'Flux',
    does: 'syncs it with its repository again; change it there',
    severity: 'warns',
    signs: {
      managers: ['kustomize-controller', 'helm-controller'],
      labels: [['kustomize.toolkit.fluxcd.io/name'], ['helm.toolkit.fluxcd.io/name']],
    },
  },
  {
    who: 'Helm',
    does: 'writes the chart’s version of it with the next upgrade of the release; change it in the values',
    severity: 'expected',
    signs: {
      managers: ['helm'],
      labels: [['app.kubernetes.io/managed-by', 'Helm']],
      annotations: [['meta.helm.sh/release-name']],
    },
  },
]

/** The traces of such a program on an object, one fact each; empty if there are none. */
function signsOf({ signs }: Reconciler, { name, labels, annotations, managedFields }: ObjectMeta): readonly string[] {
  const managers = (signs.managers ?? []).filter((manager) => managedFields?.some((entry) => entry.manager === manager))
  const prefixes = (signs.prefixes ?? []).filter((prefix) => name.startsWith(prefix))
  const present = (
    wanted: readonly (readonly [key: string, value?: string])[] | undefined,
    found: Readonly<Record<string, string>> = {},
  ): readonly string[] =>
    (wanted ?? []).flatMap(([key, value]) =>
      Object.hasOwn(found, key) && (value === undefined || found[key] === value) ? [`${key}: ${found[key] ?? ''}`] : [],
    )
  return [
    ...managers.map((manager) => `field manager ${manager}`),
    ...prefixes.map((prefix) => `the name begins with ${prefix}`),
    ...present(signs.labels, labels).map((text) => `label ${text}`),
    ...present(signs.annotations, annotations).map((text) => `annotation ${text}`),
  ]
}

/** Changes of objects that another program maintains: providers, GitOps, other programs. */
export const vendorRail: Rail = ({ changes }) => changes.flatMap(findingsOf)

function findingsOf({ kind, name, from, to }: GuardChange): readonly GuardFinding[] {
  // A new object has no maintainer yet.
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
          message: `${name} was last written by ${others.join(', ')}. If that is a controller, it may overwrite the edit.`,
          evidence: others.map((manager) => `field manager ${manager}`),
        },
      ]
}

/** Field managers of people and of the API server itself. */
const NO_PROGRAM = /^(?:kubectl|apf-console|api-priority-and-fairness-config-|Mozilla|curl|before-first-apply|unknown)/

/** The status is ignored: its writer does not change what is edited. */
const programsAmong = ({ managedFields }: ObjectMeta): readonly string[] => [
  ...new Set(
    (managedFields ?? []).flatMap(({ manager, subresource }) =>
      manager === undefined || subresource === 'status' || NO_PROGRAM.test(manager) ? [] : [manager],
    ),
  ),
]
