import {
  bucketOf,
  bucketsOf,
  interestedWatches,
  publications,
  publish,
  type CountedWatches,
  type WatchedKey,
} from '../../../../core/kep/watchBuckets.ts'
import { format } from '../../../theme/format.ts'
import { linesField, numberField, wholeField, wholeWord, type Definition, type Field } from './calculator.logic.ts'

const UPSTREAM =
  'Kubernetes has none of this: each server counts only the watches that are open to itself and publishes nothing, so that a write pays for the events of its own server alone (specification 5.6).'

const MOST_BUCKETS = { least: 1, most: 1_000 }
const EXAMPLE = `a pods * * 10
a pods default * 12
a pods kube-system * 4
b pods * * 30
b pods default web-0 6
b pods kube-system * 90
b endpoints * * 200`

const anyWord = (word: string): string => (word === '*' ? '' : word)

const watches: Field<readonly CountedWatches[]> = linesField({
  label: 'Watches',
  initial: EXAMPLE,
  hint: 'server resource namespace name watches; * for all namespaces or names',
  line: ([server, resource, namespace, name, count, ...more]) => {
    const counted = wholeWord(count)
    if (server === undefined || resource === undefined || namespace === undefined || name === undefined)
      return undefined
    if (counted === undefined || more.length > 0) return undefined
    return { server, resource, namespace: anyWord(namespace), name: anyWord(name), watches: counted }
  },
})

const object: Field<WatchedKey> = {
  label: 'Written object',
  initial: 'pods default web-0',
  hint: 'resource namespace name; * for no namespace',
  kind: 'text',
  read: (text) => {
    const [resource = '', namespace, name, ...more] = text.trim().split(/\s+/)
    return namespace === undefined || name === undefined || name === '*' || more.length > 0
      ? { ok: false, message: 'Enter resource, namespace and name.' }
      : { ok: true, value: { resource, namespace: anyWord(namespace), name } }
  },
}

const namespaces = wholeField('A: buckets of namespaces', 3, MOST_BUCKETS)
const objects = wholeField('B: buckets of objects', 6, MOST_BUCKETS)

export const WATCH_BUCKETS: Definition = {
  title: 'Watches across servers',
  follows:
    'Follows KEP-1040, Multiple apiservers: a server publishes, for each resource, the largest watch count in each of 1 + A + B buckets. The proposal names no hash; SHA-256 of namespace and name is used, as for flows. A server is assumed to count its own watches exactly and those of others by their buckets.',
  upstream: UPSTREAM,
  fields: [watches, object, namespaces, objects],
  answer: (take) => {
    const [all, written] = [take(watches), take(object)]
    const shape = { namespaces: take(namespaces), objects: take(objects) }
    const servers = [...Map.groupBy(all, ({ server }) => server)].map(([server, own]) => ({
      server,
      ...interestedWatches(written, own, shape),
      entries: publish(own, shape).size * bucketsOf(shape),
    }))
    const exact = servers.reduce((sum, one) => sum + one.exact, 0)
    const published = servers.reduce((sum, one) => sum + one.published, 0)
    const buckets = [
      bucketOf({ ...written, namespace: '', name: '' }, shape),
      ...(written.namespace === '' ? [] : [bucketOf({ ...written, name: '' }, shape)]),
      bucketOf(written, shape),
    ]
    return {
      summary: `${format.counted(bucketsOf(shape), 'bucket')} for each resource, numbered from 0; the object reads buckets ${buckets.join(', ')}${written.namespace === '' ? '' : `, and ${bucketOf({ ...written, namespace: '' }, shape)} for its name in all namespaces`}. Watches of all servers that receive the event: ${format.fixed(exact)}.`,
      columns: [
        'Server',
        'Receive the event',
        'By its buckets',
        'Cluster, as this server counts',
        'Too many',
        'Entries',
      ],
      rows: servers.map((one) => {
        const counted = one.exact + published - one.published
        return [
          one.server,
          format.fixed(one.exact),
          format.fixed(one.published),
          format.fixed(counted),
          exact === 0
            ? format.fixed(counted)
            : `${format.fixed(counted - exact)} (${format.percent(counted / exact - 1)})`,
          format.fixed(one.entries),
        ]
      }),
    }
  },
}

/** Maximum length of a schedule in seconds. */
const MOST_SECONDS = 86_400

const counts = linesField({
  label: 'Watches of one bucket',
  initial: '0 100\n10 130\n75 400\n100 90',
  hint: 'second watches; from that second on, in order',
  line: ([second, count, ...more]) => {
    const [from, watching] = [wholeWord(second), wholeWord(count)]
    return from === undefined || watching === undefined || from > MOST_SECONDS || more.length > 0
      ? undefined
      : { from, watching }
  },
})

const CAUSES = { start: 'start', period: 'period over', jump: 'jump' } as const

const duration = wholeField('Seconds', 180, { least: 1, most: MOST_SECONDS })
const writeEvery = wholeField('Write every, seconds', 60, { least: 1, most: MOST_SECONDS })
const jumpFactor = numberField('Jump: factor', 1.5, { least: 1, most: 1_000 })
const jumpWatches = wholeField('Jump: watches', 10, { least: 1, most: 1_000_000 })

export const PUBLISHING: Definition = {
  title: 'When watch counts are published',
  follows:
    'Follows KEP-1040, Multiple apiservers: check each second, write each minute or when a bucket rises significantly; a fall waits for the minute. The proposal does not define “significantly”: 1.5 times the published count and 10 watches are a choice of the console.',
  upstream: UPSTREAM,
  fields: [counts, duration, writeEvery, jumpFactor, jumpWatches],
  answer: (take) => {
    const [steps, seconds] = [take(counts), take(duration)]
    const at = Array.from({ length: seconds }, (_, second) => [
      steps.findLast(({ from }) => from <= second)?.watching ?? 0,
    ])
    const rule = { writeEvery: take(writeEvery), jumpFactor: take(jumpFactor), jumpWatches: take(jumpWatches) }
    const writes = publications(at, rule)
    return {
      summary: `${format.counted(writes.length, 'write')} in ${format.counted(seconds, 'second')}. Writing at every check would take ${format.fixed(seconds)}.`,
      columns: ['Second', 'Watches', 'Published before', 'Published', 'Because'],
      rows: writes.map(({ second, because, buckets: [published] }, index) => [
        format.fixed(second),
        format.fixed(at[second]?.[0]),
        format.fixed(writes[index - 1]?.buckets[0]),
        format.fixed(published),
        CAUSES[because],
      ]),
    }
  },
}
