import { useEffect, useState } from 'react'
import dialog from '../components/Dialog.module.css'
import { Button } from '../components/Button.tsx'
import { droppedFiles, openAsSource } from '../components/files.ts'
import { client } from '../state/client.ts'
import { dismiss } from '../state/dismissed.ts'
import { startLimits } from '../state/limitsReader.ts'
import { uploadStore } from '../state/upload.ts'
import { format } from '../theme/format.ts'
import { showCutText } from './cutText.ts'
import { KeyHelp } from './Help.tsx'
import { Palette } from './Palette.tsx'
import styles from './App.module.css'
import { useSettings } from '../state/settings.ts'
import { startUpdates, updateStore } from '../state/update.ts'

/** Everything that opens above the screens. */
export function Overlays() {
  // Started here because this loads right after the first screen, which waits for neither.
  useEffect(() => startLimits(client()), [])
  useEffect(showCutText, [])
  return (
    <>
      <Palette />
      <KeyHelp />
      <DropTarget />
      <UploadProgress />
      <UpdateNote />
    </>
  )
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true

/** Files may be dropped anywhere on the window; they are opened as a source. */
function DropTarget() {
  const [over, setOver] = useState(false)
  useEffect(() => {
    const onOver = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const onLeave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false)
    }
    const onDrop = (event: DragEvent): void => {
      setOver(false)
      if (event.dataTransfer === null || !hasFiles(event)) return
      event.preventDefault()
      const { dataTransfer } = event
      void openAsSource(() => droppedFiles(dataTransfer))
    }
    document.addEventListener('dragover', onOver)
    document.addEventListener('dragleave', onLeave)
    document.addEventListener('drop', onDrop)
    return () => {
      document.removeEventListener('dragover', onOver)
      document.removeEventListener('dragleave', onLeave)
      document.removeEventListener('drop', onDrop)
    }
  }, [])
  return over ? <div className={dialog['dropping']}>Drop to open</div> : null
}

/** Progress of the recording that is being opened, and the button that cancels it. */
function UploadProgress() {
  const uploading = uploadStore((state) => state.uploading)
  if (uploading === undefined) return null
  const { name, bytes, sent, imported, cancel } = uploading
  const isSent = sent >= bytes
  return (
    <section className={styles['toast']} aria-label="Opening a recording">
      <p>
        Opening {name}:{' '}
        {isSent
          ? `checking and unpacking, ${Math.round(imported * 100)} %`
          : `${format.bytes(sent)} of ${format.bytes(bytes)} sent`}
      </p>
      <div className={styles['upload']}>
        <progress
          max={Math.max(1, bytes)}
          value={isSent ? imported * bytes : sent}
          aria-label="Progress of the upload"
        />
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </section>
  )
}

/** A quiet note about a newer version, until it is dismissed; the link opens the page about it. */
export function UpdateNote() {
  const update = updateStore((state) => state.update)
  const [{ dismissed, updateFrom }] = useSettings()
  // No update check unless an address is set.
  useEffect(() => (updateFrom === '' ? undefined : startUpdates(client())), [updateFrom])
  if (update?.state !== 'newer') return null
  const note = `update ${update.version}`
  if (dismissed.includes(note)) return null
  return (
    <aside aria-label="Update" className={styles['update']}>
      <span>
        APF Console {update.version} is out:{' '}
        <a href={update.url} target="_blank" rel="noreferrer">
          {update.url}
        </a>
      </span>
      <Button small onClick={() => dismiss(note)}>
        Dismiss
      </Button>
    </aside>
  )
}
