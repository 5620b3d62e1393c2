import { useEffect, useState } from 'react'
import dialog from '../components/Dialog.module.css'
import { droppedFiles } from '../components/files.ts'
import { client } from '../state/client.ts'
import { startLimits } from '../state/limitsReader.ts'
import { openAsSource } from './actions.ts'
import { KeyHelp } from './Help.tsx'
import { Palette } from './Palette.tsx'
import { UpdateNote } from './UpdateNote.tsx'
import { UploadProgress } from './UploadProgress.tsx'

/** What lies above every screen once it is asked for. */
export function Overlays() {
  // Here, as this comes right after the first screen, which waits for neither.
  useEffect(() => startLimits(client()), [])
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
