import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tinyPage } from '../../test/harness/page.ts'
import { loadAssets } from '../server/assets.ts'
import type { Assets } from '../server/assets.ts'
import { answerScheme, isOwnUrl, registerScheme } from './scheme.ts'

const page = tinyPage()
let assets: Assets
beforeAll(async () => {
  assets = await loadAssets(page.root)
})
afterAll(() => page.remove())

describe('isOwnUrl', () => {
  test.each(['apf://console/', 'apf://console/index.html', 'apf://console/#/level/x', 'apf://console'])('%s', (url) => {
    expect(isOwnUrl(url)).toBe(true)
  })
  test.each([
    '',
    'apf:',
    'apf:console',
    'apf:/console/',
    'apf://console.evil/',
    'apf://console:1/',
    'apf://user@console/',
    'apf://user:word@console/',
    'apf://evil/console/',
    'apfs://console/',
    'https://console/',
    'file:///console/',
    'about:blank',
    'data:text/html,apf://console/',
    'javascript:apf://console/',
    'not an address',
  ])('not "%s"', (url) => {
    expect(isOwnUrl(url)).toBe(false)
  })
})

describe('answerScheme', () => {
  const get = (url: string, method = 'GET'): Response => answerScheme(assets, { url, method })

  test('serves the page under a policy with a nonce that the page is told', async () => {
    const response = get('apf://console/')
    expect(response.status).toBe(200)
    const policy = response.headers.get('content-security-policy') ?? ''
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
    expect(await response.text()).toContain(`content="${nonce}"`)
    expect(policy).toContain("connect-src 'self';")
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(get('apf://console/').headers.get('content-security-policy')).not.toBe(policy)
  })

  test.each([
    ['apf://console/../secret.json', 404],
    ['apf://console/%2e%2e%2fsecret.json', 404],
    ['apf://console/assets/link.json', 404],
    ['apf://console/assets/index-Ab3_xY9-.js.map', 404],
    ['apf://evil/index.html', 403],
    ['file:///etc/hostname', 403],
  ])('%s is refused with %i', async (url, status) => {
    const response = get(url)
    expect(response.status).toBe(status)
    expect(await response.text()).toBe('')
  })

  test.each(['POST', 'PUT', 'DELETE', 'HEAD'])('%s is refused', (method) => {
    expect(get('apf://console/', method).status).toBe(405)
  })
})

test('the scheme has an origin and no more privileges than it needs', () => {
  const registered: unknown[] = []
  registerScheme({ registerSchemesAsPrivileged: (schemes) => registered.push(...schemes) })
  expect(registered).toEqual([
    { scheme: 'apf', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
})
