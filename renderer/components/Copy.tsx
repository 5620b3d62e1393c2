import { useEffect, useState } from 'react'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'

/** Copies text; says so on the button for two seconds. */
export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, setSaid] = useState<string>()
  useEffect(() => {
    if (said === undefined) return undefined
    const timer = setTimeout(() => setSaid(undefined), 2_000)
    return () => clearTimeout(timer)
  }, [said])
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Not allowed to copy'),
    )
  }
  return (
    <Button small onClick={copy}>
      <Icon name={said === 'Copied' ? 'check' : 'copy'} size={13} />
      <span aria-live="polite">{said ?? label}</span>
    </Button>
  )
}
