import { describe, expect, it } from 'vitest'
import { rewriteGoMod } from './goMod.ts'

const upstream = (go: string, godebug: string): string => `module k8s.io/kubernetes

go ${go}

${godebug}

require (
	go.etcd.io/etcd/api/v3 v3.5.21
	go.etcd.io/etcd/server/v3 v3.5.21
	k8s.io/api v0.0.0
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/component-base => ./staging/src/k8s.io/component-base
)
`

describe('the go.mod of a release', () => {
  it('points the staging modules at their published versions', () => {
    const ours = rewriteGoMod(upstream('1.24.0', 'godebug default=go1.24'), 'v1.33.13')
    expect(ours).toContain('k8s.io/api => k8s.io/api v0.33.13')
    expect(ours).toContain('k8s.io/component-base => k8s.io/component-base v0.33.13')
    expect(ours).toContain('k8s.io/kubernetes v1.33.13')
    expect(ours).toContain('go.etcd.io/etcd/server/v3 v3.5.21')
    expect(ours).toContain('godebug default=go1.24\n')
    expect(ours).not.toContain('./staging')
  })
  it('keeps the runtime defaults of the Go version that the release was made with', () => {
    expect(rewriteGoMod(upstream('1.22.0', ''), 'v1.30.14')).toContain('godebug default=go1.22\n')
    expect(rewriteGoMod(upstream('1.26.0', ''), 'v1.36.3')).not.toContain('godebug')
  })
  it('is refused when it is not one', () => {
    expect(() => rewriteGoMod('module x\n', 'v1.36.3')).toThrow('names no Go or etcd version')
  })
})
