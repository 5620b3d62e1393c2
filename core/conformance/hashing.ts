import type { z } from 'zod'
import { flowHash, hashFromBigInt, hashToBigInt } from '../request/flow.ts'
import { SeatSeconds, durationPerSeat, seatsTimesDuration } from '../engine/seatSeconds.ts'
import { deal } from '../engine/dealer.ts'
import { isLegalDealer, requiredEntropyBits } from '../config/shape.ts'
import { QuestionError, double, int, int64, oneOf, record, text, uint64 } from './question.ts'

export const shardQuestion = record({ deck: int, hand: int, hash: uint64 })

/** What upstream's conversion gives on amd64 for what no integer holds, such as the bits for an empty deck. */
const NO_INTEGER = -(2 ** 63)

/** One deal (specification 3.1, 3.2). */
export function answerShard({ deck, hand, hash }: z.output<typeof shardQuestion>) {
  const bits = requiredEntropyBits(deck, hand)
  const entropyBits = Number.isFinite(bits) ? bits : NO_INTEGER
  if (!isLegalDealer(deck, hand)) return { entropyBits, legal: false, cards: null }
  const cards = new Int32Array(hand)
  deal(hashFromBigInt(hash), deck, hand, cards)
  return { entropyBits, legal: true, cards: [...cards] }
}

export const flowHashQuestion = record({ flowSchema: text, distinguisher: text })

/** The hash of one flow (specification 2.7). */
export const answerFlowHash = ({ flowSchema, distinguisher }: z.output<typeof flowHashQuestion>) => ({
  hash: String(hashToBigInt(flowHash(flowSchema, distinguisher))),
})

export const seatSecondsQuestion = record({
  op: oneOf('times', 'perSeat', 'text', 'float'),
  seats: double,
  ns: int64,
  raw: uint64,
})

/** Arithmetic and text of seat-seconds (specification 0.3). */
export function answerSeatSeconds({ op, seats, ns, raw }: z.output<typeof seatSecondsQuestion>) {
  const amount = SeatSeconds.fromBigInt(raw)
  switch (op) {
    case 'times': {
      const product = new SeatSeconds()
      product.addUnits(within64Bits(seatsTimesDuration(seats, Number(ns))))
      return { raw: String(product.toBigInt()) }
    }
    case 'perSeat':
      return { ns: String(BigInt(within64Bits(durationPerSeat(Number(raw), seats)))) }
    case 'text':
      return { text: amount.toString() }
    case 'float':
      return { float: amount.toSeconds() }
  }
}

function within64Bits(value: number): number {
  if (Math.abs(value) < 2 ** 63) return value
  throw new QuestionError('seats leads to a result of more than 64 bits, which is different on every processor.')
}
