import type { SharesAnswer } from '../../../../core/impact/shareCalculator.ts'

/** What it takes, and what the others lose by it. */
export function seatsAnswer(level: string, answer: SharesAnswer | undefined): string {
  if (answer === undefined) return 'Enter a whole number of seats.'
  if (!answer.possible) return answer.why
  const own = answer.rows.find(({ name }) => name === level)
  if (own === undefined) return ''
  if (own.sharesAfter === own.sharesBefore) return `${own.sharesBefore} shares give ${own.nominalAfter} seats already`
  const change = answer.rows
    .filter(({ name }) => name !== level)
    .reduce((sum, { nominalBefore, nominalAfter }) => sum + nominalAfter - nominalBefore, 0)
  const others =
    change === 0 ? 'the others keep theirs' : `the others ${change < 0 ? 'lose' : 'gain'} ${Math.abs(change)}`
  return `${own.sharesAfter} shares give ${own.nominalAfter} seats; ${others}`
}
