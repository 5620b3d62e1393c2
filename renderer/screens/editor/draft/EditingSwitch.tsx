import { useState } from 'react'
import { toProblem } from '../../../../core/contract/errors.ts'
import type { ObjectsState } from '../../../../core/contract/objects.ts'
import { say } from '../../../app/shellStore.ts'
import { Button } from '../../../components/Button.tsx'
import { client } from '../../../state/client.ts'

/** Switches editing on or off, and says for what. */
export function EditingSwitch({ state, small = false }: { readonly state: ObjectsState; readonly small?: boolean }) {
  const [busy, setBusy] = useState(false)
  const { editing, target } = state
  if (editing.state === 'impossible') return null
  const on = editing.state === 'on'
  const turn = (): void => {
    setBusy(true)
    client()
      .call('editing.switch', { on: !on })
      .then(
        (after) => say(after.state === 'impossible' ? after.why : `Editing of ${target} is ${after.state}.`),
        (thrown: unknown) => say(toProblem(thrown).message),
      )
      .finally(() => setBusy(false))
  }
  return (
    <Button small={small} disabled={busy} onClick={turn}>
      {on ? 'Switch editing off' : `Switch editing on for ${target}`}
    </Button>
  )
}
