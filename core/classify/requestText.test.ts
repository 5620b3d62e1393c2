import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ReadRequest, readRequestText } from './requestText.ts'
import { readRequestInfos } from './requestInfoText.ts'

function read(text: string, sender?: Parameters<typeof readRequestText>[1]): ReadRequest {
  const reading = readRequestText(text, sender)
  if (!reading.ok) throw new Error(reading.problem)
  return reading
}
const problem = (text: string): string => {
  const reading = readRequestText(text)
  return reading.ok ? 'none' : reading.problem
}
const line = (text: string): string => {
  const { request } = read(text)
  return `${request.method} ${request.url}`
}

describe('kubectl', () => {
  test.each([
    ['kubectl get pods -n tenant-4417', 'GET /api/v1/namespaces/tenant-4417/pods?limit=500'],
    ['$ kubectl -n kube-system get po web-0 -o yaml', 'GET /api/v1/namespaces/kube-system/pods/web-0'],
    ['k get deploy.apps -nci', 'GET /apis/apps/v1/namespaces/ci/deployments?limit=500'],
    ['get deployments.v1.apps/web --namespace=ci', 'GET /apis/apps/v1/namespaces/ci/deployments/web'],
    ['get nodes', 'GET /api/v1/nodes?limit=500'],
    ['get ns/kube-system', 'GET /api/v1/namespaces/kube-system'],
    ['get policies.example.com -A', 'GET /apis/example.com/v1/policies?limit=500'],
    ['get netpol -A --chunk-size=0', 'GET /apis/networking.k8s.io/v1/networkpolicies'],
    [
      'get pods -A -l app=web --field-selector status.phase=Running',
      'GET /api/v1/pods?labelSelector=app%3Dweb&fieldSelector=status.phase%3DRunning&limit=500',
    ],
    ['get pods --all-namespaces --watch', 'GET /api/v1/pods?watch=true&resourceVersion=1'],
    ['get pod x -n a -w', 'GET /api/v1/namespaces/a/pods?watch=true&fieldSelector=metadata.name%3Dx&resourceVersion=1'],
    ['get --raw /healthz', 'GET /healthz'],
    ["get --raw='/apis/apps/v1/deployments?limit=5'", 'GET /apis/apps/v1/deployments?limit=5'],
    ['delete --raw /api/v1/nodes/n1', 'DELETE /api/v1/nodes/n1'],
    ['delete pod x -n a', 'DELETE /api/v1/namespaces/a/pods/x'],
    ['logs x -f -n a', 'GET /api/v1/namespaces/a/pods/x/log?follow=true'],
    ['exec -it -n a x -c main -- sh -c "ls -n b"', 'GET /api/v1/namespaces/a/pods/x/exec?container=main'],
    ['scale deploy/web --replicas 3 -n a', 'PATCH /apis/apps/v1/namespaces/a/deployments/web/scale'],
    ['label node n1 zone=a other-', 'PATCH /api/v1/nodes/n1'],
    ['create token builder -n ci', 'POST /api/v1/namespaces/ci/serviceaccounts/builder/token'],
    ['create secret generic x --from-literal a=b -n ci', 'POST /api/v1/namespaces/ci/secrets'],
    ['run x --image nginx -n ci', 'POST /api/v1/namespaces/ci/pods'],
    ['rollout restart deployment web -n a', 'PATCH /apis/apps/v1/namespaces/a/deployments/web'],
    ['drain n1 --ignore-daemonsets', 'PATCH /api/v1/nodes/n1'],
    ['top pods -A', 'GET /apis/metrics.k8s.io/v1beta1/pods'],
    ['auth can-i create pods', 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
    ['version', 'GET /version'],
    ['get events -A --sort-by=.lastTimestamp', 'GET /api/v1/events?includeObject=Object'],
    ['get events -A -o wide --sort-by=.lastTimestamp', 'GET /api/v1/events?includeObject=Object'],
    ['get events -A -o json --sort-by=.lastTimestamp', 'GET /api/v1/events'],
    [
      'get pods -n a --sort-by .metadata.name -l a=b',
      'GET /api/v1/namespaces/a/pods?labelSelector=a%3Db&includeObject=Object',
    ],
    ['events -A', 'GET /api/v1/events?limit=500'],
    ['events --for pod/x -n a', 'GET /api/v1/namespaces/a/events?fieldSelector=involvedObject.name%3Dx&limit=500'],
    ['cp team-a/web-0:/data/x ./x', 'GET /api/v1/namespaces/team-a/pods/web-0/exec'],
    ['cp ./x web-0:/data/x -n a -c main', 'GET /api/v1/namespaces/a/pods/web-0/exec?container=main'],
    ['logs -n a -l app=web --prefix', 'GET /api/v1/namespaces/a/pods/some-name/log'],
    ['certificate approve csr-1', 'PUT /apis/certificates.k8s.io/v1/certificatesigningrequests/csr-1/approval'],
    ['debug web-0 -n a --image=busybox', 'PATCH /api/v1/namespaces/a/pods/web-0/ephemeralcontainers'],
    ['debug node/n1 -n a -it --image=busybox', 'POST /api/v1/namespaces/a/pods'],
    ['oc get pods -n a', 'GET /api/v1/namespaces/a/pods?limit=500'],
    ['oc adm top nodes', 'GET /apis/metrics.k8s.io/v1beta1/nodes'],
    ['oc adm cordon n1', 'PATCH /api/v1/nodes/n1'],
    ['oc rsh web', 'GET /api/v1/namespaces/default/pods/web/exec'],
    ['kubectl.exe get nodes', 'GET /api/v1/nodes?limit=500'],
    ['kubectl get pods \\\n  -n a | grep x', 'GET /api/v1/namespaces/a/pods?limit=500'],
  ])('%s', (text, expected) => {
    expect(line(text)).toBe(expected)
  })

  test.each([
    [
      'kubectl get widgets',
      '"widgets" is not a built-in resource; write another one with its group: widgets.example.com.',
    ],
    ['kubectl get all', 'all covers several resources with a request each; name one of them.'],
    ['kubectl get', 'The command names no resource.'],
    ['kubectl', 'The kubectl command is missing: get, list, delete, …'],
    [
      'kubectl frobnicate',
      'kubectl frobnicate is not supported; try get, describe, create, delete, patch, logs, exec or --raw.',
    ],
    ['kubectl get pod x -A', 'A single object cannot be requested in all namespaces: leave out the name or -A.'],
    ['kubectl get pods --as-group dev', '--as-group needs --as: groups alone cannot be impersonated.'],
    ['kubectl get pods "-n a', 'A quotation mark of the command is not closed.'],
    ['kubectl get --raw healthz', '--raw takes a path that begins with a slash, not "healthz".'],
  ])('%s cannot be read', (text, expected) => {
    expect(problem(text)).toBe(expected)
  })

  test('impersonates as the server does', () => {
    expect(read('kubectl get pods -n a --as alice --as-group dev --as-group ops').request).toMatchObject({
      user: 'alice',
      groups: ['dev', 'ops', 'system:authenticated'],
    })
    expect(read('kubectl get nodes --as=system:serviceaccount:ci:runner').request.groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:ci',
      'system:authenticated',
    ])
    expect(read('kubectl get nodes --as=system:anonymous').request.groups).toEqual(['system:unauthenticated'])
  })

  test('marks what it guesses', () => {
    expect(read('kubectl get pods', { user: 'alice', groups: ['dev'] })).toMatchObject({
      request: { user: 'alice', groups: ['dev'], url: '/api/v1/namespaces/default/pods?limit=500' },
      guessed: ['url'],
      notes: ['kubectl takes the namespace of the context; default is assumed.'],
    })
    expect(read('kubectl get nodes', { user: 'system:node:n1' })).toMatchObject({
      request: { groups: ['system:nodes', 'system:authenticated'] },
      guessed: ['groups'],
      notes: ['Filled in from the node name.'],
    })
    expect(read('kubectl get nodes').guessed).toEqual(['user', 'groups'])
    expect(read('kubectl get pods,svc -n a').notes).toContain(
      'kubectl sends a request for each resource; this is the one for pods.',
    )
  })
})

