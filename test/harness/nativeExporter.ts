import { createServer } from 'node:http'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { createParser } from '../../core/metrics/parse.ts'
import { FAMILY } from '../../core/metrics/familyNames.ts'
import { metricsPage } from './hostileServer.ts'
import { portOf } from './proxied.ts'

/** Waits of one request each: so many a second, and how long each is. */
export interface Waits {
  readonly perSecond: number
  readonly seconds: number
}

/** 2^3 buckets in each power of 2: each is wider than the one before it by 9 %. */
const SCHEMA = 3
const indexOf = (seconds: number): number => Math.ceil(Math.log2(seconds) * 2 ** SCHEMA)

/** As `io.prometheus.client.MetricType` numbers them. */
const TYPES = { counter: 0, gauge: 1, histogram: 4 } as const
/** The members of `io.prometheus.client.Metric` and what holds their values. */
const MEMBERS = { counter: 3, gauge: 2, histogram: 7 } as const

const message = (writer: BinaryWriter, field: number, inner: Uint8Array): BinaryWriter =>
  writer.tag(field, WireType.LengthDelimited).bytes(inner)
const text = (writer: BinaryWriter, field: number, value: string): BinaryWriter =>
  writer.tag(field, WireType.LengthDelimited).string(value)
const double = (writer: BinaryWriter, field: number, value: number): BinaryWriter =>
  writer.tag(field, WireType.Bit64).double(value)
const varint = (writer: BinaryWriter, field: number): BinaryWriter => writer.tag(field, WireType.Varint)

function labelled(labels: Readonly<Record<string, string>>): BinaryWriter {
  const writer = new BinaryWriter()
  for (const [name, value] of Object.entries(labels))
    message(writer, 1, text(text(new BinaryWriter(), 1, name), 2, value).finish())
  return writer
}

function family(name: string, type: keyof typeof TYPES, metrics: readonly Uint8Array[]): Uint8Array {
  const writer = text(text(new BinaryWriter(), 1, name), 2, 'A family.')
  varint(writer, 3).int32(TYPES[type])
  for (const metric of metrics) message(writer, 4, metric)
  const body = writer.finish()
  return new BinaryWriter().bytes(body).finish()
}

/** A native histogram of all waits until now: counts are encoded as differences from the bucket before. */
function histogram(waits: readonly Waits[], elapsedSeconds: number): Uint8Array {
  const buckets = waits
    .map(({ perSecond, seconds }) => ({ index: indexOf(seconds), count: Math.floor(perSecond * elapsedSeconds) }))
    .toSorted((a, b) => a.index - b.index)
  const writer = new BinaryWriter()
  varint(writer, 1).uint64(buckets.reduce((sum, { count }) => sum + count, 0))
  double(
    writer,
    2,
    waits.reduce((sum, { perSecond, seconds }) => sum + Math.floor(perSecond * elapsedSeconds) * seconds, 0),
  )
  varint(writer, 5).sint32(SCHEMA)
  double(writer, 6, 2 ** -128)
  varint(writer, 7).uint64(0)
  buckets.forEach(({ index }, i) => {
    const before = buckets[i - 1]
    const span = new BinaryWriter()
    varint(span, 1).sint32(before === undefined ? index : index - before.index - 1)
    varint(span, 2).uint32(1)
    message(writer, 12, span.finish())
  })
  buckets.forEach(({ count }, i) => varint(writer, 13).sint64(count - (buckets[i - 1]?.count ?? 0)))
  return writer.finish()
}

/**
 * A page of the shape of an API server's in protobuf, with the waits of `workload-low` as a native histogram: for a
 * Prometheus that scrapes these. Resolves to a function that stops it, and `host:port`.
 */
export async function startNativeExporter(
  waits: readonly Waits[],
): Promise<{ readonly target: string; readonly close: () => Promise<void> }> {
  const began = Date.now()
  const page = (): Uint8Array => {
    const elapsed = (Date.now() - began) / 1_000
    const parsed = createParser().parse(new TextEncoder().encode(metricsPage({ step: Math.round(elapsed) })))
    const plain = [...parsed.families.values()].map(({ name, type, series, values }) => {
      const kind = type === 'counter' ? 'counter' : 'gauge'
      return family(
        name,
        kind,
        series.map(({ labels }, i) =>
          message(labelled(labels), MEMBERS[kind], double(new BinaryWriter(), 1, values[i] ?? 0).finish()).finish(),
        ),
      )
    })
    const labels = { execute: 'true', flow_schema: 's', priority_level: 'workload-low' }
    const native = message(labelled(labels), MEMBERS.histogram, histogram(waits, elapsed)).finish()
    return Buffer.concat([...plain, family(FAMILY.wait, 'histogram', [native])])
  }
  const server = createServer((_, response) => {
    response.writeHead(200, {
      'Content-Type': 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
    })
    response.end(page())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    target: `127.0.0.1:${portOf(server)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
