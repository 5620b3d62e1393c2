import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { CAPABILITIES, type Capability, type PermissionReport } from '../../core/contract/source.ts'
import { permissionReports } from '../../main/cluster/permissions.ts'
import { answerStatus, metricsPage, startHostileServer, type HostileServer } from '../harness/hostileServer.ts'
import { allNamed } from '../harness/consent.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-permissions-'))
})
afterAll(() => rm(folder, { recursive: true }))

let server: HostileServer | undefined
afterEach(() => server?.close())

interface Rules {
  /** Paths that may be read. */
  readonly pages?: readonly string[]
  /** `verb resource` that access reviews allow; absent means that reviews are not answered. */
  readonly access?: readonly string[]
  readonly user?: string
  readonly level?: string
}

const ALL_PAGES = ['/metrics', '/version', '/debug/']
const VERBS = ['list', 'watch', 'create', 'update', 'patch', 'delete']
const RESOURCES = ['flowschemas', 'prioritylevelconfigurations']
const every = (verbs: readonly string[]): string[] =>
  verbs.flatMap((verb) => RESOURCES.map((kind) => `${verb} ${kind}`))

/** As much of an API server as the report uses. */
function fakeApi({ pages = [], access, user = 'jo', level = 'global-default' }: Rules): RequestListener {
  const flow = { 'X-Kubernetes-PF-FlowSchema-UID': `fs-${level}`, 'X-Kubernetes-PF-PriorityLevel-UID': `pl-${level}` }
  const refuse = (path: string) =>
    answerStatus(403, JSON.stringify({ message: `forbidden: User "${user}" cannot get path "${path}"` }), flow)
  const json = (value: unknown) => answerStatus(200, JSON.stringify(value), flow)
  const names = ['global-default', 'apf-console', 'exempt']
  const objects: Readonly<Record<string, unknown[]>> = {
    prioritylevelconfigurations: names.map((name) => ({
      metadata: { name, uid: `pl-${name}` },
      spec: { type: name === 'exempt' ? 'Exempt' : 'Limited' },
    })),
    flowschemas: names.map((name) => ({
      metadata: { name, uid: `fs-${name}` },
      spec: {
        matchingPrecedence: 9_900,
        priorityLevelConfiguration: { name },
        rules: [
          {
            subjects: [],
            resourceRules: [
              {
                verbs: ['*'],
                apiGroups: [name === 'apf-console' ? 'flowcontrol.apiserver.k8s.io' : '*'],
                resources: ['*'],
              },
            ],
          },
        ],
      },
    })),
  }
  const review = async (request: Parameters<RequestListener>[0]): Promise<RequestListener> => {
    if (access === undefined) return refuse(request.url ?? '')
    if (request.url?.endsWith('selfsubjectreviews')) return json({ status: { userInfo: { username: user } } })
    const { spec } = JSON.parse(await text(request))
    const { verb, resource } = spec.resourceAttributes
    return json({ status: { allowed: access.includes(`${verb} ${resource}`) } })
  }
  return (request, response) => {
    const path = request.url ?? ''
    const kind = RESOURCES.find((resource) => path.includes(`/v1/${resource}`))
    if (request.method === 'POST') void review(request).then((answer) => answer(request, response))
    else if (kind !== undefined && (access ?? every(['list'])).includes(`list ${kind}`)) {
      json({ metadata: { resourceVersion: '1' }, items: objects[kind] })(request, response)
    } else if (!pages.some((page) => path.startsWith(page))) refuse(path)(request, response)
    else if (path === '/version') json({ gitVersion: 'v1.36.3' })(request, response)
    else answerStatus(200, metricsPage({}), flow)(request, response)
  }
}

async function report(rules: Rules): Promise<PermissionReport> {
  server = await startHostileServer({ behaviour: fakeApi(rules) })
  const file = join(folder, `config-${server.port}`)
  await writeFile(
    file,
    stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster: { server: server.url('') } }],
      users: [{ name: 'u', user: { token: 's3cr3t' } }],
    }),
  )
  const [only] = await permissionReports({ kind: 'kubeconfig', file }, allNamed)
  if (only === undefined) throw new Error('no report')
  return only
}

const statuses = ({ results }: PermissionReport): Partial<Record<Capability, string>> =>
  Object.fromEntries(results.map(({ capability, status }) => [capability, status]))
const all = (status: string, ...except: readonly (readonly [Capability, string])[]) =>
  Object.fromEntries([...CAPABILITIES.map((capability) => [capability, status] as const), ...except])

