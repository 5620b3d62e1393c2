import { memo } from 'react'
import type { AdjustmentLedger } from '../../../core/impact/adjustmentLedger.ts'
import { classes } from '../../components/classes.ts'
import { Icon } from '../../components/Icon.tsx'
import { format } from '../../theme/format.ts'
import styles from './allocation.module.css'
import type { KnownRound } from './rounds.data.ts'
import { caseSentence, comparisonSentence } from './sentence.ts'

export interface CaseSentenceProps {
  readonly round: KnownRound
  readonly ledger: AdjustmentLedger
  /** Of all rounds that are kept: how many could be compared, and how many are as expected. */
  readonly compared: number
  readonly equal: number
}

/** Which case applied and why, and whether the server did what its version's rules say. */
export const CaseSentence = memo(function CaseSentence({ round, ledger, compared, equal }: CaseSentenceProps) {
  const { title, words } = caseSentence(round.expected, ledger)
  const { tone, text } = comparisonSentence(round.expected, round.cause)
  return (
    <div className={styles['why']}>
      <p>
        <b>{title}</b>{' '}
        {words.map((word, i) =>
          // Words never move: their position is their identity.
          typeof word === 'string' ? <span key={i}>{word}</span> : <b key={i}>{word.strong}</b>,
        )}
      </p>
      <p className={classes(styles['compared'], styles[tone])}>
        {tone !== 'quiet' && <Icon name={tone === 'good' ? 'check' : 'cross'} size={12} />}
        <span>
          {text}
          {compared > 1 && (
            <span className={styles['quiet']}>
              {equal === compared
                ? ` ${tone === 'good' ? 'So were' : 'As expected were'} all ${format.fixed(compared)} reallocations kept that can be compared.`
                : ` ${format.fixed(equal)} of ${format.fixed(compared)} reallocations kept that can be compared are as expected.`}
            </span>
          )}
        </span>
      </p>
    </div>
  )
})
