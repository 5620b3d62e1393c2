import { describe, expect, it } from 'vitest'
import { SourceSpecSchema } from '../../../core/contract/source.ts'
import { EMPTY_FORM, formOf, intervalText, readForm } from './form.logic.ts'

describe('the form of a direct source', () => {
  it('names nothing that was left empty', () => {
    expect(readForm(EMPTY_FORM)).toEqual({
      ok: true,
      target: { kind: 'kubeconfig' },
      spec: {
        kind: 'scrape',
        target: { kind: 'kubeconfig' },
        cadence: { intervalMs: 1_000, dumpsEveryMs: 5_000 },
      },
    })
  })

  it('takes several addresses, one a line, each once', () => {
    const urls = 'http://127.0.0.1:8001/metrics\nhttps://b:6443/metrics, http://127.0.0.1:8001/metrics'
    const read = readForm({ ...EMPTY_FORM, method: 'urls', urls })
    expect(read).toMatchObject({
      ok: true,
      target: { urls: ['http://127.0.0.1:8001/metrics', 'https://b:6443/metrics'] },
    })
  })

  it.each(['10.0.0.1:6443', 'ftp://a/metrics', 'javascript:alert(1)', 'nonsense'])(
    'refuses %s and names it',
    (text) => {
      const servers = readForm({ ...EMPTY_FORM, servers: text })
      expect(servers).toEqual({
        ok: false,
        errors: { servers: `“${text}” is not an address; write it as https://host:port.` },
      })
      expect(readForm({ ...EMPTY_FORM, method: 'urls', urls: text }).ok).toBe(false)
    },
  )

  it('asks for an address when there is none', () => {
    expect(readForm({ ...EMPTY_FORM, method: 'urls' })).toMatchObject({
      ok: false,
      errors: { urls: expect.any(String) },
    })
  })

  it('makes what the contract admits, and is filled again from it', () => {
    const form = {
      ...EMPTY_FORM,
      file: '/k',
      context: 'prod',
      servers: 'https://a:6443\nhttps://b:6443',
      dumpsEveryMs: null,
    }
    const read = readForm(form)
    if (!read.ok) throw new Error('The form is valid.')
    expect(formOf(SourceSpecSchema.parse(read.spec))).toEqual(form)
    expect(formOf({ kind: 'demo' })).toBeUndefined()
  })
})

it('writes intervals', () => {
  expect([500, 1_000, 60_000, 300_000, null].map(intervalText)).toEqual(['0.5 s', '1 s', '1 min', '5 min', 'off'])
})
