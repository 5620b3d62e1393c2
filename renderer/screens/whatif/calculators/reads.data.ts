import { explainSeats } from '../../../../core/classify/explainSeats.ts'
import { maxSeatsPerRequest } from '../../../../core/engine/allocation.ts'
import { breakEven, grantedSeats, listWidth } from '../../../../core/kep/listWidth.ts'
import { watchSignal } from '../../../../core/kep/watchStart.ts'
import { readRequestLine } from '../../../../core/request/requestInfo.ts'
import { megabytesToBytes } from '../../../../core/units.ts'
import { format } from '../../../theme/format.ts'
import { choiceField, linesField, numberField, wholeField, wholeWord, type Definition } from './calculator.logic.ts'

const lists = linesField({
  label: 'Lists',
  initial: '50\n1000\n5000\n400000\n800000',
  hint: 'objects; one list in each line',
  line: ([count, ...more]) => (more.length > 0 ? undefined : wholeWord(count)),
})
const mostSeats = wholeField('A: most seats', 10, { least: 1, most: 1_000 })
const objectsPerSeat = wholeField('E: objects per seat', 100, { least: 1, most: 1_000_000, hint: 'B = 1 / E' })
const gigabytes = numberField('Memory per core, GB', 4, { least: 0.001, most: 10_000, hint: 'D = A / break-even' })
const kilobytes = numberField('Average object, kB', 10, { least: 0.001, most: 1_500 })
const levelSeats = wholeField('Seats of the level', 40, { least: 1, most: 100_000 })
const handSize = wholeField('Hand size', 6, { least: 1, most: 60, hint: 'for today’s cap' })
const tooWide = choiceField('Wider than the level', [
  ['cap', 'cap at its seats'],
  ['reject', 'reject'],
])

const LIST = readRequestLine('GET', '/api/v1/configmaps')

/** Seats of a list of everything in the newest supported version of Kubernetes. */
function today(count: number, averageSize: number, cap: number): number {
  if (!LIST.ok) throw new Error('the example is a request')
  return explainSeats(LIST.info, LIST.query, cap, { objects: { count, averageSize } }).width
}

export const LIST_WIDTH: Definition = {
  title: 'Width of a list',
  follows:
    'Follows KEP-1040, Determining the width: min(A, B · N) for CPU, D · N for memory, the larger of both, and min(A, ceil(N / E)), which is used. A list keeps one core busy, so that memory costs more once the objects fill the memory of a core. The values of A and E are a choice of the console.',
  upstream:
    'Kubernetes since 1.34 estimates bytes instead of objects, one seat for 100 kB, at most 1 MB from the watch cache and at most 100 seats, and caps at what the level allows one request (specification 5.2, 5.4). It never rejects a list for its width. The last column is a list of all objects, without a limit or resource version, from the cache.',
  fields: [lists, mostSeats, objectsPerSeat, gigabytes, kilobytes, levelSeats, tooWide, handSize],
  answer: (take) => {
    const objectBytes = take(kilobytes) * 1e3
    const model = {
      mostSeats: take(mostSeats),
      objectsPerSeat: take(objectsPerSeat),
      bytesPerCore: megabytesToBytes(take(gigabytes) * 1_000),
      objectBytes,
    }
    const seats = take(levelSeats)
    const cap = maxSeatsPerRequest(seats, take(handSize))
    const widths = take(lists).map((objects) => {
      const width = listWidth(objects, model)
      return { objects, width, granted: grantedSeats(width.approximate, seats, take(tooWide)) }
    })
    const wide = widths.filter(({ width }) => width.approximate > seats).length
    return {
      summary: `Memory costs more than CPU above ${format.fixed(breakEven(model))} objects. Too wide for the level: ${format.fixed(wide)} of ${format.counted(widths.length, 'list')}.`,
      columns: ['Objects', 'CPU', 'Memory', 'Larger of both', 'Used: min(A, ceil(N / E))', 'Granted', 'Today'],
      rows: widths.map(({ objects, width, granted }) => [
        format.fixed(objects),
        format.fixed(width.cpu, 2),
        format.fixed(width.ram, 2),
        format.fixed(width.combined, 2),
        format.fixed(width.approximate),
        granted === undefined ? 'rejected' : format.fixed(granted),
        format.fixed(today(objects, Math.round(objectBytes), cap)),
      ]),
    }
  },
}

const startMs = numberField('Start, ms', 2, { least: 0, most: 600_000 })
const initial = wholeField('Initial events', 5_000, { least: 0, most: 10_000_000 })
const queueMs = numberField('Into the channel, ms each', 0.01, { least: 0, most: 10_000 })
const sendMs = numberField('Serialize and send, ms each', 0.2, { least: 0, most: 10_000 })

export const WATCH_START: Definition = {
  title: 'When a watch is initialized',
  follows:
    'Follows KEP-1040, Getting the initialization signal: from the watch cache the signal is sent when all initial events are in the result channel, without one as soon as the watch of etcd is started. The proposal leaves a delay by the sending time to the future. Width 1, as proposed. Events are assumed to be sent one after another while others are queued.',
  upstream:
    'Kubernetes sends the signal at the same two moments and has no delay (specification 4.13). A watch with initial events costs as many seats as a list since 1.34, and since 1.35 so does one from resource version 0 or none (specification 5.4).',
  fields: [initial, startMs, queueMs, sendMs],
  answer: (take) => {
    const start = { startMs: take(startMs), events: take(initial), queueMs: take(queueMs), sendMs: take(sendMs) }
    const rows = [
      ['Watch cache', watchSignal({ ...start, from: 'cache', waitForSending: false })],
      ['Watch cache, delayed', watchSignal({ ...start, from: 'cache', waitForSending: true })],
      ['Direct storage', watchSignal({ ...start, from: 'storage', waitForSending: false })],
    ] as const
    const [[, cache]] = rows
    const early = cache.caughtUpMs - cache.signalMs
    return {
      summary: `The client has the last initial event after ${format.ms(cache.caughtUpMs)}${early > 0 ? `; from the cache its seat is free ${format.ms(early)} earlier.` : '.'}`,
      columns: ['From', 'Signal', 'Seat-seconds', 'Events sent after it for'],
      rows: rows.map(([name, { signalMs, caughtUpMs }]) => [
        name,
        format.ms(signalMs),
        format.seatSeconds(signalMs / 1_000),
        format.ms(Math.max(0, caughtUpMs - signalMs)),
      ]),
    }
  },
}
