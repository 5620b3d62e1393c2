import type { Difference, NumberName } from '../../core/compare/compare.ts'
import { UNKNOWN } from '../../core/text/format.ts'
import { format } from '../theme/format.ts'

interface NumberLook {
  readonly label: string
  readonly text: (value: number | undefined) => string
  readonly change: (value: number | undefined) => string
}

const signed =
  (text: (value: number | undefined) => string) =>
  (value: number | undefined): string =>
    value === undefined ? UNKNOWN : value > 0 ? `+${text(value)}` : text(value)

const seats: NumberLook = {
  label: '',
  text: format.seatsAverage,
  change: (value) => format.change(value, 1),
}

/** Label and format of each number. */
export function numberLook(name: NumberName, perSecond: boolean): NumberLook {
  const counted = (what: string): NumberLook =>
    perSecond
      ? { label: `${what} per second`, text: format.rate, change: signed(format.rate) }
      : { label: `${what}, sum`, text: (value) => format.fixed(value), change: (value) => format.change(value) }
  switch (name) {
    case 'executing':
      return { ...seats, label: 'Executing seats, mean' }
    case 'limit':
      return { ...seats, label: 'Current limit, mean' }
    case 'queued':
      return { ...seats, label: 'Queued requests, mean' }
    case 'rejected':
      return counted('Rejected')
    case 'dispatched':
      return counted('Dispatched')
    case 'waitP99':
      return { label: 'Longest wait p99', text: format.seconds, change: signed(format.seconds) }
  }
}

/** `−33 %`; empty where there is no relative change. */
export const shareText = ({ share, change }: Difference): string =>
  share === undefined || change === 0 ? '' : `${share > 0 ? '+' : ''}${format.percent(share)}`
