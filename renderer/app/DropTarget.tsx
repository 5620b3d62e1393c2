import { useEffect, useState } from 'react'
import { toProblem } from '../../core/contract/errors.ts'
import { droppedFiles, readFiles } from '../components/files.ts'
import { client } from '../state/client.ts'
import { openScreen } from '../state/route.ts'
import { say } from './shellStore.ts'
import styles from './Dialog.module.css'

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true

/** Files may be dropped anywhere on the window; they are opened as a source. */
export function DropTarget() {
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
      void openDropped(event.dataTransfer)
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
  return over ? <div className={styles['dropping']}>Drop to open</div> : null
}

async function openDropped(transfer: DataTransfer): Promise<void> {
  try {
    const files = await readFiles(await droppedFiles(transfer))
    await client().call('sources.connect', { spec: { kind: 'files', files } })
    openScreen('overview')
  } catch (thrown) {
    say(toProblem(thrown).message)
  }
}
