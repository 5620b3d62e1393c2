import { useState } from 'react'
import { toProblem } from '../../../../core/contract/errors.ts'
import type { ObjectsState } from '../../../../core/contract/objects.ts'
import { ask } from '../../../state/connection.ts'
import { say } from '../../../state/shell.ts'
import { Button, Copy } from '../../../components/Button.tsx'

/** Switches editing on or off, and says for what. Where the user may not write, it has the role that would allow it. */
export function EditingSwitch({ state }: { readonly state: ObjectsState }) {
  const [busy, setBusy] = useState(false)
  const { editing, target } = state
  const role = editing.state === 'impossible' ? editing.role : undefined
  // Without a role nothing that is granted would help.
  if (editing.state === 'impossible' && role === undefined) return null
  const on = editing.state === 'on'
  const turn = (): void => {
    setBusy(true)
    ask('editing.switch', { on: !on })
      .then(
        (after) => say(after.state === 'impossible' ? after.why : `Editing of ${target} is ${after.state}.`),
        (thrown: unknown) => say(toProblem(thrown).message),
      )
      .finally(() => setBusy(false))
  }
  return (
    <>
      {role !== undefined && <Copy text={role} label="Copy role and binding" />}
      <Button disabled={busy} onClick={turn}>
        {on ? 'Switch editing off' : role === undefined ? `Switch editing on for ${target}` : 'Ask the server again'}
      </Button>
    </>
  )
}
