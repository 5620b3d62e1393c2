import { Button } from '../components/Button.tsx'
import dialog from '../components/Dialog.module.css'
import { uploadStore } from '../state/upload.ts'
import { format } from '../theme/format.ts'
import styles from './App.module.css'

/** How far the recording that is being opened has come, and the way to give it up. */
export function UploadProgress() {
  const uploading = uploadStore((state) => state.uploading)
  if (uploading === undefined) return null
  const { name, bytes, sent, cancel } = uploading
  const isSent = sent >= bytes
  return (
    <section className={dialog['toast']} aria-label="Opening a recording">
      <p>
        Opening {name}: {isSent ? 'checking and unpacking' : `${format.bytes(sent)} of ${format.bytes(bytes)} sent`}
      </p>
      <div className={styles['upload']}>
        <progress max={Math.max(1, bytes)} {...(!isSent && { value: sent })} aria-label="Progress of the upload" />
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </section>
  )
}