describe('the permission report', () => {
  test('of a user who may do everything has nothing to add', async () => {
    const full = await report({ pages: ALL_PAGES, access: every(VERBS), level: 'exempt' })
    expect(statuses(full)).toEqual(all('allowed'))
    expect(full).toMatchObject({ user: 'jo', server: `127.0.0.1:${server?.port}` })
    expect(full).not.toHaveProperty('missingRole')
    expect(full).not.toHaveProperty('ownLevel')
    expect(full.results.map(({ found }) => found)).toEqual(
      expect.arrayContaining(['v1.36.3', expect.stringMatching(/in level exempt by schema exempt$/)]),
    )
  })

  test('changes nothing on the server: reads, and reviews of the own access', async () => {
    await report({ pages: ALL_PAGES, access: every(VERBS) })
    const calls = server?.requests ?? []
    expect(calls.length).toBeGreaterThan(15)
    for (const { method, path } of calls) expect(`${method} ${path}`).toMatch(/^(GET |POST .*\/selfsubject\w*reviews$)/)
  })

  test('of a user who may do nothing gives the role for looking, and not yet that for editing', async () => {
    const none = await report({ access: [], level: 'exempt' })
    expect(statuses(none)).toEqual(all('forbidden'))
    expect(none.results[1]?.found).toBe('403 for user jo')
    expect(none.missingRole).toMatch(/name: apf-console-version-metrics-dumps-objects\n/)
    expect(none.missingRole).not.toMatch(/patch/)
    expect(none).not.toHaveProperty('editRole')
    expect(none.ownLevel).toMatch(/could not be read/)
  })

  test('of a user who sees everything has the role for editing apart: nothing is missing', async () => {
    const viewer = await report({ pages: ALL_PAGES, access: every(['list', 'watch']), level: 'apf-console' })
    expect(statuses(viewer)).toEqual(all('allowed', ['dry-run', 'forbidden'], ['write', 'forbidden']))
    expect(viewer).not.toHaveProperty('missingRole')
    expect(viewer.editRole).toMatch(/name: apf-console-edit\n/)
    expect(viewer).not.toHaveProperty('ownLevel')
  })

  test('tells rights on one kind only', async () => {
    const half = await report({ pages: ALL_PAGES, access: [...every(['list']), 'watch flowschemas'] })
    expect(half.results.find(({ capability }) => capability === 'watch-objects')).toMatchObject({
      status: 'forbidden',
      found: 'missing for user jo: watch prioritylevelconfigurations',
    })
  })

  test('recommends a level of its own to a user who queues with everybody', async () => {
    const shared = await report({ pages: ALL_PAGES, access: every(VERBS), level: 'global-default' })
    expect(shared.ownLevel).toMatch(/Schema global-default currently assigns its requests to level global-default/)
    expect(shared).not.toHaveProperty('missingRole')
  })

  test('tries reads for real where reviews are not answered, and never tries to write', async () => {
    const unreviewed = await report({ pages: ALL_PAGES })
    expect(statuses(unreviewed)).toEqual(all('allowed', ['dry-run', 'failed'], ['write', 'failed']))
    expect(unreviewed).not.toHaveProperty('user')
  })

  test('offers nothing to anonymous users', async () => {
    const anonymous = await report({ access: [], user: 'system:anonymous' })
    expect(anonymous.user).toBe('system:anonymous')
    expect(anonymous).not.toHaveProperty('missingRole')
    expect(anonymous).not.toHaveProperty('ownLevel')
  })

  test('of refused credentials is the problem alone', async () => {
    server = await startHostileServer({ behaviour: answerStatus(401, '{"message":"Unauthorized"}') })
    const [refused] = await permissionReports({ kind: 'urls', urls: [server.url()] }, allNamed)
    expect(refused).toMatchObject({ results: [], problem: { code: 'unauthorized' } })
  })

  test('of plain addresses tells what does not apply', async () => {
    server = await startHostileServer({ behaviour: fakeApi({ pages: ['/metrics', '/version'] }) })
    const [plain] = await permissionReports({ kind: 'urls', urls: [server.url()] }, allNamed)
    expect(plain?.problem).toBeUndefined()
    expect(statuses(plain ?? { server: '', checkedAt: '', results: [] })).toEqual(
      all(
        'not-applicable',
        ['version', 'allowed'],
        ['metrics', 'allowed'],
        ['dump-levels', 'forbidden'],
        ['dump-queues', 'forbidden'],
        ['dump-requests', 'forbidden'],
      ),
    )
  })

  test('of several addresses is one for each, whatever happens to another', async () => {
    server = await startHostileServer({ behaviour: fakeApi({ pages: ALL_PAGES }) })
    const gone = await startHostileServer()
    await gone.close()
    const reports = await permissionReports({ kind: 'urls', urls: [server.url(), gone.url()] }, allNamed)
    expect(reports.map(({ problem }) => problem?.code)).toEqual([undefined, 'unreachable'])
  })
})
