import { byCodeUnits } from '../text/text.ts'
import type { Kind, ObjectSet } from '../config/objects.ts'

/** A resource that every cluster has, by the name that kubectl uses. */
export interface KnownResource {
  readonly apiGroup: string
  readonly version: string
  readonly resource: string
  readonly namespaced: boolean
}

/** `plural/short/short` of each group and version; those after the bar are not namespaced. */
const TABLE: readonly (readonly [groupVersion: string, names: string])[] = [
  [
    'v1',
    'pods/po services/svc configmaps/cm secrets endpoints/ep events/ev serviceaccounts/sa replicationcontrollers/rc ' +
      'resourcequotas/quota limitranges/limits persistentvolumeclaims/pvc podtemplates bindings | ' +
      'nodes/no namespaces/ns persistentvolumes/pv componentstatuses/cs',
  ],
  ['apps/v1', 'deployments/deploy replicasets/rs statefulsets/sts daemonsets/ds controllerrevisions |'],
  ['batch/v1', 'jobs cronjobs/cj |'],
  ['autoscaling/v2', 'horizontalpodautoscalers/hpa |'],
  ['networking.k8s.io/v1', 'ingresses/ing networkpolicies/netpol | ingressclasses ipaddresses/ip servicecidrs'],
  ['policy/v1', 'poddisruptionbudgets/pdb |'],
  ['rbac.authorization.k8s.io/v1', 'roles rolebindings | clusterroles clusterrolebindings'],
  [
    'storage.k8s.io/v1',
    'csistoragecapacities | storageclasses/sc volumeattachments csidrivers csinodes volumeattributesclasses/vac',
  ],
  ['coordination.k8s.io/v1', 'leases |'],
  ['discovery.k8s.io/v1', 'endpointslices |'],
  ['scheduling.k8s.io/v1', '| priorityclasses/pc'],
  ['node.k8s.io/v1', '| runtimeclasses'],
  [
    'admissionregistration.k8s.io/v1',
    '| mutatingwebhookconfigurations validatingwebhookconfigurations validatingadmissionpolicies ' +
      'validatingadmissionpolicybindings',
  ],
  ['apiextensions.k8s.io/v1', '| customresourcedefinitions/crd/crds'],
  ['apiregistration.k8s.io/v1', '| apiservices'],
  ['certificates.k8s.io/v1', '| certificatesigningrequests/csr'],
  ['flowcontrol.apiserver.k8s.io/v1', '| flowschemas prioritylevelconfigurations'],
  ['authentication.k8s.io/v1', '| tokenreviews selfsubjectreviews'],
  [
    'authorization.k8s.io/v1',
    'localsubjectaccessreviews | subjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews',
  ],
  ['resource.k8s.io/v1', 'resourceclaims resourceclaimtemplates | deviceclasses resourceslices'],
  ['events.k8s.io/v1', 'events/ev |'],
  ['metrics.k8s.io/v1beta1', 'pods | nodes'],
]

/** If several have the same name, the first one counts, as in kubectl: pods are those of the core group. */
const byName = new Map<string, KnownResource[]>()
for (const [groupVersion, names] of TABLE) {
  const slash = groupVersion.indexOf('/')
  const apiGroup = groupVersion.slice(0, Math.max(slash, 0))
  const version = groupVersion.slice(slash + 1)
  let namespaced = true
  for (const entry of names.split(' ')) {
    if (entry === '|') {
      namespaced = false
    } else if (entry !== '') {
      const [resource = '', ...short] = entry.split('/')
      for (const name of [resource, singularOf(resource), ...short]) {
        byName.set(name, [...(byName.get(name) ?? []), { apiGroup, version, resource, namespaced }])
      }
    }
  }
}

/** `policies` → `policy`, `ingresses` → `ingress`, `leases` → `lease`. */
function singularOf(plural: string): string {
  if (plural.endsWith('ies')) return `${plural.slice(0, -3)}y`
  return /(?:ss|us)es$/.test(plural) ? plural.slice(0, -2) : plural.slice(0, -1)
}

/** The built-in resource with a plural, singular or short name, in one group if it is given. */
export const knownResource = (name: string, apiGroup?: string): KnownResource | undefined =>
  byName.get(name)?.find((resource) => apiGroup === undefined || resource.apiGroup === apiGroup)

/** Plural names, for suggestions. */
export const KNOWN_RESOURCES: readonly string[] = [
  ...new Set(Array.from(byName.values(), (all) => all.map(({ resource }) => resource)).flat()),
].toSorted(byCodeUnits)

/** One UID of a text and the object that it identifies. */
interface ResolvedUid {
  /** As in the text; empty for a header without a value, which the server sends for a placeholder that it creates. */
  readonly uid: string
  /** The kind according to the header’s name; absent for a bare UID. */
  readonly header?: Kind
  /** Objects with this UID, or, for a shortened one, all whose UID begins with it. */
  readonly found: readonly { readonly kind: Kind; readonly name: string; readonly uid: string }[]
  /** One sentence. */
  readonly message: string
}

const HEADER = /x-kubernetes-pf-(flowschema|prioritylevel)-uid["']?\s*[:=][ \t]*["']?([^\s"',]*)/gi
/** Shorter ones are too ambiguous, and ordinary words could be mistaken for them. */
const BARE = /(?<![0-9a-z-])[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{1,12})?(?![0-9a-z-])/gi

/** Resolves response headers X-Kubernetes-PF-FlowSchema-UID and …-PriorityLevel-UID, whole lines or bare UIDs. */
export function resolveUids(objects: ObjectSet, text: string): readonly ResolvedUid[] {
  const inHeaders = [...text.matchAll(HEADER)].map(([, kind = '', uid = '']) =>
    resolve(objects, uid, kind.toLowerCase() === 'flowschema' ? 'FlowSchema' : 'PriorityLevelConfiguration'),
  )
  const rest = text.replace(HEADER, ' ')
  const bare = inHeaders.length > 0 ? [] : [...rest.matchAll(BARE)].map(([uid]) => resolve(objects, uid, undefined))
  return [...inHeaders, ...bare]
}

function resolve({ levels, schemas }: ObjectSet, uid: string, header: Kind | undefined): ResolvedUid {
  const wanted = uid.toLowerCase()
  const of = (kind: Kind, all: ObjectSet['levels'] | ObjectSet['schemas']): ResolvedUid['found'] =>
    header !== undefined && header !== kind
      ? []
      : all.flatMap(({ metadata: { name, uid: own } }) =>
          own !== undefined && own !== '' && own.toLowerCase().startsWith(wanted) ? [{ kind, name, uid: own }] : [],
        )
  const found = wanted === '' ? [] : [...of('FlowSchema', schemas), ...of('PriorityLevelConfiguration', levels)]
  return { uid, ...(header !== undefined && { header }), found, message: messageOf(uid, header, found) }
}

const WORDS: Readonly<Record<Kind, string>> = {
  FlowSchema: 'flow schema',
  PriorityLevelConfiguration: 'priority level',
}

function messageOf(uid: string, header: Kind | undefined, found: ResolvedUid['found']): string {
  const what = header === undefined ? 'object' : WORDS[header]
  if (uid === '') return `The header is empty: the server uses its default for a missing built-in ${what}.`
  const [first] = found
  if (first === undefined) return `No ${what} has this UID now; it may have been deleted, or belong to another cluster.`
  const names = found.map(({ kind, name }) => `${WORDS[kind]} ${name}`)
  return found.length === 1 ? names.join('') : `Several UIDs begin with this: ${names.join(', ')}.`
}
