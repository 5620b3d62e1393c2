import { STRIDES } from '../../core/bounds.ts'
import type { Stride } from '../../core/contract/simulation.ts'
import { Tip } from './Term.tsx'

const LABELS: Readonly<Record<Stride, string>> = {
  event: 'event',
  decision: 'decision',
  second: '1 s',
  recomputation: 'limits',
}

/** Length of one step of a simulation or a run. */
export function StrideSelect(props: {
  readonly label: string
  readonly value: Stride
  readonly disabled?: boolean
  readonly className?: string | undefined
  readonly onChange: (stride: Stride) => void
}) {
  const { label, value, disabled = false, className, onChange } = props
  return (
    <Tip text="Step size. A decision is a dispatch or a rejection; limits are recomputed every 10 s.">
      <select
        className={className}
        aria-label={label}
        value={value}
        disabled={disabled}
        onChange={({ target }) => onChange(STRIDES.find((one) => one === target.value) ?? 'event')}
      >
        {STRIDES.map((one) => (
          <option key={one} value={one}>
            {LABELS[one]}
          </option>
        ))}
      </select>
    </Tip>
  )
}
