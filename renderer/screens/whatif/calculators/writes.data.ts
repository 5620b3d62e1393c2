import { explainSeats } from '../../../../core/classify/explainSeats.ts'
import { maxSeatsPerRequest } from '../../../../core/engine/allocation.ts'
import { chargeEvents, eventMs, writeWidth } from '../../../../core/kep/writeWidth.ts'
import { readRequestLine } from '../../../../core/request/requestInfo.ts'
import { format } from '../../../theme/format.ts'
import { linesField, numberField, wholeField, wholeWord, type Definition } from './calculator.logic.ts'

const logicMs = numberField('Logic of an event, ms', 4, { least: 0, most: 10_000 })
const msPerKilobyte = numberField('Each kilobyte, ms', 0.1, { least: 0, most: 10_000 })

const events = wholeField('Expected events', 250, { least: 0, most: 10_000_000, hint: 'watches that receive it' })
const eventsPerSeat = wholeField('A: events per seat', 10, { least: 1, most: 1_000_000 })
const levelSeats = wholeField('Seats of the level', 40, { least: 1, most: 100_000 })
const handSize = wholeField('Hand size', 6, { least: 1, most: 60, hint: 'for today’s cap' })
const size = wholeField('Average event, bytes', 10_000, { least: 0, most: 10_000_000 })

/** A write whose watches are counted; any write would do. */
const WRITE = readRequestLine('PUT', '/api/v1/namespaces/default/configmaps/settings')

/** Seats of a write in the newest supported version of Kubernetes. */
function today(watchers: number, cap: number) {
  if (!WRITE.ok) throw new Error('the example is a request')
  return explainSeats(WRITE.info, WRITE.query, cap, { watchers })
}

export const WRITE_WIDTH: Definition = {
  title: 'Width of a write',
  follows:
    'Follows KEP-1040, Dispatching the request (WATCH): min(floor(events / A), seats of the level), and additional latency after the request has ended. A = 10 and the price of an event are choices of the console: at 10,000 bytes it costs 5 ms, as today. The events of a seat are assumed to be sent concurrently.',
  upstream:
    'Kubernetes rounds up, assumes 10 watches per seat and 5 ms for an event of any size, and caps at 10 seats and at what the level allows one request (specification 5.2, 5.5). A write has one seat while it executes; the others are taken when it has ended.',
  fields: [events, eventsPerSeat, levelSeats, handSize, size, logicMs, msPerKilobyte],
  answer: (take) => {
    const price = { logicMs: take(logicMs), msPerKilobyte: take(msPerKilobyte) }
    const oneEventMs = eventMs(take(size), price)
    const proposed = writeWidth(take(events), take(eventsPerSeat), take(levelSeats), oneEventMs)
    const cap = maxSeatsPerRequest(take(levelSeats), take(handSize))
    const now = today(take(events), cap)
    const row = (name: string, seats: number, ms: number): readonly string[] => [
      name,
      format.fixed(seats),
      format.ms(ms),
      format.seatSeconds((seats * ms) / 1_000),
    ]
    return {
      summary:
        proposed.seats === 0
          ? 'The events do not fill a seat: the write has its one seat and ends with it.'
          : `${format.counted(proposed.seats, 'seat')}, taken ${format.ms(proposed.additionalMs)} longer than the request. An event costs ${format.ms(oneEventMs)}.`,
      columns: ['Rule', 'Seats for events', 'Additional latency', 'Seat-seconds'],
      rows: [
        row('Proposal', proposed.seats, proposed.additionalMs),
        row(`Today, at most ${now.cap}`, now.final, now.additionalLatencyMs),
      ],
    }
  },
}

const MOST_BYTES = 10_000_000

const seen = linesField({
  label: 'Events, in their order',
  initial: 'pods 8000\npods 12000\nleases 400\npods 10000\nleases 400\npods 9000\nconfigmaps 900000\nconfigmaps 1000',
  hint: 'bucket bytes',
  line: ([bucket, word, ...more]) => {
    const bytes = wholeWord(word)
    return bucket === undefined || bytes === undefined || bytes > MOST_BYTES || more.length > 0
      ? undefined
      : { bucket, bytes }
  },
})

export const EVENT_COST: Definition = {
  title: 'Cost of a watch event',
  follows:
    'Follows KEP-1040, Cost of the watch event: logic, which every event has, and its size, taken from the running average of its bucket. The proposal leaves the weights open; these are a choice of the console. The first event of a bucket is charged for its logic alone.',
  upstream:
    'Kubernetes charges a seat for 5 ms for every ten watches that receive an event, rounded up, whatever its size (specification 5.5).',
  fields: [seen, logicMs, msPerKilobyte],
  answer: (take) => {
    const costs = chargeEvents(take(seen), { logicMs: take(logicMs), msPerKilobyte: take(msPerKilobyte) })
    const charged = costs.reduce((sum, one) => sum + one.chargedMs, 0)
    const real = costs.reduce((sum, one) => sum + one.realMs, 0)
    return {
      summary: `Charged ${format.ms(charged)} for events that cost ${format.ms(real)}.`,
      columns: ['Bucket', 'Events', 'Average size, bytes', 'Next event', 'Charged', 'Cost'],
      rows: costs.map(({ bucket, events: count, meanBytes, chargedMs, realMs }) => [
        bucket,
        format.fixed(count),
        format.fixed(meanBytes),
        format.ms(eventMs(meanBytes, { logicMs: take(logicMs), msPerKilobyte: take(msPerKilobyte) })),
        format.ms(chargedMs),
        format.ms(realMs),
      ]),
    }
  },
}
