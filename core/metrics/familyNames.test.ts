import { describe, expect, it } from 'vitest'
import { parseKubernetesVersion, versionNote } from './versions.ts'

describe('parseKubernetesVersion', () => {
  it.each([
    ['v1.36.3', 36],
    ['v1.33.5-gke.1162000', 33],
    ['v1.32.9-eks-3025e55', 32],
    ['v1.31.0+k3s1', 31],
    ['v1.37.0-beta.0', 37],
    ['1.30', 30],
    ['v1.29+', 29],
    [' v1.36.3\n', 36],
  ])('reads the minor of %j', (text, minor) => {
    expect(parseKubernetesVersion(text)).toEqual({ major: 1, minor })
  })

  it.each([
    undefined,
    '',
    'unknown',
    'v1',
    'v1.',
    'v0.0.0-master+$Format:%H$'.slice(1, 2),
    'version 1.36',
    'v1.4567.1',
  ])('does not guess at %j', (text) => {
    expect(parseKubernetesVersion(text)).toBeUndefined()
  })
})

describe('the note about a version', () => {
  it('is absent for releases whose rules are known', () => {
    for (const version of ['v1.29.6', 'v1.33.5-gke.1162000', 'v1.37.0']) expect(versionNote(version)).toBeUndefined()
  })

  it.each([
    [undefined, /^The server's version is not shown\. .* rules of v1\.37/],
    ['unknown', /^The server's version is unknown, which cannot be read\. /],
    ['v1.25.4', /^v1\.25\.4 is older than the supported releases, v1\.29 to v1\.37\. .* rules of v1\.29/],
    ['v1.38.0-beta.0', /^v1\.38\.0-beta\.0 is supported as a preview: .* is that of v1\.37\.$/],
    ['v1.39.1', /^v1\.39\.1 is newer than the supported releases, v1\.29 to v1\.37\. .* rules of v1\.37/],
    ['v2.0.0', /^v2\.0\.0 is newer than /],
  ])('of %j says whose rules apply', (version, words) => {
    expect(versionNote(version)).toMatch(words)
  })
})
