import type { MessageBoxOptions } from 'electron'
import type { Ask } from '../cluster/consent.ts'

type ShowMessageBox = (options: MessageBoxOptions) => Promise<{ readonly response: number }>

const ALLOW = 1

/** Asks in a message box of the system, which no page can press a button of; closing it refuses. */
export const askOperator =
  (show: ShowMessageBox): Ask =>
  async ([message = '', ...lines], signal) => {
    const { response } = await show({
      type: 'warning',
      message,
      detail: lines.map((line) => line.trim()).join('\n'),
      buttons: ['Refuse', 'Allow'],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
      signal,
    })
    return signal.aborted ? undefined : response === ALLOW
  }
