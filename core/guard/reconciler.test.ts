import { describe, expect, it } from 'vitest'
import { builtInObject } from '../config/builtIn.ts'
import {
  AUTOUPDATE_ANNOTATION,
  type FlowSchema,
  type ObjectMeta,
  type PriorityLevelConfiguration,
} from '../config/objects.ts'
import type { GuardChange } from './changes.ts'
import { predictReconcile } from './reconciler.ts'

const VERSION = 'v1.36.3'

function levelOf(name: string): PriorityLevelConfiguration {
  const level = builtInObject('PriorityLevelConfiguration', name, VERSION)
  if (level === undefined) throw new Error(name)
  return { ...level, metadata: { ...level.metadata, generation: 1 } }
}

const withMetadata = (level: PriorityLevelConfiguration, more: Partial<ObjectMeta>): PriorityLevelConfiguration => ({
  ...level,
  metadata: { ...level.metadata, ...more },
})
const annotated = (level: PriorityLevelConfiguration, value: string | undefined) =>
  withMetadata(level, { annotations: value === undefined ? {} : { [AUTOUPDATE_ANNOTATION]: value } })
const withShares = (
  level: PriorityLevelConfiguration,
  nominalConcurrencyShares: number,
): PriorityLevelConfiguration => ({
  ...level,
  spec: {
    ...level.spec,
    ...(level.spec.limited && { limited: { ...level.spec.limited, nominalConcurrencyShares } }),
    ...(level.spec.exempt && { exempt: { ...level.spec.exempt, nominalConcurrencyShares } }),
  },
})

const change = (from: PriorityLevelConfiguration | null, to: PriorityLevelConfiguration | null): GuardChange => ({
  kind: 'PriorityLevelConfiguration',
  name: (from ?? to)?.metadata.name ?? '',
  from,
  to,
})
const predict = (from: PriorityLevelConfiguration | null, to: PriorityLevelConfiguration | null) => {
  const { verdict, annotation, keptWithAnnotation } = predictReconcile(change(from, to), VERSION)
  return [verdict, annotation, keptWithAnnotation]
}

const low = levelOf('workload-low')

describe('predictReconcile on suggested objects', () => {
  it.each(['true', '1', 't', 'T', 'TRUE', 'True'])('puts an edit back while the annotation says %s', (text) => {
    expect(predict(low, annotated(withShares(low, 50), text))).toEqual(['put-back', undefined, true])
  })

  it.each(['false', '0', 'f', 'F', 'FALSE', 'False'])('keeps an edit when the annotation says %s', (text) => {
    expect(predict(low, annotated(withShares(low, 50), text))).toEqual(['kept', undefined, false])
  })

  it.each([undefined, '', 'no', 'yes', 'tRUE', ' true'])(
    'keeps an edit without a legible annotation (%s), and writes one',
    (text) => {
      expect(predict(low, annotated(withShares(low, 50), text))).toEqual(['annotation-rewritten', 'false', false])
    },
  )

  it('goes by the generation when the annotation is not legible', () => {
    // A new object has generation 1; one whose spec does not change keeps its own.
    expect(predict(null, annotated(withShares(low, 50), undefined))).toEqual(['put-back', 'true', true])
    expect(predict(low, annotated(low, undefined))).toEqual(['annotation-rewritten', 'true', true])
    const second = withMetadata(low, { generation: 2 })
    expect(predict(second, annotated(second, undefined))).toEqual(['annotation-rewritten', 'false', false])
  })

  it('makes a deleted one again', () => {
    expect(predict(low, null)).toEqual(['recreated', 'true', false])
  })

  it('leaves alone what is as built in', () => {
    expect(predict(null, low)).toEqual(['kept', undefined, false])
  })
})

describe('predictReconcile on mandatory objects', () => {
  const [catchAll, exempt] = [levelOf('catch-all'), levelOf('exempt')]

  it('puts every edit back, whatever the annotation says', () => {
    expect(predict(catchAll, annotated(withShares(catchAll, 50), 'false'))).toEqual(['put-back', 'true', false])
    expect(predict(catchAll, withShares(catchAll, 50))).toEqual(['put-back', undefined, false])
    expect(predict(catchAll, null)).toEqual(['recreated', 'true', false])
    expect(predict(catchAll, annotated(catchAll, 'false'))).toEqual(['annotation-rewritten', 'true', false])
  })

  it('keeps shares and lendable percent of exempt, and nothing else of it', () => {
    expect(predict(exempt, withShares(exempt, 20))).toEqual(['kept', undefined, false])
    const withoutMember = { ...exempt, spec: { type: 'Exempt' } }
    expect(predict(exempt, withoutMember)).toEqual(['put-back', undefined, false])
    const limited = { ...exempt, spec: { ...low.spec } }
    expect(predict(exempt, limited)[0]).toBe('put-back')
  })
})

describe('predictReconcile on other objects', () => {
  const own = withMetadata(low, { name: 'own', annotations: {} })

  it('deletes those whose annotation says that the server owns them', () => {
    expect(predict(null, annotated(own, 'true'))).toEqual(['deleted', undefined, true])
    expect(predict(null, annotated(own, 'false'))).toEqual(['kept', undefined, false])
    expect(predict(null, own)).toEqual(['kept', undefined, false])
    expect(predict(own, null)).toEqual(['kept', undefined, false])
  })

  it('knows which schemas a release has', () => {
    const schema: FlowSchema = {
      metadata: { name: 'endpoint-controller', generation: 1, annotations: { [AUTOUPDATE_ANNOTATION]: 'true' } },
      spec: { priorityLevelConfiguration: { name: 'workload-high' }, matchingPrecedence: 151 },
    }
    const verdict = (version: string) =>
      predictReconcile({ kind: 'FlowSchema', name: 'endpoint-controller', from: schema, to: schema }, version).verdict
    expect(verdict('v1.33.4')).toBe('put-back')
    expect(verdict('v1.36.3')).toBe('deleted')
  })
})
