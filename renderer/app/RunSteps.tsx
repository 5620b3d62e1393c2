import { useState } from 'react'
import type { Stride } from '../../core/contract/simulation.ts'
import type { RunSpec } from '../../core/contract/whatif.ts'
import { Button } from '../components/Button.tsx'
import { StrideSelect } from '../components/StrideSelect.tsx'
import { openRun, runSeconds, runStore, stepRun } from '../state/runs.ts'
import { sayFailure } from '../state/shell.ts'
import { instantOf, useTimePart } from '../state/time.ts'
import { format } from '../theme/format.ts'
import { isWithoutLevels } from '../../core/frame/reading.ts'

const orSay = (doing: Promise<void>): void => void doing.catch(sayFailure)

/** Steps of a run, and the other variants of its comparison at the same instant. */
export function RunSteps({ of }: { readonly of: RunSpec['of'] }) {
  const [stride, setStride] = useState<Stride>('event')
  return (
    <div role="group" aria-label="Step of the run">
      <StrideSelect label="Step size" value={stride} onChange={setStride} />
      <Button small onClick={() => orSay(stepRun(stride, true))}>
        Step back
      </Button>
      <Button small onClick={() => orSay(stepRun(stride, false))}>
        Step
      </Button>
      {of.kind === 'comparison' && <Variants of={of} />}
    </div>
  )
}

/** Where the last step ended, while the screens still show that instant. */
export function LastStep() {
  const step = runStore((store) => store.step)
  const isShown = useTimePart((time) => step !== undefined && step.at === instantOf(time))
  if (step === undefined || !isShown) return null
  const text = `event ${format.fixed(step.events)}${step.event === undefined ? '' : `: ${step.event}`}`
  return (
    <span className="cut small muted" role="status" title={text}>
      {text}
    </span>
  )
}

function Variants({ of }: { readonly of: Extract<RunSpec['of'], { readonly kind: 'comparison' }> }) {
  const { baseline, candidates } = of.wish
  return (
    <select
      aria-label="Variant"
      value={of.variant}
      onChange={({ target }) => orSay(openRun({ ...of, variant: Number(target.value) }, runSeconds()))}
    >
      {[baseline, ...candidates].map((variant, place) => (
        <option key={variant.name} value={place} disabled={isWithoutLevels(variant)}>
          {variant.name}
        </option>
      ))}
    </select>
  )
}