test.each([
  ['curl -k https://10.0.0.1:6443/api/v1/pods?limit=5', 'GET /api/v1/pods?limit=5'],
  ['curl -sX DELETE "$APISERVER/api/v1/nodes/n1"', 'DELETE /api/v1/nodes/n1'],
  [
    'curl --request PATCH --url https://h/apis/apps/v1/namespaces/a/deployments/b -d {}',
    'PATCH /apis/apps/v1/namespaces/a/deployments/b',
  ],
  [
    "curl https://h/api/v1/namespaces/a/pods -d '{\"a\": 1}' -H 'Content-Type: application/json'",
    'POST /api/v1/namespaces/a/pods',
  ],
  ['curl -G https://h/api/v1/pods -d limit=5 -d watch=1', 'GET /api/v1/pods?limit=5&watch=1'],
  ['curl -I localhost:8001/healthz', 'HEAD /healthz'],
  ['curl https://h', 'GET /'],
  ['GET /readyz', 'GET /readyz'],
  ['post https://h:6443/api/v1/namespaces HTTP/2', 'POST /api/v1/namespaces'],
  ['/api/v1/pods?watch=1', 'GET /api/v1/pods?watch=1'],
])('%s', (text, expected) => {
  expect(line(text)).toBe(expected)
})

test('curl tells who sends it', () => {
  expect(
    read(
      "curl https://h/healthz -H 'Impersonate-User: alice' -H 'Impersonate-Group: dev' -H 'Authorization: Bearer x'",
    ),
  ).toMatchObject({ request: { user: 'alice', groups: ['dev', 'system:authenticated'] }, guessed: [] })
  const payload = btoa(JSON.stringify({ sub: 'system:serviceaccount:ci:runner' })).replaceAll('=', '')
  expect(read(`curl https://h/healthz --header "Authorization: Bearer e30.${payload}.sig"`)).toMatchObject({
    request: { user: 'system:serviceaccount:ci:runner' },
    guessed: ['groups'],
  })
  expect(problem('curl https://h/ -X')).toBe('The option -X of the curl command has no method.')
  expect(problem('curl -k')).toBe('The curl command has no address.')
})

