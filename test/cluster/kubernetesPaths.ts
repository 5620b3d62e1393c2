export const NAMESPACE = 'apf-console'

/** Where objects of a kind are created, of those of the in-cluster mode. */
export const PATHS: Readonly<Record<string, string>> = {
  ServiceAccount: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`,
  ConfigMap: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
  Service: `/api/v1/namespaces/${NAMESPACE}/services`,
  PersistentVolumeClaim: `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`,
  Deployment: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
  NetworkPolicy: `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/networkpolicies`,
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  FlowSchema: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  PriorityLevelConfiguration: '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
}
