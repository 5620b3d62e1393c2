import { useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Field.tsx'
import { Pane } from '../../components/Pane.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { refusalOf } from '../../state/limits.ts'
import { useSettings } from '../../state/settings.ts'
import { updateStore } from '../../state/update.ts'

/** The address that is queried for newer versions; without one there is no query. */
export function UpdatePane() {
  const [{ updateFrom }, change] = useSettings()
  const [address, setAddress] = useState(updateFrom)
  const update = updateStore((state) => state.update)
  if (refusalOf('app.update') !== undefined) return null
  return (
    <Pane title="Updates">
      <form
        className="stack gap-10 pad-x pad-t-4 pad-b-16"
        onSubmit={(event) => {
          event.preventDefault()
          change({ updateFrom: address.trim() })
        }}
      >
        <TextField
          label="Source of newer versions"
          kind="code"
          value={address}
          onChange={setAddress}
          hint="https address of a JSON file, {version, url}, read once a day. Nothing is downloaded."
        />
        {update?.state === 'failed' && <ProblemNote problem={update.problem} />}
        {update?.state === 'current' && <p>There is no newer version.</p>}
        {address.trim() !== updateFrom && (
          <div>
            <Button type="submit">{address.trim() === '' ? 'Turn off' : 'Use this address'}</Button>
          </div>
        )}
      </form>
    </Pane>
  )
}
