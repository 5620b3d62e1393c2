import { expect, test } from 'vitest'
import { z } from 'zod'
import { captureVersions, readFixture } from '../../test/fixtures/load.ts'
import { builtInObject, builtInObjects, isMandatory, isSuggested } from './builtIn.ts'
import { KINDS } from './objects.ts'

const ListSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()) }),
      spec: z.unknown(),
    }),
  ),
})

/** Objects of a real server that nobody has changed, by name. */
function captured(version: string, plural: string): ReadonlyMap<string, unknown> {
  const text = readFixture(`captures/${version}/objects/${plural}.json.gz`).toString('utf8')
  return new Map(ListSchema.parse(JSON.parse(text)).items.map((object) => [object.metadata.name, object]))
}

test.each(captureVersions)('the built-in objects of %s are those that a real server made', (version) => {
  const { levels, schemas } = builtInObjects(version)
  expect(new Map(levels.map((level) => [level.metadata.name, level]))).toEqual(
    captured(version, 'prioritylevelconfigurations'),
  )
  expect(new Map(schemas.map((schema) => [schema.metadata.name, schema]))).toEqual(captured(version, 'flowschemas'))
})

test('1.34 dropped two schemas', () => {
  const names = (version: string): string[] => builtInObjects(version).schemas.map(({ metadata }) => metadata.name)
  const earlier = names('v1.29.0')
  expect(names('v1.33.13')).toEqual(earlier)
  expect(names('v1.34.0')).toEqual(
    earlier.filter((name) => !['workload-leader-election', 'endpoint-controller'].includes(name)),
  )
  expect(names('v1.37.0')).toEqual(names('v1.34.0'))
  expect(builtInObjects('v1.29.0').levels).toEqual(builtInObjects('v1.37.0').levels)
})

test('every built-in object is mandatory or suggested, and nothing else is', () => {
  for (const version of ['v1.29.0', 'v1.37.0']) {
    const { levels, schemas } = builtInObjects(version)
    for (const kind of KINDS) {
      for (const { metadata } of kind === 'FlowSchema' ? schemas : levels) {
        const { name } = metadata
        expect(isMandatory(kind, name)).toBe(['exempt', 'catch-all'].includes(name))
        expect(isSuggested(kind, name, version)).toBe(!isMandatory(kind, name))
        expect(builtInObject(kind, name, version)?.metadata.name).toBe(name)
      }
      expect(isMandatory(kind, 'tenant-a') || isSuggested(kind, 'tenant-a', version)).toBe(false)
      expect(builtInObject(kind, 'tenant-a', version)).toBeUndefined()
    }
  }
  expect(isSuggested('FlowSchema', 'endpoint-controller', 'v1.33.0')).toBe(true)
  expect(isSuggested('FlowSchema', 'endpoint-controller', 'v1.34.0')).toBe(false)
})