test('an audit event', () => {
  const event = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    requestURI: '/api/v1/namespaces/a/pods?limit=500',
    verb: 'list',
    user: { username: 'admin', groups: ['system:masters'] },
  }
  const admin = {
    request: { user: 'admin', groups: ['system:masters'], method: 'GET', url: event.requestURI },
    guessed: [],
  }
  expect(read(JSON.stringify(event))).toMatchObject({ format: 'audit', ...admin })
  expect(read(`${JSON.stringify(event)}\n${JSON.stringify(event)}`)).toMatchObject(admin)
  expect(read(JSON.stringify({ kind: 'EventList', items: [event, event] })).notes).toEqual([
    'The text contains several events; this is the first.',
  ])
  expect(
    read(JSON.stringify({ ...event, verb: 'deletecollection', impersonatedUser: { username: 'alice', groups: [] } })),
  ).toMatchObject({
    request: { user: 'alice', groups: [], method: 'DELETE' },
    notes: ['admin impersonates alice; flow schemas match only the latter.'],
  })
  expect(problem('{"kind":"Pod"}')).toContain('needs requestURI, verb and user.username')
  expect(problem('{')).toBe('The text looks like JSON but is invalid.')
})

test('a line of a request dump', () => {
  const cells = 'workload-low, service-accounts, 3, -1, alice, 2026-01-01T00:00:00Z, 1, 0, 0s, 2026-01-01T00:00:00Z'
  expect(read(`${cells}, system:serviceaccount:a:b, watch, /api/v1/pods, , , v1, pods, `)).toMatchObject({
    format: 'dump',
    request: { user: 'system:serviceaccount:a:b', method: 'GET', url: '/api/v1/pods?watch=true' },
    guessed: ['url', 'groups'],
  })
  expect(problem(`${cells}, `)).toContain('includeRequestDetails=1')
})

