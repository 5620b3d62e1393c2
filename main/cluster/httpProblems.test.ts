import { describe, expect, test } from 'vitest'
import { networkProblem, retryAfterMs, statusProblem } from './httpProblems.ts'

const url = new URL('https://api.example:6443/metrics?token=t0k')

describe('what a failure means', () => {
  test.each([
    ['ENOTFOUND', 'unreachable', /name of api\.example:6443 is unknown/],
    ['EHOSTUNREACH', 'unreachable', /VPN/],
    ['CERT_HAS_EXPIRED', 'tls', /has expired/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls', /client certificate/],
    ['ERR_SSL_SOMETHING_NEW', 'tls', /handshake .* failed/],
    ['HPE_INVALID_CONSTANT', 'bad-answer', /does not answer in HTTP/],
    ['ENEWCODE', 'unreachable', /could not be read/],
  ] as const)('%s', (code, kind, words) => {
    const problem = networkProblem(Object.assign(new Error('words of the system'), { code }), url)
    expect(problem).toEqual({
      code: kind,
      message: expect.stringMatching(words),
      details: `${code}: words of the system`,
    })
    expect(problem.message).not.toContain('t0k')
  })

  test('a refusal of credentials names the cause that is known of them, and nobody’s missing rights are none', () => {
    const cause = 'The client certificate of user "u" expired; get a new one.'
    expect(statusProblem(401, {}, '', url, cause)).toEqual({
      code: 'unauthorized',
      message: `https://api.example:6443/metrics does not accept the credentials (401). ${cause}`,
    })
    const anonymous = '{"message":"forbidden: User \\"system:anonymous\\" cannot get path \\"/metrics\\""}'
    expect(statusProblem(403, {}, anonymous, url, 'Give a token.')).toMatchObject({
      code: 'unauthorized',
      message: 'https://api.example:6443/metrics may not be read without credentials (403). Give a token.',
    })
    expect(statusProblem(403, {}, anonymous.replace('system:anonymous', 'jo'), url, 'x').code).toBe('forbidden')
  })

  test('the words of a refusal are those of the Kubernetes Status, or the first line', () => {
    expect(statusProblem(403, {}, '{"kind":"Status","message":"no"}', url).details).toBe('no')
    expect(statusProblem(500, {}, 'first\nsecond', url).details).toBe('first')
    expect(statusProblem(500, {}, '', url)).not.toHaveProperty('details')
    expect(statusProblem(500, {}, 'x'.repeat(9_999), url).details).toHaveLength(300)
  })
})

test.each([
  [undefined, undefined],
  ['7', 7_000],
  ['0', 0],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 60_000],
  ['Thu, 01 Jan 1960 00:00:00 GMT', 0],
  ['soon', undefined],
  ['-1e9', undefined],
  ['99999999999999999999', undefined],
])('Retry-After %s is %s ms', (header, ms) => {
  expect(retryAfterMs(header, 0)).toBe(ms)
})
