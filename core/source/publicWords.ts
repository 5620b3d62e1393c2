import { builtInObjects } from '../config/builtIn.ts'
import { AUTOUPDATE_ANNOTATION } from '../config/objects.ts'
import { ERROR_CODES } from '../errors.ts'
import { ETCD_MODES, ETCD_VERDICTS, EtcdLevelSchema, QUOTA_ORIGINS } from '../contract/etcd.ts'
import { LIVE_STATES, ProxyModeSchema } from '../contract/live.ts'
import { ObjectsOriginSchema, ObjectsStateSchema } from '../contract/objects.ts'
import { NEWEST_VERSION } from '../engine/profiles.ts'
import { REJECT_REASONS } from '../frame/reading.ts'
import { COVERED_MINORS } from '../metrics/versions.ts'

/*
 * Words that identify nobody: those of the event format, and those of every Kubernetes cluster. Anything else in a
 * recording may be a name.
 */

const split = (words: string): string[] => words.trim().split(/\s+/)

const builtIn = [`v1.${COVERED_MINORS.oldest}.0`, NEWEST_VERSION].flatMap((version) => {
  const { levels, schemas } = builtInObjects(version)
  return [...levels, ...schemas].map(({ metadata }) => metadata.name)
})

const FORMAT = [
  ...split('frame dump facts health objects requests pace note ended'),
  ...split('connecting ok failing off forbidden reading done stopped failed behind feed simulation'),
  ...ERROR_CODES,
  ...LIVE_STATES,
  ...REJECT_REASONS,
  ...ProxyModeSchema.options,
  ...ETCD_MODES,
  ...ETCD_VERDICTS,
  ...QUOTA_ORIGINS,
  ...EtcdLevelSchema.options.map((option) => option.shape.qdisc.value),
  ...ObjectsOriginSchema.options,
  ...ObjectsStateSchema.shape.state.options,
]

/** Words of the two kinds of objects, and of rules. */
const OBJECTS =
  split(`PriorityLevelConfiguration FlowSchema User Group ServiceAccount Limited Exempt Queue Reject ByUser
  ByNamespace Dangling ConcurrencyLimited True False Unknown Found NotFound * ${AUTOUPDATE_ANNOTATION} true false`)

/** Words of requests to an etcd, and of rules about them; `core/qos/anonymised.test.ts` checks them. */
const ETCD =
  split(`Range Put DeleteRange Txn Compact Authenticate LeaseGrant LeaseRevoke Snapshot Defragment HashKV Watch
  KV Lease Cluster Maintenance Auth Lock Election registry requests failedRequests requestBytes totalBytes scannedKeys
  wallTimeMs cpuTimeMs none user clientIP reject delay overlap within class rule PercentOfStorageQuotaUsed ScanKeyNum
  RequestSize ResponseSize TotalTraffic RequestLatency rate inflight delay-too-long waiting-full`)

const VERBS = split(`get list watch create update patch delete deletecollection proxy connect post put head options
  GET LIST WATCH POST PUT PATCH DELETE HEAD OPTIONS CONNECT impersonate bind escalate approve use`)

/** Users, groups and namespaces that every cluster has. */
const IDENTITIES = split(`default kube-system kube-public kube-node-lease system:masters system:authenticated
  system:unauthenticated system:anonymous system:nodes system:serviceaccounts system:apiserver system:kube-scheduler
  system:kube-controller-manager system:kube-proxy system:monitoring system:node-problem-detector system:bootstrappers
  system:cloud-controller-manager system:kube-dns`)

const PATH_WORDS = split(`api apis namespaces openapi v2 v3 version healthz livez readyz metrics slis logs debug
  api_priority_and_fairness dump_priority_levels dump_queues dump_requests pprof flags swagger.json watch proxy ping
  well-known .well-known openid-configuration openid jwks etcd log poststarthook`)

export const PUBLIC_WORDS: ReadonlySet<string> = new Set([
  '',
  ...builtIn,
  ...FORMAT,
  ...OBJECTS,
  ...ETCD,
  ...VERBS,
  ...IDENTITIES,
  ...PATH_WORDS,
])

export const PUBLIC_GROUPS: ReadonlySet<string> = new Set(
  split(`* core apps batch autoscaling policy extensions events.k8s.io admissionregistration.k8s.io apiextensions.k8s.io
    apiregistration.k8s.io authentication.k8s.io authorization.k8s.io certificates.k8s.io coordination.k8s.io
    discovery.k8s.io flowcontrol.apiserver.k8s.io internal.apiserver.k8s.io metrics.k8s.io networking.k8s.io node.k8s.io
    rbac.authorization.k8s.io resource.k8s.io scheduling.k8s.io storage.k8s.io storagemigration.k8s.io`).concat(''),
)

export const PUBLIC_RESOURCES: ReadonlySet<string> = new Set(
  split(`* bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims
    persistentvolumes pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services
    controllerrevisions daemonsets deployments replicasets statefulsets cronjobs jobs horizontalpodautoscalers
    poddisruptionbudgets mutatingwebhookconfigurations validatingwebhookconfigurations validatingadmissionpolicies
    validatingadmissionpolicybindings mutatingadmissionpolicies mutatingadmissionpolicybindings customresourcedefinitions
    apiservices tokenreviews selfsubjectreviews subjectaccessreviews selfsubjectaccessreviews localsubjectaccessreviews
    selfsubjectrulesreviews certificatesigningrequests leases leasecandidates endpointslices flowschemas
    prioritylevelconfigurations storageversions ingresses ingressclasses networkpolicies ipaddresses servicecidrs
    runtimeclasses clusterroles clusterrolebindings roles rolebindings resourceclaims resourceclaimtemplates deviceclasses
    resourceslices priorityclasses csidrivers csinodes csistoragecapacities storageclasses volumeattachments
    volumeattributesclasses storageversionmigrations
    status scale log exec attach portforward proxy eviction binding token ephemeralcontainers resize finalize approval
    rollback`).concat(''),
)

/** Words of sentences about the state of a class of etcd requests, which contain no names. */
export const ETCD_WORDS: ReadonlySet<string> = new Set(
  split(`of tokens refilled at /s free now most in ms flight used the last per second no burst s request requests
    failed byte bytes scanned key keys calls for processor (for time) prefix client address user others wait up to`),
)

/** Members of classes, rules and settings of an etcd proxy. */
export const ETCD_MEMBERS: ReadonlySet<string> = new Set(
  split(`action allowAll burst capacity classes clientIP composite conditions cost enabled estimator groupBy key keyMatch
    kind limit maxDelayMs maxGroups maxWaiting message methods minRetry name num ops prefixPaths priority qClassName qdisc
    qps rangeEnd ranges rules scope subjects threshold tracker user validation windowMs`),
)

/** Query parameters; their values are kept if they are numbers or booleans. */
export const PUBLIC_QUERY: ReadonlySet<string> = new Set(
  split(`limit continue resourceVersion resourceVersionMatch watch timeoutSeconds timeout allowWatchBookmarks
    sendInitialEvents pretty fieldSelector labelSelector dryRun fieldManager fieldValidation force propagationPolicy
    gracePeriodSeconds includeObject follow tailLines previous container command stdin stdout stderr tty exclude verbose`),
)