test('no text makes it throw', () => {
  const word = fc.constantFrom(
    ...(
      'kubectl curl get logs exec top auth set scale create token rollout pods po/x deploy.apps a.v1. all -n -A -l -it -f ' +
      '--raw --as --watch -X -H -d -G --url -- / /healthz https://h/a?b=%zz \' " \\ { [ , | $X = \n'
    ).split(' '),
  )
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(word, { maxLength: 8 }).map((words) => words.join(' ')),
    fc.array(word, { maxLength: 8 }).map((words) => `kubectl ${words.join(' ')}`),
    fc.array(fc.string(), { minLength: 11, maxLength: 20 }).map((cells) => cells.join(',')),
    fc.json(),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const reading = readRequestText(text)
      if (reading.ok) {
        expect(reading.request.url).toMatch(/^\//)
        expect(reading.request.method).not.toBe('')
      } else {
        expect(reading.problem).toMatch(/\S/)
      }
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  [
    'I0101 10:00:00.000000   1 request.go:752] "Waited before sending request" delay="1.05s" reason="client-side throttling, not priority and fairness" verb="GET" URL="https://10.0.0.1:6443/apis/apps/v1/deployments?limit=5"',
    'GET /apis/apps/v1/deployments?limit=5',
    '1.05s',
  ],
  [
    'I0101 10:00:00.000000   1 request.go:690] Waited for 1.198s due to client-side throttling, not priority and fairness, request: GET:https://10.0.0.1:6443/api/v1/pods',
    'GET /api/v1/pods',
    '1.198s',
  ],
  [
    '{"level":"info","ts":"2026-11-28T10:00:00Z","msg":"Waited for 2.5s due to client-side throttling, not priority and fairness, request: GET:https://10.0.0.1:443/api/v1/nodes"}',
    'GET /api/v1/nodes',
    '2.5s',
  ],
  [
    '{"ts":1.5,"msg":"Waited before sending request","v":3,"delay":"1.05s","reason":"client-side throttling, not priority and fairness","verb":"PATCH","URL":"https://10.0.0.1:6443/api/v1/nodes/n"}',
    'PATCH /api/v1/nodes/n',
    '1.05s',
  ],
  [
    'I0421 03:10:14.166066 1 request.go:655] Throttling request took 1.19s, request: GET:https://10.0.0.1:443/apis/batch/v1?timeout=32s',
    'GET /apis/batch/v1?timeout=32s',
    '1.19s',
  ],
  [
    'I1128 17:00:00.1 1 round_trippers.go:553] GET https://127.0.0.1:1/api/v1/nodes?limit=500 200 OK in 5 milliseconds',
    'GET /api/v1/nodes?limit=500',
    undefined,
  ],
  [
    'I1128 17:00:00.1 1 round_trippers.go:632] "Response" verb="POST" url="https://127.0.0.1:1/api/v1/namespaces/a/pods?fieldManager=kubectl-run" status="201 Created"',
    'POST /api/v1/namespaces/a/pods?fieldManager=kubectl-run',
    undefined,
  ],
])('a line of a client: %s', (text, expected, wait) => {
  const { format, notes } = read(text)
  expect(format).toBe('client-log')
  expect(line(text)).toBe(expected)
  expect(notes.join()).toContain(wait === undefined ? '' : `This wait of ${wait} was in the client`)
})

test('of several requests of a client the first is read, and that is said', () => {
  const of = (path: string): string => `I1 1 round_trippers.go:553] GET https://127.0.0.1:1${path} 200 OK in 5 ms\n`
  expect(read(of('/api?timeout=32s') + of('/api/v1/nodes')).notes.join()).toContain('contains several requests')
  expect(read(of('/api/v1/nodes')).notes.join()).not.toContain('several')
})

test.each([
  ['LIST /api/v1/pods', 'GET /api/v1/pods'],
  ['list /api/v1/pods', 'GET /api/v1/pods'],
  ['WATCH /api/v1/pods', 'GET /api/v1/pods?watch=true'],
  ['WATCHLIST /api/v1/pods', 'GET /api/v1/pods?watch=true'],
  ['APPLY /api/v1/nodes/n1', 'PATCH /api/v1/nodes/n1'],
  ['deletecollection /api/v1/pods', 'DELETE /api/v1/pods'],
  ['HEAD /healthz', 'HEAD /healthz'],
])('a verb in the spelling of logs or metrics: %s', (text, expected) => {
  expect(line(text)).toBe(expected)
})

test('what is neither a verb nor a method is refused', () => {
  expect(problem('FETCH /api/v1/pods')).toMatch(/^"FETCH" is neither a verb nor an HTTP method/)
})

/** As the KEP prints them. */
const EXTRACTS = `requestInfo=&request.RequestInfo{IsResourceRequest:true,
  Path:"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/127.0.0.1",
  Verb:"update", APIPrefix:"apis", APIGroup:"coordination.k8s.io",
  APIVersion:"v1", Namespace:"kube-node-lease", Resource:"leases",
  Subresource:"", Name:"127.0.0.1", Parts:[]string{"leases",
    "127.0.0.1"}},
userInfo=&user.DefaultInfo{Name:"system:node:127.0.0.1", UID:"",
  Groups:[]string{"system:nodes", "system:authenticated"},
  Extra:map[string][]string(nil)}
RequestInfo=&request.RequestInfo{IsResourceRequest:true,
  Path:"/api/v1/services", Verb:"watch", APIPrefix:"api", APIGroup:"",
  APIVersion:"v1", Namespace:"", Resource:"services", Subresource:"",
  Name:"", Parts:[]string{"services"}},
user.Info=&user.DefaultInfo{Name:"system:apiserver",
  UID:"388b748d-481c-4348-9c94-b7aab0c6efad",
  Groups:[]string{"system:masters"}, Extra:map[string][]string(nil)}
requestInfo=&request.RequestInfo{IsResourceRequest:false, Path:"/api",
  Verb:"get", APIPrefix:"", APIGroup:"", APIVersion:"", Namespace:"",
  Resource:"", Subresource:"", Name:"", Parts:[]string(nil)},
userInfo=&user.DefaultInfo{Name:"a\\"b", UID:"", Groups:[]string(nil),
  Extra:map[string][]string(nil)}
`
const LOGGED = [
  {
    user: 'system:node:127.0.0.1',
    groups: ['system:nodes', 'system:authenticated'],
    verb: 'update',
    url: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/127.0.0.1',
  },
  { user: 'system:apiserver', groups: ['system:masters'], verb: 'watch', url: '/api/v1/services' },
  { user: 'a"b', groups: [], verb: 'get', url: '/api' },
]

test.each([
  ['as the KEP prints them', EXTRACTS],
  ['on a line each', EXTRACTS.replaceAll(/\n\s+/g, '')],
  [
    'of klog',
    EXTRACTS.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/(\S*)=&request/g, 'I0101 10:00:00.0 1 a.go:1] $1=&request'),
  ],
])('RequestInfos of a server %s', (_name, text) => {
  expect(readRequestInfos(text)).toEqual(LOGGED)
  const reading = read(text)
  expect(reading).toMatchObject({
    format: 'server-log',
    request: { user: 'system:node:127.0.0.1', groups: LOGGED[0]?.groups, method: 'PUT', url: LOGGED[0]?.url },
  })
  expect(reading.notes).toContain('The text contains several requests; this is the first.')
})
