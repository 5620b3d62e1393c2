/** Offers a file to be kept; the page itself writes nothing. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The click has started the download by the next task; the address is not needed after it.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}

export const downloadCsv = (name: string, text: string): void =>
  download(`${name}.csv`, new Blob([text], { type: 'text/csv;charset=utf-8' }))
