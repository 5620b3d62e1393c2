import { useState } from 'react'
import { sharesForSeats } from '../../../../core/impact/shareCalculator.ts'
import { Button } from '../../../components/Button.tsx'
import { inputClass } from '../../../components/Field.tsx'
import { useDraftObjects } from '../../../state/draft.ts'
import { useDraftBase } from '../../../state/draftBase.ts'
import { FieldRow } from './FieldRow.tsx'
import { seatsAnswer } from './seatsWanted.text.ts'

/** The other way round: how many shares a level needs for a nominal limit, with all other levels as the draft has them. */
export function SeatsWanted(props: {
  readonly level: string
  readonly serverLimit: number
  readonly onShares: (shares: number) => void
}) {
  const { level, serverLimit, onShares } = props
  const [typed, setTyped] = useState('')
  const base = useDraftBase()?.objects
  const objects = useDraftObjects() ?? base
  const wanted = /^\d{1,9}$/.test(typed.trim()) ? Number(typed) : undefined
  const answer =
    wanted === undefined || objects === undefined
      ? undefined
      : sharesForSeats(objects, serverLimit, [{ name: level, nominal: wanted }])
  const own = answer?.possible === true ? answer.rows.find(({ name }) => name === level) : undefined
  const takes =
    own === undefined || own.sharesAfter === own.sharesBefore ? undefined : (
      <Button
        small
        onClick={() => {
          onShares(own.sharesAfter)
          setTyped('')
        }}
      >
        Set {own.sharesAfter} shares
      </Button>
    )
  return (
    <FieldRow
      label="Seats wanted"
      findings={[]}
      readOnly={false}
      consequence={
        typed.trim() === '' ? (
          'shares for a nominal limit'
        ) : (
          <>
            {seatsAnswer(level, answer)} {takes}
          </>
        )
      }
    >
      {(attributes) => (
        <input
          {...attributes}
          className={inputClass}
          inputMode="numeric"
          autoComplete="off"
          placeholder="none"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
    </FieldRow>
  )
}
