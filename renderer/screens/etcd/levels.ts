import type { EtcdClass } from '../../../core/contract/etcd.ts'
import { MS_PER_SECOND } from '../../../core/units.ts'
import { format } from '../../theme/format.ts'

export type Group = EtcdClass['groups'][number]
export type Level = Group['level']

/** The filled part of a level's drawing, and its capacity. */
export function extentOf(level: Level): { readonly value: number; readonly of: number } {
  switch (level.qdisc) {
    case 'tbf':
      return { value: level.tokens, of: level.burst }
    case 'lbf':
      return { value: level.freeInMs * level.qps, of: MS_PER_SECOND }
    case 'maxinflight':
      return { value: level.inFlight, of: level.num }
    case 'window':
      return { value: level.used, of: level.limit }
  }
}

/** The used fraction of what a class admits, 0 to 1 and above. */
const taken = (level: Level): number => {
  const { value, of } = extentOf(level)
  return level.qdisc === 'tbf' ? 1 - value / of : value / of
}

/** The groups of a class, the nearest to being limited first. */
export const byTightness = ({ groups }: EtcdClass): readonly Group[] =>
  groups.toSorted((a, b) => taken(b.level) - taken(a.level))

/** Whether one more unit would be limited now. */
export function isSpent(level: Level): boolean {
  switch (level.qdisc) {
    case 'tbf':
      return level.tokens < 1
    case 'lbf':
      return level.freeInMs > 0
    case 'maxinflight':
      return level.inFlight >= level.num
    case 'window':
      return level.used >= level.limit
  }
}

/** A level in a few characters: `3.4/12`, `0.4 s`, `1/5`, `8,000`. */
export function shortLevel(level: Level): string {
  switch (level.qdisc) {
    case 'tbf':
      return `${format.fixed(level.tokens, 1)}/${format.fixed(level.burst, Number.isInteger(level.burst) ? 0 : 1)}`
    case 'lbf':
      return level.freeInMs === 0 ? 'free' : format.ms(level.freeInMs)
    case 'maxinflight':
      return `${format.fixed(level.inFlight)}/${format.fixed(level.num)}`
    case 'window':
      return format.fixed(level.used)
  }
}
