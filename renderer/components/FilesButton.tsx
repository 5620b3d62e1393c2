import { useRef } from 'react'
import { Button, type ButtonProps } from './Button.tsx'

interface FilesButtonProps extends Omit<ButtonProps, 'onClick'> {
  /** What the files are used for. */
  readonly label: string
  /** Opens a folder picker and returns the files in it. */
  readonly folder?: boolean
  /** At least one. */
  readonly onFiles: (files: readonly File[]) => void
}

/** Opens a file picker of this machine. */
export function FilesButton({ label, folder = false, onFiles, ...button }: FilesButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  const choose = (): void => {
    if (input.current === null) return
    // React has no attribute for choosing folders.
    input.current.webkitdirectory = folder
    input.current.click()
  }
  return (
    <>
      <Button {...button} onClick={choose} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={({ target: { files } }) => {
          if (files !== null && files.length > 0) onFiles(Array.from(files))
        }}
      />
    </>
  )
}
